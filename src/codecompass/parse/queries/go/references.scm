(import_declaration) @import
(import_spec !name path: (_) @import.path)
(import_spec) @import
(import_spec name: (package_identifier) @import.bound path: (_) @import.module)
(import_spec name: (dot) @import.wildcard path: (_) @import.module)
(import_spec name: (blank_identifier) @import.side_effect path: (_) @import.module)

(call_expression function: (identifier) @ref.call)
(call_expression function: (selector_expression field: (field_identifier) @ref.call))
(call_expression function: (parenthesized_expression (identifier) @ref.call))
(call_expression function: (type_instantiation_expression type: (type_identifier) @ref.call))
(type_identifier) @ref.type
(qualified_type name: (type_identifier) @ref.type)
(field_declaration !name type: (type_identifier) @ref.inherit)
(field_declaration !name type: (qualified_type name: (type_identifier) @ref.inherit))
(field_declaration !name type: (pointer_type (type_identifier) @ref.inherit))
(interface_type (type_elem (type_identifier) @ref.inherit))
(assignment_statement left: (expression_list (selector_expression field: (field_identifier) @ref.write)))
(type_parameter_declaration name: (identifier) @local.type)
