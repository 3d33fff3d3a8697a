(class_declaration name: (identifier) @name body: (class_body) @body) @symbol.class
(interface_declaration name: (identifier) @name body: (interface_body) @body) @symbol.interface
(enum_declaration name: (identifier) @name body: (enum_body) @body) @symbol.enum
(record_declaration name: (identifier) @name body: (class_body) @body) @symbol.class
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @symbol.field))
(record_declaration parameters: (formal_parameters (spread_parameter (variable_declarator name: (identifier) @name)) @symbol.field))
(annotation_type_declaration name: (identifier) @name body: (annotation_type_body) @body) @symbol.interface
(enum_constant name: (identifier) @name) @symbol.enum_member
(enum_constant name: (identifier) @name body: (class_body) @body) @symbol.enum_member
(method_declaration name: (identifier) @name) @symbol.method
(method_declaration name: (identifier) @name body: (block) @body) @symbol.method
(annotation_type_element_declaration name: (identifier) @name) @symbol.method
(constructor_declaration name: (identifier) @name body: (constructor_body) @body) @symbol.constructor
(compact_constructor_declaration name: (identifier) @name body: (block) @body) @symbol.constructor
(class_body (field_declaration (variable_declarator name: (identifier) @name) @symbol.field))
(enum_body_declarations (field_declaration (variable_declarator name: (identifier) @name) @symbol.field))
(interface_body (constant_declaration (variable_declarator name: (identifier) @name) @symbol.constant))
(field_declaration (variable_declarator) @wrapped) @wrapper
(constant_declaration (variable_declarator) @wrapped) @wrapper
(module_declaration name: (_) @name body: (module_body) @body) @symbol.module
(marker_annotation) @decorator
(annotation) @decorator
(line_comment) @comment
(block_comment) @comment
