(stylesheet (rule_set (selectors) @name (block) @body) @symbol.key)
(media_statement (block (rule_set (selectors) @name (block) @body) @symbol.key))
(keyframes_statement (keyframes_name) @name) @symbol.key
(comment) @comment
