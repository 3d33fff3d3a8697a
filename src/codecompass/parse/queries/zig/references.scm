((variable_declaration . (identifier) @import.bound (builtin_function (builtin_identifier) @_import (arguments (string) @import.module))) @import
  (#eq? @_import "@import"))
((using_namespace_declaration (builtin_function (builtin_identifier) @_import (arguments (string) @import.module @import.wildcard))) @import
  (#eq? @_import "@import"))
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression member: (identifier) @ref.call))
(parameter type: (identifier) @ref.type)
(parameter type: (pointer_type (identifier) @ref.type))
(parameter type: (nullable_type (identifier) @ref.type))
(function_declaration type: (identifier) @ref.type)
(function_declaration type: (error_union_type ok: (identifier) @ref.type))
(container_field type: (identifier) @ref.type)
(assignment_expression left: (field_expression member: (identifier) @ref.write))
