(class_definition name: (_) @name) @symbol.class
(class_definition name: (_) @name body: (template_body) @body) @symbol.class
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (_) @name) @symbol.property))
(class_parameter ["val" "var"] name: (_) @name) @symbol.property
(object_definition name: (_) @name) @symbol.class
(object_definition name: (_) @name body: (template_body) @body) @symbol.class
(package_object name: (_) @name body: (template_body) @body) @symbol.module
(trait_definition name: (_) @name) @symbol.trait
(trait_definition name: (_) @name body: (template_body) @body) @symbol.trait
(enum_definition name: (_) @name body: (enum_body) @body) @symbol.enum
(simple_enum_case name: (_) @name) @symbol.enum_member
(full_enum_case name: (_) @name) @symbol.enum_member
(enum_case_definitions [(simple_enum_case) (full_enum_case)] @wrapped) @wrapper
(function_definition name: (_) @name body: (_) @body) @symbol.function
(function_declaration name: (_) @name) @symbol.function
(val_definition pattern: (identifier) @name) @symbol.constant
(val_declaration name: (identifier) @name) @symbol.constant
(var_definition pattern: (identifier) @name) @symbol.variable
(var_declaration name: (identifier) @name) @symbol.variable
(val_definition pattern: (identifier) @name value: (lambda_expression (_) @body .)) @symbol.function
(type_definition name: (type_identifier) @name) @symbol.type
(given_definition name: (_) @name) @symbol.constant
(given_definition name: (_) @name body: (_) @body) @symbol.constant
(annotation) @decorator
(comment) @comment
(block_comment) @comment
