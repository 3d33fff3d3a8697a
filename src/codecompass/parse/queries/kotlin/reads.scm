(identifier) @ref.read
(package_header (qualified_identifier (identifier) @skip))
(value_argument . (identifier) @skip . "=")

; Names that a function binds for itself: uses of them are local.
(parameter . (identifier) @local)
(lambda_parameters (variable_declaration . (identifier) @local))
(function_body (block (property_declaration (variable_declaration . (identifier) @local))))
(for_statement (variable_declaration . (identifier) @local))
(catch_block (identifier) @local)
