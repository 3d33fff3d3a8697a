(class_declaration name: (type_identifier) @name body: (class_body) @body) @symbol.class
(abstract_class_declaration name: (type_identifier) @name body: (class_body) @body) @symbol.class
(abstract_class_declaration (decorator) @decorator)
((class_declaration name: (type_identifier) @name
  (class_heritage (extends_clause value: (_) @_base)) body: (class_body) @body) @symbol.component
  (#match? @_base "^(React\\.)?(Pure)?Component$"))
(interface_declaration name: (type_identifier) @name body: (interface_body) @body) @symbol.interface
(type_alias_declaration name: (type_identifier) @name) @symbol.type
(enum_declaration name: (identifier) @name body: (enum_body) @body) @symbol.enum
(enum_body name: (_) @name @symbol.enum_member)
(enum_body (enum_assignment name: (_) @name) @symbol.enum_member)
(internal_module name: (_) @name body: (statement_block) @body) @symbol.namespace
(module name: (_) @name body: (statement_block) @body) @symbol.module
(function_signature name: (identifier) @name) @symbol.function
(method_signature name: (_) @name) @symbol.method
(abstract_method_signature name: (_) @name) @symbol.method
(interface_body (property_signature name: (_) @name) @symbol.property)
(public_field_definition name: (_) @name) @symbol.property
(public_field_definition name: (_) @name value: (arrow_function body: (_) @body)) @symbol.method
(public_field_definition (decorator) @decorator)
(class_body (decorator) @decorator)
(formal_parameters [
  (required_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @name)
  (optional_parameter [(accessibility_modifier) (override_modifier) "readonly"] pattern: (identifier) @name)
] @symbol.property @promoted)

; Variables inside namespaces and ambient declarations.
(internal_module body: (statement_block (lexical_declaration (variable_declarator name: (identifier) @name) @symbol.constant)))
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @symbol.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @symbol.variable))

; Statements around definitions.
(ambient_declaration (_) @wrapped) @wrapper
(ambient_declaration "global" @name (statement_block) @body) @symbol.namespace
(expression_statement (internal_module) @wrapped) @wrapper
(export_statement "=" (identifier) @export.name @ref.export)
