(function_definition name: (word) @name body: (_) @body) @symbol.function
(program (variable_assignment name: (variable_name) @name) @symbol.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @symbol.variable @wrapped) @wrapper)
(program (declaration_command "readonly" (variable_assignment) @symbol.constant))
(comment) @comment
