(method name: (_) @name body: (_) @body) @symbol.function
(method name: (_) @name !body) @symbol.function
(singleton_method object: (_) @_self name: (_) @name body: (_) @body) @symbol.function
(singleton_method name: (_) @name !body) @symbol.function
(class name: (_) @name body: (_) @body) @symbol.class
(class name: (_) @name !body) @symbol.class
(module name: (_) @name body: (_) @body) @symbol.module
(module name: (_) @name !body) @symbol.module
(assignment left: (constant) @name) @symbol.constant
(assignment left: (identifier) @name right: (lambda body: (_) @body)) @symbol.function
((call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name @symbol.property @wrapped)) @wrapper
  (#match? @_attr "^attr_(reader|writer|accessor)$"))
((call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name) block: (_) @body) @symbol.method
  (#eq? @_define "define_method"))
(call arguments: (argument_list . (method) @wrapped .)) @wrapper
(alias name: (_) @name) @symbol.function
(comment) @comment
