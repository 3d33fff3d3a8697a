(namespace_use_declaration) @import
(namespace_use_declaration (namespace_use_clause [(qualified_name) (name)] @import.path))
(namespace_use_declaration (namespace_name) @import.prefix body: (namespace_use_group) @import.group)
(namespace_use_group (namespace_use_clause . [(qualified_name) (name)] @import.path))
(namespace_use_clause alias: (name) @import.alias)
(require_expression (string (string_content) @import.module)) @import
(require_once_expression (string (string_content) @import.module)) @import
(include_expression (string (string_content) @import.module)) @import
(include_once_expression (string (string_content) @import.module)) @import

(function_call_expression function: (name) @ref.call)
(function_call_expression function: (qualified_name (name) @ref.call))
(member_call_expression name: (name) @ref.call)
(nullsafe_member_call_expression name: (name) @ref.call)
(scoped_call_expression name: (name) @ref.call)
(object_creation_expression (name) @ref.call)
(object_creation_expression (qualified_name (name) @ref.call))
(named_type (name) @ref.type)
(named_type (qualified_name (name) @ref.type))
(base_clause (name) @ref.inherit)
(base_clause (qualified_name (name) @ref.inherit))
(class_interface_clause (name) @ref.inherit)
(class_interface_clause (qualified_name (name) @ref.inherit))
(use_declaration (name) @ref.inherit)
(use_declaration (qualified_name (name) @ref.inherit))
(attribute (name) @ref.decorate)
(scoped_call_expression scope: (name) @ref.type)
(class_constant_access_expression . (name) @ref.type)
(assignment_expression left: (member_access_expression name: (name) @ref.write))
