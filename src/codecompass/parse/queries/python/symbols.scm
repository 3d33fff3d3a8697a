; Definitions.
(function_definition name: (identifier) @name body: (block) @body) @symbol.function
(class_definition name: (identifier) @name body: (block) @body) @symbol.class
(decorated_definition definition: (_) @wrapped) @wrapper
(decorated_definition (decorator) @decorator)
(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block . (expression_statement (string) @doc)))
; Comments before a body are no part of a signature.
(function_definition (comment) @comment)
(class_definition (comment) @comment)
(parameters (comment) @comment)
(class_definition superclasses: (argument_list (comment) @comment))
(type_alias_statement . (type [(identifier) @name (generic_type (identifier) @name)])) @symbol.type

; Module and class variables; upper-case names are constants by convention of the language.
(module (expression_statement (assignment left: (identifier) @name) @symbol.variable))
((module (expression_statement (assignment left: (identifier) @_upper) @symbol.constant))
  (#match? @_upper "^_*[A-Z][A-Z0-9_]*$"))
(module (expression_statement
  (assignment left: (pattern_list (identifier) @name @symbol.variable @wrapped)) @wrapper))
(class_definition body: (block
  (expression_statement (assignment left: (identifier) @name) @symbol.field)))

(module (if_statement (block (expression_statement (assignment left: (identifier) @name) @symbol.variable))))
(module (if_statement (else_clause (block (expression_statement (assignment left: (identifier) @name) @symbol.variable)))))
(module (try_statement (block (expression_statement (assignment left: (identifier) @name) @symbol.variable))))
(module (try_statement (except_clause (block (expression_statement (assignment left: (identifier) @name) @symbol.variable)))))

; What the file says it exports.
(module (expression_statement (assignment
  left: (identifier) @_all
  right: [(list (string) @export.name) (tuple (string) @export.name) (list) (tuple)] @export.list))
  (#eq? @_all "__all__"))
(module (expression_statement (augmented_assignment
  left: (identifier) @_all right: (list (string) @export.name)))
  (#eq? @_all "__all__"))
