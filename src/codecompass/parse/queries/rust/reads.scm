(identifier) @ref.read
(field_expression field: (field_identifier) @ref.read)
(lifetime (identifier) @skip)

; Names that a function binds for itself: uses of them are local.
(parameter pattern: (identifier) @local)
(parameter pattern: (mut_pattern (identifier) @local))
(let_declaration pattern: (identifier) @local)
(let_declaration pattern: (mut_pattern (identifier) @local))
(let_declaration pattern: (tuple_pattern (identifier) @local))
(closure_parameters (identifier) @local)
(closure_parameters (parameter pattern: (identifier) @local))
(for_expression pattern: (identifier) @local)
(tuple_struct_pattern (identifier) @local)
(match_pattern (identifier) @local)
