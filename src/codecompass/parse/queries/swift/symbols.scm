(class_declaration declaration_kind: "class" name: (_) @name body: (_) @body) @symbol.class
(class_declaration declaration_kind: "actor" name: (_) @name body: (_) @body) @symbol.class
(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @body) @symbol.struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @body) @symbol.enum
(class_declaration declaration_kind: "extension" name: (_) @name body: (_) @body) @symbol.impl
(protocol_declaration name: (_) @name body: (protocol_body) @body) @symbol.protocol
(enum_entry name: (simple_identifier) @name @symbol.enum_member @wrapped) @wrapper
(function_declaration name: _ @name body: (function_body) @body) @symbol.function
(protocol_function_declaration name: _ @name) @symbol.method
(init_declaration name: "init" @name body: (function_body) @body) @symbol.constructor
(protocol_body (init_declaration name: "init" @name) @symbol.constructor)
(deinit_declaration "deinit" @name body: (function_body) @body) @symbol.method
(subscript_declaration "subscript" @name (computed_property) @body) @symbol.method
(property_declaration name: (pattern bound_identifier: (simple_identifier) @name) @symbol.property @wrapped) @wrapper
(property_declaration name: (pattern) @symbol.property computed_value: (computed_property) @body)
(source_file (property_declaration name: (pattern (pattern bound_identifier: (simple_identifier) @name) @symbol.variable @wrapped)) @wrapper)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @symbol.property
(typealias_declaration . "typealias" name: (type_identifier) @name) @symbol.type
(typealias_declaration (modifiers) name: (type_identifier) @name) @symbol.type
(associatedtype_declaration name: (type_identifier) @name) @symbol.type
(attribute) @decorator
(comment) @comment
(multiline_comment) @comment
