(preproc_include path: (_) @import.module @import.wildcard) @import
(using_declaration "namespace" [(qualified_identifier) (identifier)] @import.module @import.wildcard) @import
(using_declaration [(qualified_identifier) (identifier)] @import.path) @import
(namespace_alias_definition name: (_) @import.bound (_) @import.module) @import

(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression field: (field_identifier) @ref.call))
(call_expression function: (qualified_identifier name: (identifier) @ref.call))
(call_expression function: (qualified_identifier name: (qualified_identifier name: (identifier) @ref.call)))
(call_expression function: (template_function name: (identifier) @ref.call))
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @ref.call)))
(new_expression type: (type_identifier) @ref.call)
(type_identifier) @ref.type
(base_class_clause (type_identifier) @ref.inherit)
(base_class_clause (template_type name: (type_identifier) @ref.inherit))
(base_class_clause (qualified_identifier name: (type_identifier) @ref.inherit))
(assignment_expression left: (field_expression field: (field_identifier) @ref.write))
(type_parameter_declaration (type_identifier) @local.type)
