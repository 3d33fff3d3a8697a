(class_declaration name: (identifier) @name body: (class_body) @body) @symbol.class
((class_declaration name: (identifier) @name (class_heritage (_) @_base) body: (class_body) @body) @symbol.component
  (#match? @_base "^(React\\.)?(Pure)?Component$"))
(field_definition property: (_) @name) @symbol.property
(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @symbol.method
(field_definition (decorator) @decorator)
(method_definition (decorator) @decorator)
