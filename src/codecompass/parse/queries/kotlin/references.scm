(import (qualified_identifier) @import.path) @import
(import (qualified_identifier) @import.module "*" @import.wildcard) @import
(import (qualified_identifier) (identifier) @import.alias)

(call_expression . (identifier) @ref.call)
(call_expression . (navigation_expression (identifier) @ref.call .))
(constructor_invocation (user_type (identifier) @ref.call))
(user_type (identifier) @ref.type)
(delegation_specifier (user_type (identifier) @ref.inherit))
(delegation_specifier (constructor_invocation (user_type (identifier) @ref.inherit)))
(annotation (user_type (identifier) @ref.decorate))
(annotation (constructor_invocation (user_type (identifier) @ref.decorate)))
(type_parameter (identifier) @local.type)
