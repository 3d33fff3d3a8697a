(function_definition name: (name) @name body: (compound_statement) @body) @symbol.function
(class_declaration name: (name) @name body: (declaration_list) @body) @symbol.class
(interface_declaration name: (name) @name body: (declaration_list) @body) @symbol.interface
(trait_declaration name: (name) @name body: (declaration_list) @body) @symbol.trait
(enum_declaration name: (name) @name body: (enum_declaration_list) @body) @symbol.enum
(enum_case name: (name) @name) @symbol.enum_member
(method_declaration name: (name) @name) @symbol.method
(method_declaration name: (name) @name body: (compound_statement) @body) @symbol.method
(namespace_definition name: (namespace_name) @name body: (compound_statement) @body) @symbol.namespace
(namespace_definition name: (namespace_name) @name !body) @symbol.namespace @extends_to_end
(const_declaration (const_element (name) @name) @symbol.constant @wrapped) @wrapper
(property_declaration (property_element name: (variable_name (name) @name)) @symbol.property @wrapped) @wrapper
(property_promotion_parameter name: (variable_name (name) @name)) @symbol.property @promoted
(expression_statement (assignment_expression left: (variable_name (name) @name)
  right: [(arrow_function body: (_) @body) (anonymous_function body: (_) @body)]) @symbol.function @wrapped) @wrapper
(program (expression_statement (assignment_expression left: (variable_name (name) @name)) @symbol.variable @wrapped) @wrapper)
((function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name)))) @symbol.constant
  (#eq? @_define "define"))
(attribute_list) @decorator
(comment) @comment
