(identifier) @ref.read
(constant) @ref.read
(instance_variable) @ref.read
(scope_resolution name: (constant) @ref.read)

; Names that a function binds for itself: uses of them are local.
(method_parameters (identifier) @local)
(method_parameters [(optional_parameter name: (identifier) @local)
                    (keyword_parameter name: (identifier) @local)
                    (splat_parameter name: (identifier) @local)
                    (hash_splat_parameter name: (identifier) @local)
                    (block_parameter name: (identifier) @local)])
(block_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(exception_variable (identifier) @local)
