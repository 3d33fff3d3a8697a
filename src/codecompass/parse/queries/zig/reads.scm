(identifier) @ref.read

; Names that a function binds for itself: uses of them are local.
(parameter name: (identifier) @local)
(block (variable_declaration . (identifier) @local))
(payload (identifier) @local)
