; Every use that is not one of the roles in references.scm; run on demand only.
(identifier) @ref.read
(shorthand_property_identifier) @ref.read
(member_expression property: (property_identifier) @ref.read)
(member_expression property: (private_property_identifier) @ref.read)

; Names that a function binds for itself: uses of them are local.
(arrow_function parameter: (identifier) @local)
(variable_declarator name: (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(array_pattern (identifier) @local)
(rest_pattern (identifier) @local)
(assignment_pattern left: (identifier) @local)
(object_assignment_pattern left: (_) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)
(labeled_statement label: (statement_identifier) @local)
