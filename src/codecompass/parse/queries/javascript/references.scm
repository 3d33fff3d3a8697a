(class_heritage (identifier) @ref.inherit)
(class_heritage (member_expression property: (property_identifier) @ref.inherit))
