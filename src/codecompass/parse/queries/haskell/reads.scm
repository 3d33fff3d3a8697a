(variable) @ref.read
(constructor) @ref.read

; Names that a function binds for itself: uses of them are local.
(patterns (variable) @local)
(bind name: (variable) @local)
(alternative pattern: (variable) @local)
(lambda patterns: (patterns (variable) @local))
(generator pattern: (variable) @local)
