(class_declaration name: (identifier) @name (class_body) @body) @symbol.class
(class_declaration name: (identifier) @name) @symbol.class
(class_declaration "interface" name: (identifier) @name) @symbol.interface
(class_declaration name: (identifier) @name (enum_class_body) @body) @symbol.enum
(object_declaration name: (identifier) @name) @symbol.class
(object_declaration name: (identifier) @name (class_body) @body) @symbol.class
(companion_object !name "companion" @name (class_body) @body) @symbol.class
(companion_object name: (identifier) @name (class_body) @body) @symbol.class
(enum_entry (identifier) @name) @symbol.enum_member
(function_declaration name: (identifier) @name) @symbol.function
(function_declaration name: (identifier) @name (function_body) @body) @symbol.function
(secondary_constructor "constructor" @name) @symbol.constructor
(secondary_constructor "constructor" @name (block) @body) @symbol.constructor
(property_declaration (variable_declaration . (identifier) @name)) @symbol.property
(class_parameter ["val" "var"] (identifier) @name) @symbol.property
(type_alias type: (identifier) @name) @symbol.type
(annotation) @decorator
(line_comment) @comment
(block_comment) @comment
