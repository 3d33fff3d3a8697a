(function_definition declarator: (function_declarator declarator: (identifier) @name) body: (compound_statement) @body) @symbol.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)) body: (compound_statement) @body) @symbol.function
(function_definition declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) body: (compound_statement) @body) @symbol.function
(function_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (function_declarator declarator: (identifier) @name)))) body: (compound_statement) @body) @symbol.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @symbol.function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @symbol.function

(struct_specifier name: (type_identifier) @name body: (field_declaration_list) @body) @symbol.struct
(union_specifier name: (type_identifier) @name body: (field_declaration_list) @body) @symbol.struct
(enum_specifier name: (type_identifier) @name body: (enumerator_list) @body) @symbol.enum
(enumerator name: (identifier) @name) @symbol.enum_member
(field_declaration declarator: (_) @symbol.field @wrapped) @wrapper
(field_declaration declarator: [
  (field_identifier) @name
  (pointer_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
  (array_declarator declarator: (field_identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))
  (pointer_declarator declarator: (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name)))
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))
  (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name))))])
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @symbol.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @symbol.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @symbol.enum
(type_definition type: [(primitive_type) (sized_type_specifier) (type_identifier)
                        (struct_specifier !body) (enum_specifier !body) (union_specifier !body)]
  declarator: [(type_identifier) @name
               (pointer_declarator declarator: (type_identifier) @name)
               (array_declarator declarator: (type_identifier) @name)
               (function_declarator declarator: (parenthesized_declarator (type_identifier) @name))
               (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))]) @symbol.type
(type_definition type: (_ name: (_) body: (_)) declarator: (type_identifier) @name @symbol.type @wrapped)
(type_definition type: (_ name: (_) body: (_)) declarator: (pointer_declarator declarator: (type_identifier) @name) @symbol.type @wrapped)
(type_definition type: (struct_specifier name: (_) body: (_)) @wrapped) @wrapper
(type_definition type: (enum_specifier name: (_) body: (_)) @wrapped) @wrapper
(type_definition type: (union_specifier name: (_) body: (_)) @wrapped) @wrapper

(declaration declarator: (init_declarator declarator: [
  (identifier) @name
  (pointer_declarator declarator: (identifier) @name)
  (array_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))]) @symbol.variable @wrapped) @wrapper
(declaration declarator: (identifier) @name @symbol.variable @wrapped) @wrapper
(declaration declarator: (array_declarator declarator: (identifier) @name) @symbol.variable @wrapped) @wrapper
(declaration declarator: (pointer_declarator declarator: (identifier) @name) @symbol.variable @wrapped) @wrapper
(declaration type: [(struct_specifier body: (_)) (enum_specifier body: (_)) (union_specifier body: (_))] @wrapped) @wrapper

(preproc_def name: (identifier) @name) @symbol.constant
(preproc_function_def name: (identifier) @name) @symbol.macro
(attribute_specifier) @decorator
(comment) @comment
