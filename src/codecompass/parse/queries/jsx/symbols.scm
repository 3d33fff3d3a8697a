; Markup makes a capitalised function a component; using one is a call.
(jsx_element) @markup
(jsx_self_closing_element) @markup
((jsx_opening_element name: (identifier) @ref.call) (#match? @ref.call "^[A-Z]"))
((jsx_self_closing_element name: (identifier) @ref.call) (#match? @ref.call "^[A-Z]"))
