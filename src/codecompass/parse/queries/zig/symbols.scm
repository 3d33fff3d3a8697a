(function_declaration name: (identifier) @name) @symbol.function
(function_declaration name: (identifier) @name body: (block) @body) @symbol.function
(variable_declaration . (identifier) @name (struct_declaration "struct" @body_after)) @symbol.struct
(variable_declaration . (identifier) @name (union_declaration "union" @body_after)) @symbol.struct
(variable_declaration . (identifier) @name (opaque_declaration "opaque" @body_after)) @symbol.struct
(variable_declaration . (identifier) @name (enum_declaration "enum" @body_after)) @symbol.enum
(variable_declaration . (identifier) @name (error_set_declaration "error" @body_after)) @symbol.enum
(source_file (variable_declaration "const" . (identifier) @name) @symbol.constant)
(source_file (variable_declaration "var" . (identifier) @name) @symbol.variable)
(struct_declaration (variable_declaration "const" . (identifier) @name) @symbol.constant)
(struct_declaration (variable_declaration "var" . (identifier) @name) @symbol.variable)
(struct_declaration (container_field name: (identifier) @name) @symbol.field)
(union_declaration (container_field name: (identifier) @name) @symbol.field)
(enum_declaration (container_field name: (identifier) @name) @symbol.enum_member)
(error_set_declaration (identifier) @name @symbol.enum_member)
(test_declaration (string) @name (block) @body) @symbol.function
(comment) @comment
