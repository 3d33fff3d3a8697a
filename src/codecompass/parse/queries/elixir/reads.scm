(alias) @ref.read
(unary_operator operator: "@" operand: (identifier) @ref.read)
