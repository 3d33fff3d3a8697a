(config_file (body (block . (identifier) @name . (block_start)) @symbol.section))
(config_file (body (block . (identifier) @owner . (string_lit (template_literal) @name) . (block_start)) @symbol.section))
(config_file (body (block . (identifier) . (string_lit (template_literal) @owner) . (string_lit (template_literal) @name)) @symbol.section))
(config_file (body (attribute (identifier) @name) @symbol.key))
(comment) @comment
