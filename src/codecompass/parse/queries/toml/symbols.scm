(table . [(bare_key) (dotted_key) (quoted_key)] @name) @symbol.section
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @symbol.section
(pair . [(bare_key) (dotted_key) (quoted_key)] @name) @symbol.key
(comment) @comment
