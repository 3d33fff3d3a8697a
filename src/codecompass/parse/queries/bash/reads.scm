(simple_expansion (variable_name) @ref.read)
(expansion (variable_name) @ref.read)
