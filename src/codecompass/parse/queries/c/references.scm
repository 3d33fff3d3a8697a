(preproc_include path: (_) @import.module @import.wildcard) @import
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression field: (field_identifier) @ref.call))
(type_identifier) @ref.type
(assignment_expression left: (field_expression field: (field_identifier) @ref.write))
