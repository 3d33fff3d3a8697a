((call !receiver method: (identifier) @_require arguments: (argument_list . (string (string_content) @import.module))) @import
  (#any-of? @_require "require" "require_relative" "load"))
((call !receiver method: (identifier) @_autoload arguments: (argument_list . (simple_symbol) @import.bound (string (string_content) @import.module))) @import
  (#eq? @_autoload "autoload"))
(call method: (_) @ref.call)
(superclass (constant) @ref.inherit)
(superclass (scope_resolution name: (constant) @ref.inherit))
((call method: (identifier) @_mixin arguments: (argument_list [(constant) @ref.inherit (scope_resolution name: (constant) @ref.inherit)]))
  (#any-of? @_mixin "include" "extend" "prepend"))
(assignment left: (instance_variable) @ref.write)
