(function_declaration name: (identifier) @name body: (block) @body) @symbol.function
(function_declaration name: (identifier) @name !body) @symbol.function
(function_declaration name: (dot_index_expression table: (_) @owner field: (identifier) @name)) @symbol.function
(function_declaration name: (dot_index_expression) body: (block) @body)
(function_declaration name: (method_index_expression table: (_) @owner method: (identifier) @name)) @symbol.method
(function_declaration name: (method_index_expression) body: (block) @body)
(assignment_statement (variable_list . name: (identifier) @name .) (expression_list . value: (function_definition body: (block) @body) .)) @symbol.function
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name) .)
  (expression_list . value: (function_definition body: (block) @body) .)) @symbol.function
(field name: (identifier) @name value: (function_definition body: (block) @body)) @symbol.method
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .)) @symbol.variable))
(chunk (variable_declaration (variable_list name: (identifier) @name @symbol.variable)))
(chunk (assignment_statement (variable_list . name: (identifier) @name .)) @symbol.variable)
(chunk (assignment_statement (variable_list . name: (dot_index_expression table: (identifier) @owner field: (identifier) @name) .)) @symbol.field)
(variable_declaration (assignment_statement) @wrapped) @wrapper
(comment) @comment
