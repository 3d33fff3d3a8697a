(create_table (object_reference) @name) @symbol.struct
(create_view (object_reference) @name) @symbol.type
(create_materialized_view (object_reference) @name) @symbol.type
(create_function (object_reference) @name) @symbol.function
(create_type (object_reference) @name) @symbol.type
(create_index column: (identifier) @name) @symbol.key
(create_trigger (object_reference) @name) @symbol.function
(comment) @comment
(marginalia) @comment
