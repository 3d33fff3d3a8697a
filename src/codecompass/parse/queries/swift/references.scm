(import_declaration (identifier) @import.module @import.wildcard) @import
(call_expression . (simple_identifier) @ref.call)
(call_expression . (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @ref.call)))
(user_type (type_identifier) @ref.type)
(inheritance_specifier inherits_from: (user_type (type_identifier) @ref.inherit))
(attribute (user_type (type_identifier) @ref.decorate))
(assignment target: (directly_assignable_expression (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @ref.write))))
(type_parameter (type_identifier) @local.type)
