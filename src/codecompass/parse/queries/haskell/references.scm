(import) @import
(import module: (module) @import.module)
(import alias: (module) @import.bound)
(import !names !alias module: (module) @import.wildcard)
(import names: (import_list name: (import_name [(variable) (name)] @import.name)))
(export variable: (variable) @ref.export @export.name)
(export type: (name) @ref.export @export.name)
(apply function: (variable) @ref.call)
(apply function: (qualified id: (variable) @ref.call))
(infix operator: (_) @ref.call)
(name) @ref.type
(instance name: (name) @ref.inherit)
(deriving classes: (tuple (name) @ref.inherit))
