(identifier) @ref.read
(package_identifier (identifier) @skip)

; Names that a function binds for itself: uses of them are local.
(parameter name: (identifier) @local)
(class_parameter name: (identifier) @local)
(binding name: (identifier) @local)
(block (val_definition pattern: (identifier) @local))
(block (var_definition pattern: (identifier) @local))
