; Names that a function binds for itself: uses of them are local.
(formal_parameters (identifier) @local)
