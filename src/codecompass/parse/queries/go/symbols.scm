(function_declaration name: (identifier) @name body: (block) @body) @symbol.function
(function_declaration name: (identifier) @name !body) @symbol.function
(method_declaration name: (field_identifier) @name body: (block) @body) @symbol.method
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @owner
  (pointer_type (type_identifier) @owner)
  (generic_type type: (type_identifier) @owner)
  (pointer_type (generic_type type: (type_identifier) @owner))])))
(short_var_declaration left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal body: (block) @body) .)) @symbol.function

(type_spec name: (type_identifier) @name) @symbol.type
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @symbol.struct
(type_spec name: (type_identifier) @name type: (interface_type "interface" @body_after)) @symbol.interface
(type_alias name: (type_identifier) @name) @symbol.type
(field_declaration name: (field_identifier) @name @symbol.field @wrapped) @wrapper
(method_elem name: (field_identifier) @name) @symbol.method

; by position: the grammar gives the field `name` to the first of `const X, Y = 1, 2` only
(const_spec (identifier) @name @symbol.constant @wrapped) @wrapper
(source_file (var_declaration (var_spec name: (identifier) @name @symbol.variable @wrapped) @wrapper))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name @symbol.variable @wrapped) @wrapper)))

(type_declaration [(type_spec) (type_alias)] @wrapped) @wrapper
(const_declaration (const_spec) @wrapped) @wrapper
(var_declaration (var_spec) @wrapped) @wrapper
(var_declaration (var_spec_list (var_spec) @wrapped)) @wrapper
(comment) @comment
