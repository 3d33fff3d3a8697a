; Definitions that JavaScript and TypeScript write the same way.
(function_declaration name: (identifier) @name body: (statement_block) @body) @symbol.function
(generator_function_declaration name: (identifier) @name body: (statement_block) @body) @symbol.function
(method_definition name: (_) @name body: (statement_block) @body) @symbol.method
(pair key: [(property_identifier) (string)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @symbol.method

(arguments (function_expression name: (identifier) @name body: (_) @body) @symbol.function)

; A variable that holds a function is that function.
(variable_declarator name: (identifier) @name value: (arrow_function body: (_) @body)) @symbol.function
(variable_declarator name: (identifier) @name value: (function_expression body: (_) @body)) @symbol.function
(variable_declarator name: (identifier) @name value: (generator_function body: (_) @body)) @symbol.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @symbol.class

; Classes written as values.
((assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @name)
  right: (class body: (_) @body)) @symbol.class
  (#not-match? @owner "^(exports|module)$"))
(pair key: [(property_identifier) (string)] @name value: (class body: (_) @body)) @symbol.class
(return_statement (class name: (_) @name body: (_) @body) @symbol.class)
(arrow_function body: (class name: (_) @name body: (_) @body) @symbol.class)
(arguments (class name: (_) @name body: (_) @body) @symbol.class)

; Module variables.
(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @symbol.constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @symbol.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @symbol.variable))
(export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @symbol.constant))
(export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @symbol.variable))
(export_statement (variable_declaration (variable_declarator name: (identifier) @name) @symbol.variable))
(program (lexical_declaration (variable_declarator name: (array_pattern (identifier) @name @symbol.variable @wrapped)) @wrapper))
(program (lexical_declaration (variable_declarator name: (array_pattern [
  (assignment_pattern left: (identifier) @name) (rest_pattern (identifier) @name)] @symbol.variable @wrapped)) @wrapper))
(program (lexical_declaration (variable_declarator name: (object_pattern
  (shorthand_property_identifier_pattern) @name @symbol.variable @wrapped)) @wrapper))
(program (lexical_declaration (variable_declarator name: (object_pattern [
  (object_assignment_pattern left: (_) @name) (rest_pattern (identifier) @name)] @symbol.variable @wrapped)) @wrapper))
(program (lexical_declaration (variable_declarator name: (object_pattern
  (pair_pattern value: (identifier) @name @symbol.variable @wrapped))) @wrapper))
(export_statement (lexical_declaration (variable_declarator name: (object_pattern
  (shorthand_property_identifier_pattern) @name @symbol.variable @wrapped)) @wrapper))
(program (lexical_declaration (variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments . (arrow_function body: (_) @body)))) @symbol.constant))
(program (lexical_declaration (variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments . (function_expression body: (_) @body)))) @symbol.constant))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments . (arrow_function body: (_) @body)))) @symbol.constant))
(export_statement (lexical_declaration (variable_declarator name: (identifier) @name
  value: (call_expression arguments: (arguments . (function_expression body: (_) @body)))) @symbol.constant))

; Functions put on an object: `app.use = function`, `Foo.prototype.bar = function`.
((assignment_expression
  left: (member_expression object: (identifier) @owner property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @symbol.method
  (#not-match? @owner "^(exports|module)$"))
((assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @owner property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @symbol.method
  (#eq? @_prototype "prototype"))

; CommonJS exports.
((assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name @export.name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @symbol.function
  (#eq? @_exports "exports"))
((assignment_expression
  left: (member_expression object: (member_expression) @_exports property: (property_identifier) @name @export.name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @symbol.function
  (#eq? @_exports "module.exports"))
((assignment_expression left: (member_expression) @_exports
  right: [(function_expression !name body: (_) @body) (arrow_function body: (_) @body) (class !name body: (_) @body)]
  ) @symbol.function @unnamed @export.list
  (#eq? @_exports "module.exports"))
((assignment_expression left: (member_expression) @_exports
  right: [(function_expression name: (identifier) @name @export.name body: (_) @body)]) @symbol.function
  (#eq? @_exports "module.exports"))
((assignment_expression left: (member_expression) @_exports
  right: (class name: (_) @name @export.name body: (_) @body)) @symbol.class
  (#eq? @_exports "module.exports"))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (property_identifier) @name @export.name)
  right: (class body: (_) @body)) @symbol.class
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression left: (member_expression) @_exports
  right: [(identifier) @export.name
          (object (shorthand_property_identifier) @export.name)
          (object (pair value: (identifier) @export.name))])
  (#any-of? @_exports "module.exports" "exports"))
((program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_exports property: (property_identifier) @name @export.name)
  right: [(string) (number) (template_string) (object) (array) (new_expression) (call_expression)]) @symbol.constant))
  (#eq? @_exports "exports"))

; Statements around definitions.
(export_statement declaration: (_) @wrapped) @wrapper
(export_statement (decorator) @decorator)
(class_declaration (decorator) @decorator)
(lexical_declaration (variable_declarator) @wrapped) @wrapper
(variable_declaration (variable_declarator) @wrapped) @wrapper
(expression_statement (assignment_expression) @wrapped) @wrapper
(export_statement "default" value: [
  (function_expression !name body: (_) @body)
  (generator_function !name body: (_) @body)
  (arrow_function body: (_) @body)
  (class !name body: (_) @body)] @symbol.function @unnamed @wrapped) @wrapper

; What the file exports.
(export_statement) @statement.export
(export_statement !source (export_clause (export_specifier name: (_) @export.name @ref.export)))
(export_statement "default" value: (identifier) @export.name @ref.export)
(comment) @comment
