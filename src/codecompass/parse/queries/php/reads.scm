(member_access_expression name: (name) @ref.read)
(scoped_property_access_expression name: (variable_name (name) @ref.read))
(class_constant_access_expression (name) @ref.read .)
(argument (name) @ref.read)
(binary_expression (name) @ref.read)

; Names that a function binds for itself: uses of them are local.
(simple_parameter name: (variable_name (name) @local))
(variadic_parameter name: (variable_name (name) @local))
