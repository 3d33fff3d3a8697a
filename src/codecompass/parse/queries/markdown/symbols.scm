(section (atx_heading heading_content: (inline) @name) @body_after) @symbol.section
(setext_heading heading_content: (paragraph) @name) @symbol.section
