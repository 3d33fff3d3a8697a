(from_instruction as: (image_alias) @name) @symbol.section
(arg_instruction (arg_pair name: (_) @name) @symbol.variable @wrapped) @wrapper
(env_instruction (env_pair name: (_) @name) @symbol.variable @wrapped) @wrapper
(comment) @comment
