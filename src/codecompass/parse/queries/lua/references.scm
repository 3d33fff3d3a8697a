((assignment_statement (variable_list . name: (identifier) @import.bound .)
  (expression_list . value: (function_call name: (identifier) @_require arguments: (arguments (string) @import.module)) .)) @import
  (#eq? @_require "require"))
((chunk (function_call name: (identifier) @_require arguments: (arguments (string) @import.module)) @import)
  (#eq? @_require "require"))
(function_call name: (identifier) @ref.call)
(function_call name: (dot_index_expression field: (identifier) @ref.call))
(function_call name: (method_index_expression method: (identifier) @ref.call))
(assignment_statement (variable_list name: (dot_index_expression field: (identifier) @ref.write)))
