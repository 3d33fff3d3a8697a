; Imports and re-exports.
(import_statement) @import
(import_statement source: (string) @import.module)
(import_clause (identifier) @import.default)
(namespace_import (identifier) @import.namespace)
(import_specifier name: (_) @import.name)
(import_specifier alias: (identifier) @import.alias)
(export_statement source: (string) @import.module) @import @import.re_export
(export_statement (export_clause (export_specifier name: (_) @import.name)) source: (string))
(export_statement (export_clause (export_specifier alias: (_) @import.alias)) source: (string))
(export_statement "*" @import.wildcard source: (string))
(export_statement (namespace_export (_) @import.namespace))
(call_expression function: (import) arguments: (arguments . (string) @import.module)) @import @import.dynamic
((variable_declarator name: (identifier) @import.bound
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))) @import
  (#eq? @_require "require"))
((variable_declarator name: (object_pattern [
    (shorthand_property_identifier_pattern) @import.name
    (pair_pattern key: (_) @import.name value: (identifier) @import.alias)])
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))) @import
  (#eq? @_require "require"))
((expression_statement (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.module))) @import
  (#eq? @_require "require"))

; Uses.
(assignment_expression left: (identifier) @ref.write)
(assignment_expression left: (member_expression property: (property_identifier) @ref.write))
(augmented_assignment_expression left: (identifier) @ref.write)
(augmented_assignment_expression left: (member_expression property: (property_identifier) @ref.write))
(update_expression argument: (identifier) @ref.write)
(call_expression function: (identifier) @ref.call)
(call_expression function: (member_expression property: (_) @ref.call))
(new_expression constructor: (identifier) @ref.call)
(new_expression constructor: (member_expression property: (property_identifier) @ref.call))
(decorator (identifier) @ref.decorate)
(decorator (member_expression property: (property_identifier) @ref.decorate))
(decorator (call_expression function: (identifier) @ref.decorate))
(decorator (call_expression function: (member_expression property: (property_identifier) @ref.decorate)))
