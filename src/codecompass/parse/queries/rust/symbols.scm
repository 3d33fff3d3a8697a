(function_item name: (identifier) @name body: (block) @body) @symbol.function
(function_signature_item name: (identifier) @name) @symbol.function
(struct_item name: (type_identifier) @name) @symbol.struct
(struct_item name: (type_identifier) @name body: (field_declaration_list) @body) @symbol.struct
(union_item name: (type_identifier) @name body: (_) @body) @symbol.struct
(enum_item name: (type_identifier) @name body: (enum_variant_list) @body) @symbol.enum
(enum_variant name: (identifier) @name) @symbol.enum_member
(field_declaration name: (field_identifier) @name) @symbol.field
(trait_item name: (type_identifier) @name body: (declaration_list) @body) @symbol.trait
(impl_item type: [(type_identifier) @name
                  (generic_type type: (type_identifier) @name)
                  (scoped_type_identifier name: (type_identifier) @name)
                  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
                  (reference_type) @name (primitive_type) @name (tuple_type) @name
                  (array_type) @name (dynamic_type) @name (pointer_type) @name]
  body: (declaration_list) @body) @symbol.impl
(mod_item name: (identifier) @name body: (declaration_list) @body) @symbol.module
(type_item name: (type_identifier) @name) @symbol.type
(associated_type name: (type_identifier) @name) @symbol.type
(const_item name: (identifier) @name) @symbol.constant
(static_item name: (identifier) @name) @symbol.variable
(macro_definition name: (identifier) @name) @symbol.macro
(attribute_item) @decorator

; Items inside a macro's braces (`cfg_rt! { pub fn spawn() {} }`) are parsed on their own.
(source_file (macro_invocation (token_tree) @injection))
(source_file (expression_statement (macro_invocation (token_tree) @injection)))
(declaration_list (macro_invocation (token_tree) @injection))
(line_comment) @comment
(block_comment) @comment
