(from_instruction as: (image_alias) @name) @symbol.section
(arg_instruction name: (_) @name) @symbol.variable
(env_instruction (env_pair name: (_) @name) @symbol.variable @wrapped) @wrapper
(comment) @comment
