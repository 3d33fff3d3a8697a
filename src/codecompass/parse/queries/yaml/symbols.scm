(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @symbol.key)))
(document (block_node (block_mapping (block_mapping_pair key: (_) value: (block_node (block_mapping)) @body))))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (_) @name) @symbol.key))))))
(comment) @comment
