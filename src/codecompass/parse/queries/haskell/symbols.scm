(signature name: (_) @name) @symbol.function @equation
(function name: (_) @name) @symbol.function @equation
(function name: (_) (match) @body)
(function (infix operator: (_) @name) (match) @body) @symbol.function @equation
(bind name: (variable) @name match: (match) @body) @symbol.function @equation
(data_type name: (_) @name) @symbol.type
(newtype name: (_) @name) @symbol.type
(type_synonym name: (_) @name) @symbol.type
(type_family name: (_) @name) @symbol.type
(data_constructor constructor: (prefix name: (_) @name)) @symbol.enum_member
(data_constructor constructor: (record name: (_) @name)) @symbol.enum_member
(gadt_constructor name: (_) @name) @symbol.enum_member
(field name: (field_name (variable) @name)) @symbol.field
(class name: (_) @name) @symbol.class
(class name: (_) declarations: (_) @body)
(instance name: (_) @name) @symbol.impl
(instance name: (_) declarations: (_) @body)
(foreign_import (signature) @wrapped) @wrapper
(header) @statement.export
(haddock) @comment
(comment) @comment
