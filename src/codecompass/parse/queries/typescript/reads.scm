; Names that a function binds for itself: uses of them are local.
(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
