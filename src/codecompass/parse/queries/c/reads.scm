(identifier) @ref.read
(field_expression field: (field_identifier) @ref.read)
(assignment_expression left: (identifier) @ref.write)

; Names that a function binds for itself: uses of them are local.
(parameter_declaration declarator: (identifier) @local)
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @local))
(parameter_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local)))
(parameter_declaration declarator: (array_declarator declarator: (identifier) @local))
(compound_statement (declaration declarator: (identifier) @local))
(compound_statement (declaration declarator: (pointer_declarator declarator: (identifier) @local)))
(compound_statement (declaration declarator: (array_declarator declarator: (identifier) @local)))
(init_declarator declarator: (identifier) @local)
(init_declarator declarator: (pointer_declarator declarator: (identifier) @local))
(preproc_params (identifier) @local)
