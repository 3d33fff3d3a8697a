(identifier) @ref.read
(selector_expression field: (field_identifier) @ref.read)
(assignment_statement left: (expression_list (identifier) @ref.write))

; Names that a function binds for itself: uses of them are local.
(parameter_declaration name: (identifier) @local)
(variadic_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list (identifier) @local))
(range_clause left: (expression_list (identifier) @local))
(var_spec name: (identifier) @local)
