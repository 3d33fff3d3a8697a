((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @symbol.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body) @symbol.protocol
  (#eq? @_def "defprotocol"))
((call target: (identifier) @_def (arguments . (alias) (keywords (pair value: (alias) @name))) (do_block) @body) @symbol.impl
  (#eq? @_def "defimpl"))
((call target: (identifier) @_def
  (arguments . [(identifier) @name
                (call target: (identifier) @name)
                (binary_operator left: [(call target: (identifier) @name) (identifier) @name])])) @symbol.function
  (#any-of? @_def "def" "defp" "defguard" "defguardp" "defdelegate" "defn"))
((call target: (identifier) @_def (arguments) (do_block) @body)
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))
((call target: (identifier) @_def (arguments (keywords (pair key: (keyword) @_do value: (_) @body) .)))
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop") (#match? @_do "^do:"))
((call target: (identifier) @_def
  (arguments . [(identifier) @name
                (call target: (identifier) @name)
                (binary_operator left: (call target: (identifier) @name))])) @symbol.macro
  (#any-of? @_def "defmacro" "defmacrop"))
((call target: (identifier) @_test (arguments . (string) @name) (do_block) @body) @symbol.function
  (#any-of? @_test "test" "describe"))
((unary_operator operator: "@" operand: (call target: (identifier) @_type (arguments (binary_operator left: [(identifier) @name (call target: (identifier) @name)])))) @symbol.type
  (#any-of? @_type "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_callback (arguments (binary_operator left: (call target: (identifier) @name))))) @symbol.method
  (#any-of? @_callback "callback" "macrocallback"))
((do_block (unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))) @symbol.constant)
  (#not-match? @name "^(typep?|opaque|(macro)?callback|(module|type)?doc|spec|impl|behaviour|deprecated|since|dialyzer|compile|derive|enforce_keys|optional_callbacks|(before|after)_compile|on_load|external_resource)$"))
((unary_operator operator: "@" operand: (call target: (identifier) @_attribute)) @decorator
  (#any-of? @_attribute "doc" "spec" "impl" "deprecated" "since" "dialyzer" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_doc (arguments (string) @doc)))
  (#any-of? @_doc "doc" "moduledoc" "typedoc"))
(comment) @comment
