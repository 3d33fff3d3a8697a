(class_declaration name: (identifier) @name body: (declaration_list) @body) @symbol.class
(record_declaration name: (identifier) @name) @symbol.class
(record_declaration (parameter_list (parameter name: (identifier) @name) @symbol.property))
(record_declaration name: (identifier) @name body: (declaration_list) @body) @symbol.class
(struct_declaration name: (identifier) @name body: (declaration_list) @body) @symbol.struct
(interface_declaration name: (identifier) @name body: (declaration_list) @body) @symbol.interface
(enum_declaration name: (identifier) @name body: (enum_member_declaration_list) @body) @symbol.enum
(enum_member_declaration name: (identifier) @name) @symbol.enum_member
(delegate_declaration name: (identifier) @name) @symbol.type
(namespace_declaration name: (_) @name body: (declaration_list) @body) @symbol.namespace
(file_scoped_namespace_declaration name: (_) @name) @symbol.namespace @extends_to_end
(method_declaration name: (identifier) @name) @symbol.method
(method_declaration name: (identifier) @name body: (_) @body) @symbol.method
(constructor_declaration name: (identifier) @name body: (_) @body) @symbol.constructor
(destructor_declaration name: (identifier) @name body: (_) @body) @symbol.method
(operator_declaration operator: _ @name body: (_) @body) @symbol.method
(conversion_operator_declaration type: (_) @name body: (_) @body) @symbol.method
(local_function_statement name: (identifier) @name body: (_) @body) @symbol.function
(property_declaration name: (identifier) @name) @symbol.property
(property_declaration name: (identifier) @name accessors: (accessor_list (accessor_declaration body: (_))) @body) @symbol.property
(property_declaration name: (identifier) @name value: (arrow_expression_clause) @body) @symbol.property
(indexer_declaration "this" @name value: (_) @body) @symbol.property
(indexer_declaration "this" @name accessors: (_) @body) @symbol.property
(event_declaration name: (identifier) @name) @symbol.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name) @symbol.field))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name) @symbol.field))
((field_declaration (modifier) @_const (variable_declaration (variable_declarator) @symbol.constant))
  (#eq? @_const "const"))
(compilation_unit (global_statement (local_declaration_statement (variable_declaration (variable_declarator name: (identifier) @name) @symbol.variable @wrapped)) @wrapper))
(global_statement (local_function_statement) @wrapped) @wrapper

(variable_declaration (variable_declarator) @wrapped) @wrapper
(field_declaration (variable_declaration) @wrapped) @wrapper
(event_field_declaration (variable_declaration) @wrapped) @wrapper
(attribute_list) @decorator
(comment) @comment
