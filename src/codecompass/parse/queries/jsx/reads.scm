; The names of HTML elements and closing tags refer to nothing.
((jsx_opening_element name: (identifier) @skip) (#match? @skip "^[a-z]"))
((jsx_self_closing_element name: (identifier) @skip) (#match? @skip "^[a-z]"))
(jsx_closing_element name: (identifier) @skip)
