((element (start_tag (attribute (attribute_name) @_id [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name]))) @symbol.section
  (#eq? @_id "id"))
(comment) @comment
