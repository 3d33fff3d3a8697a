(function_definition declarator: (function_declarator declarator: (_) @name) body: [(compound_statement) (try_statement)] @body) @symbol.function
(function_definition declarator: (function_declarator declarator: (_) @name) (default_method_clause)) @symbol.function
(function_definition declarator: (function_declarator declarator: (_) @name) (delete_method_clause)) @symbol.function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name)) body: (_) @body) @symbol.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name)) body: (_) @body) @symbol.function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name)) [(delete_method_clause) (default_method_clause)]) @symbol.function
(function_definition declarator: (operator_cast) @name body: (_) @body) @symbol.function
(declaration declarator: (function_declarator declarator: [(identifier) (qualified_identifier) (operator_name)] @name)) @symbol.function
(declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @symbol.function
(declaration declarator: (reference_declarator (function_declarator declarator: (identifier) @name))) @symbol.function
((field_declaration declarator: (function_declarator declarator: (_) @name)) @symbol.method
  (#not-match? @name "^\\("))
((field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @symbol.method
  (#not-match? @name "^\\("))
(field_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name)))) @symbol.method
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name))) @symbol.field @wrapped) @wrapper
(field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))) @symbol.field @wrapped) @wrapper
(field_declaration declarator: (reference_declarator (function_declarator declarator: (_) @name))) @symbol.method
(field_declaration_list (declaration declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @symbol.method)

(class_specifier name: (_) @name body: (field_declaration_list) @body) @symbol.class
(struct_specifier name: (_) @name body: (field_declaration_list) @body) @symbol.struct
(union_specifier name: (_) @name body: (field_declaration_list) @body) @symbol.struct
(enum_specifier name: (_) @name body: (enumerator_list) @body) @symbol.enum
(enumerator name: (identifier) @name) @symbol.enum_member
(field_declaration declarator: (field_identifier) @name @symbol.field @wrapped) @wrapper
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name) @symbol.field @wrapped) @wrapper
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name) @symbol.field @wrapped) @wrapper
(field_declaration declarator: (reference_declarator (field_identifier) @name) @symbol.field @wrapped) @wrapper
(field_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name)) @symbol.field @wrapped) @wrapper
(field_declaration declarator: (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name)) @symbol.field @wrapped) @wrapper
(namespace_definition name: (_) @name body: (declaration_list) @body) @symbol.namespace
(alias_declaration name: (type_identifier) @name) @symbol.type
(concept_definition name: (identifier) @name) @symbol.type
(type_definition type: (_) declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))]) @symbol.type
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @symbol.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @symbol.enum

(template_declaration (_) @wrapped .) @wrapper
(declaration type: [(class_specifier body: (_)) (struct_specifier body: (_)) (enum_specifier body: (_)) (union_specifier body: (_))] @wrapped) @wrapper
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name) @symbol.variable @wrapped) @wrapper)
(translation_unit (declaration declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name)) @symbol.variable @wrapped) @wrapper)
(translation_unit (declaration declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name)) @symbol.variable @wrapped) @wrapper)
(translation_unit (declaration declarator: (identifier) @name @symbol.variable @wrapped) @wrapper)
(translation_unit (declaration declarator: (array_declarator declarator: (identifier) @name) @symbol.variable @wrapped) @wrapper)
(declaration_list (declaration declarator: (init_declarator declarator: (identifier) @name) @symbol.variable @wrapped) @wrapper)
(declaration_list (declaration declarator: (identifier) @name @symbol.variable @wrapped) @wrapper)

(preproc_def name: (identifier) @name) @symbol.constant
(preproc_function_def name: (identifier) @name) @symbol.macro
(attribute_declaration) @decorator
(comment) @comment
