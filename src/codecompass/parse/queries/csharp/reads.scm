(identifier) @ref.read
(assignment_expression left: (identifier) @ref.write)
(namespace_declaration name: (qualified_name (identifier) @skip))

; Names that a function binds for itself: uses of them are local.
(parameter name: (identifier) @local)
(local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @local)))
(foreach_statement left: (identifier) @local)
(catch_declaration name: (identifier) @local)
(lambda_expression parameters: (implicit_parameter) @local)
(declaration_expression name: (identifier) @local)
(declaration_pattern name: (identifier) @local)
