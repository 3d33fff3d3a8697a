(identifier) @ref.read
(field name: (identifier) @skip)

; Names that a function binds for itself: uses of them are local.
(parameters name: (identifier) @local)
(block (variable_declaration (assignment_statement (variable_list name: (identifier) @local))))
(block (variable_declaration (variable_list name: (identifier) @local)))
(for_generic_clause (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local)
