((command name: (command_name (word) @_source) . argument: (_) @import.module) @import
  (#any-of? @_source "source" "."))
(command name: (command_name (word) @ref.call))
