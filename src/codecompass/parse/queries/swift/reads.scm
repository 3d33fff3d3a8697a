(simple_identifier) @ref.read
(parameter external_name: (simple_identifier) @skip)
(value_argument_label (simple_identifier) @skip)
(attribute (simple_identifier) @skip)
(import_declaration (identifier (simple_identifier) @skip))

; Names that a function binds for itself: uses of them are local.
(parameter name: (simple_identifier) @local)
(lambda_parameter name: (simple_identifier) @local)
(statements (property_declaration name: (pattern bound_identifier: (simple_identifier) @local)))
(for_statement item: (pattern bound_identifier: (simple_identifier) @local))
