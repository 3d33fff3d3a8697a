(identifier) @ref.read
(package_declaration (scoped_identifier (identifier) @skip))
(assignment_expression left: (identifier) @ref.write)

; Names that a function binds for itself: uses of them are local.
(formal_parameter name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local))
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
(catch_formal_parameter name: (identifier) @local)
(enhanced_for_statement name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(resource name: (identifier) @local)
