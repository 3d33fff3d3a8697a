(rule (targets) @name (recipe) @body) @symbol.function
(rule (targets) @name) @symbol.function
(variable_assignment name: (word) @name) @symbol.variable
(define_directive name: (word) @name) @symbol.macro
(comment) @comment
