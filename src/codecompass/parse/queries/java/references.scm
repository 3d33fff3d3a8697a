(import_declaration (scoped_identifier) @import.path .) @import
(import_declaration (identifier) @import.path .) @import
(import_declaration (scoped_identifier) @import.module (asterisk) @import.wildcard) @import
(import_declaration (identifier) @import.module (asterisk) @import.wildcard) @import

(method_invocation name: (identifier) @ref.call)
(object_creation_expression type: (type_identifier) @ref.call)
(object_creation_expression type: (generic_type (type_identifier) @ref.call))
(object_creation_expression type: (scoped_type_identifier (type_identifier) @ref.call .))
(method_reference (identifier) @ref.call .)
(type_identifier) @ref.type
(superclass (type_identifier) @ref.inherit)
(superclass (generic_type (type_identifier) @ref.inherit))
(super_interfaces (type_list (type_identifier) @ref.inherit))
(super_interfaces (type_list (generic_type (type_identifier) @ref.inherit)))
(extends_interfaces (type_list (type_identifier) @ref.inherit))
(extends_interfaces (type_list (generic_type (type_identifier) @ref.inherit)))
(marker_annotation name: (identifier) @ref.decorate)
(annotation name: (identifier) @ref.decorate)
(assignment_expression left: (field_access field: (identifier) @ref.write))
(type_parameter (type_identifier) @local.type)
