"""The table of languages: one row each.

A language is data: this row plus the query files in `queries/<folder>/`. Nothing
outside `parse/` branches on a language's name.
"""

from codecompass.parse.language import CLASS_NAME, ExportRule, Language, PlainNames


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _grammar(name: str, function: str = "language") -> tuple[str, str]:
    return (f"tree_sitter_{name}", function)


_CHARACTERS = '"'  # the only quotes of strings, where ' is for characters
_ECMA_MODIFIERS = _words(
    "export default async static abstract private protected public readonly override declare"
    " get set accessor"
)
_ECMA_SILENT = _words("this super undefined arguments")
_C_MODIFIERS = _words(
    "static inline extern const constexpr consteval virtual explicit friend mutable volatile"
)
_C_TRANSPARENT = _words(
    "preproc_if preproc_ifdef preproc_else preproc_elif preproc_elifdef linkage_specification"
    " declaration_list"
)

LANGUAGES: tuple[Language, ...] = (
    Language(
        name="python",
        scanner="indentation",
        is_never_empty=True,
        walker="python",
        label="Python",
        suffixes=(".py", ".pyi", ".pyw"),
        filenames=("SConstruct", "SConscript", "wscript"),
        interpreters=("python", "python2", "python3"),
        grammar=_grammar("python"),
        queries=("python",),
        exports=ExportRule.PYTHON,
        modifiers=_words("async"),
        constructors=_words("__init__ __new__"),
        comments_document=False,
        silent_names=_words("self cls None True False _"),
        module_binds="first",
    ),
    Language(
        name="typescript",
        repairs=("call_signatures", "import_types", "await_using", "using"),
        walker="typescript",
        label="TypeScript",
        suffixes=(".ts", ".mts", ".cts"),
        grammar=_grammar("typescript", "language_typescript"),
        queries=("ecma", "typescript"),
        comment="//",
        exports=ExportRule.STATEMENT,
        modifiers=_ECMA_MODIFIERS,
        constructors=_words("constructor"),
        silent_names=_ECMA_SILENT,
        interpreters=("deno", "ts-node", "tsx"),
    ),
    Language(
        name="tsx",
        walker="typescript",
        label="TypeScript",
        suffixes=(".tsx",),
        grammar=_grammar("typescript", "language_tsx"),
        queries=("ecma", "typescript", "jsx"),
        repairs=("import_types", "await_using", "using"),
        comment="//",
        exports=ExportRule.STATEMENT,
        modifiers=_ECMA_MODIFIERS,
        constructors=_words("constructor"),
        silent_names=_ECMA_SILENT,
    ),
    Language(
        name="javascript",
        walker="javascript",
        label="JavaScript",
        suffixes=(".js", ".jsx", ".mjs", ".cjs"),
        filenames=("Jakefile",),
        interpreters=("node", "bun"),
        grammar=_grammar("javascript"),
        queries=("ecma", "javascript", "jsx"),
        comment="//",
        exports=ExportRule.STATEMENT,
        modifiers=_ECMA_MODIFIERS,
        constructors=_words("constructor"),
        silent_names=_ECMA_SILENT,
    ),
    Language(
        name="go",
        quotes=_CHARACTERS,
        walker="go",
        label="Go",
        suffixes=(".go",),
        grammar=_grammar("go"),
        queries=("go",),
        comment="//",
        exports=ExportRule.CAPITAL,
        silent_names=_words(
            "nil true false iota _ any bool byte comparable complex64 complex128 error float32"
            " float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64"
            " uintptr"
        ),
        module_binds="last",
    ),
    Language(
        name="rust",
        has_joined_names=True,
        quotes=_CHARACTERS,
        walker="rust",
        label="Rust",
        suffixes=(".rs",),
        grammar=_grammar("rust"),
        queries=("rust",),
        separator="::",
        comment="//",
        exports=ExportRule.MODIFIER,
        export_modifiers=_words("pub"),
        modifiers=_words("pub async unsafe const extern static mut default"),
        silent_names=_words("self Self _"),
        import_splits_path=True,
    ),
    Language(
        name="java",
        quotes=_CHARACTERS,
        walker="java",
        label="Java",
        suffixes=(".java",),
        grammar=_grammar("java"),
        queries=("java",),
        comment="//",
        exports=ExportRule.MODIFIER,
        export_modifiers=_words("public"),
        modifiers=_words(
            "public private protected static final abstract synchronized native default strictfp"
            " transient volatile sealed non-sealed"
        ),
        silent_names=_words("var"),
        import_splits_path=True,
    ),
    Language(
        name="c",
        quotes=_CHARACTERS,
        repairs=("field_macros", "linkage", "class_macros", "attributes", "branches"),
        walker="c",
        label="C",
        suffixes=(".c", ".h"),
        grammar=_grammar("c"),
        queries=("c",),
        separator="::",
        has_tags=True,
        comment="//",
        modifiers=_C_MODIFIERS,
        transparent=_C_TRANSPARENT,
        silent_names=_words("NULL"),
    ),
    Language(
        name="cpp",
        has_joined_names=True,
        quotes=_CHARACTERS,
        repairs=("field_macros", "linkage", "class_macros", "attributes", "branches"),
        walker="cpp",
        label="C++",
        suffixes=(".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".tpp"),
        grammar=_grammar("cpp"),
        queries=("cpp",),
        separator="::",
        has_tags=True,
        comment="//",
        modifiers=_C_MODIFIERS | _words("override final noexcept"),
        constructors=_words(CLASS_NAME),
        import_splits_path=True,
        transparent=_C_TRANSPARENT,
        silent_names=_words("this NULL nullptr"),
    ),
    Language(
        name="csharp",
        quotes=_CHARACTERS,
        walker="csharp",
        label="C#",
        suffixes=(".cs", ".csx"),
        grammar=_grammar("c_sharp"),
        queries=("csharp",),
        comment="//",
        exports=ExportRule.MODIFIER,
        export_modifiers=_words("public"),
        modifiers=_words(
            "public private protected internal static readonly sealed abstract virtual override"
            " async partial const extern new unsafe volatile required file"
        ),
        transparent=_words("preproc_if preproc_else preproc_elif preproc_region"),
    ),
    Language(
        name="ruby",
        has_joined_names=True,
        walker="ruby",
        label="Ruby",
        suffixes=(".rb", ".rake", ".gemspec", ".ru"),
        filenames=("Gemfile", "Rakefile", "Guardfile", "Vagrantfile", "Podfile", "Fastfile"),
        interpreters=("ruby",),
        grammar=_grammar("ruby"),
        queries=("ruby",),
        separator="::",
        constructors=_words("initialize"),
        name_prefix=":",
        silent_names=_words("self super"),
    ),
    Language(
        name="php",
        opening="<?php",
        walker="php",
        label="PHP",
        suffixes=(".php", ".phtml", ".inc"),
        interpreters=("php",),
        grammar=_grammar("php", "language_php"),
        queries=("php",),
        separator="\\",
        comment="//",
        exports=ExportRule.DEFAULT,
        private_modifiers=_words("private protected"),
        modifiers=_words("public private protected static abstract final readonly"),
        constructors=_words("__construct"),
        silent_names=_words("$this parent self static"),
        import_splits_path=True,
    ),
    Language(
        name="kotlin",
        needs_line_end=True,
        quotes=_CHARACTERS,
        walker="kotlin",
        label="Kotlin",
        suffixes=(".kt", ".kts"),
        grammar=_grammar("kotlin"),
        queries=("kotlin",),
        comment="//",
        exports=ExportRule.DEFAULT,
        private_modifiers=_words("private protected internal"),
        modifiers=_words(
            "public private protected internal open abstract final sealed data inner suspend"
            " inline infix operator tailrec external override lateinit const vararg companion"
            " annotation enum value expect actual"
        ),
        silent_names=_words("it this super"),
        import_splits_path=True,
    ),
    Language(
        name="swift",
        has_joined_names=True,
        quotes=_CHARACTERS,
        label="Swift",
        suffixes=(".swift",),
        grammar=_grammar("swift"),
        queries=("swift",),
        comment="//",
        modifiers=_words(
            "public private fileprivate internal open static final override mutating"
            " nonmutating lazy weak unowned required convenience indirect async throws rethrows"
        ),
        silent_names=_words("self super"),
        plain=PlainNames(is_open=True),
    ),
    Language(
        name="scala",
        quotes=_CHARACTERS,
        label="Scala",
        suffixes=(".scala", ".sc", ".sbt"),
        grammar=_grammar("scala"),
        queries=("scala",),
        comment="//",
        modifiers=_words(
            "private protected abstract final sealed implicit lazy override case inline opaque"
            " open transparent infix given"
        ),
        silent_names=_words("this super"),
        import_splits_path=True,
        plain=PlainNames(is_open=True),
    ),
    Language(
        name="lua",
        label="Lua",
        suffixes=(".lua",),
        interpreters=("lua", "luajit"),
        grammar=_grammar("lua"),
        queries=("lua",),
        comment="--",
        modifiers=_words("local"),
        silent_names=_words("self"),
        plain=PlainNames(("{}.lua", "{}/init.lua"), has_dotted_folders=True),
    ),
    Language(
        name="bash",
        label="Bash",
        suffixes=(".sh", ".bash", ".bats", ".zsh", ".ksh"),
        filenames=(".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"),
        interpreters=("sh", "bash", "dash", "zsh", "ksh"),
        grammar=_grammar("bash"),
        queries=("bash",),
        plain=PlainNames(("{}",)),
    ),
    Language(
        name="elixir",
        has_joined_names=True,
        label="Elixir",
        suffixes=(".ex", ".exs"),
        interpreters=("elixir",),
        grammar=_grammar("elixir"),
        queries=("elixir",),
        silent_names=_words(
            "_ __MODULE__ def defp defmodule defmacro defmacrop defstruct defprotocol defimpl"
            " defguard defguardp defdelegate import alias require use do end"
        ),
        import_splits_path=True,
        plain=PlainNames(is_open=True),
    ),
    Language(
        name="haskell",
        quotes=_CHARACTERS,
        label="Haskell",
        suffixes=(".hs", ".lhs"),
        interpreters=("runhaskell", "runghc"),
        grammar=_grammar("haskell"),
        queries=("haskell",),
        comment="--",
        transparent=_words("declarations imports"),
        plain=PlainNames(("{}.hs",), has_dotted_folders=True, is_flat=True),
    ),
    Language(
        name="zig",
        is_never_empty=True,
        quotes=_CHARACTERS,
        label="Zig",
        suffixes=(".zig", ".zon"),
        grammar=_grammar("zig"),
        queries=("zig",),
        comment="//",
        exports=ExportRule.MODIFIER,
        export_modifiers=_words("pub export"),
        modifiers=_words("pub export extern inline threadlocal comptime"),
        silent_names=_words("_"),
        plain=PlainNames(("{}",)),
    ),
    Language(
        name="markdown",
        label="Markdown",
        suffixes=(".md", ".markdown", ".mdx"),
        grammar=_grammar("markdown"),
        queries=("markdown",),
        separator=" / ",
        comment="<!--",
        comments_document=False,
        has_references=False,
        transparent=_words("section"),
    ),
    Language(
        name="json",
        label="JSON",
        suffixes=(".json", ".jsonc", ".json5", ".webmanifest", ".ipynb"),
        filenames=(".babelrc", ".eslintrc", ".prettierrc"),
        grammar=_grammar("json"),
        queries=("json",),
        comment="//",
        comments_document=False,
        has_references=False,
    ),
    Language(
        name="yaml",
        scanner="indentation",
        label="YAML",
        suffixes=(".yaml", ".yml"),
        filenames=(".clang-format", ".clang-tidy"),
        grammar=_grammar("yaml"),
        queries=("yaml",),
        has_references=False,
    ),
    Language(
        name="toml",
        label="TOML",
        suffixes=(".toml",),
        filenames=("Pipfile",),
        grammar=_grammar("toml"),
        queries=("toml",),
        has_references=False,
    ),
    Language(
        name="html",
        label="HTML",
        suffixes=(".html", ".htm", ".xhtml"),
        grammar=_grammar("html"),
        queries=("html",),
        comment="<!--",
        comments_document=False,
        has_references=False,
    ),
    Language(
        name="css",
        label="CSS",
        suffixes=(".css",),
        grammar=_grammar("css"),
        queries=("css",),
        separator=" > ",
        comment="/*",
        has_references=False,
    ),
    Language(
        name="sql",
        label="SQL",
        suffixes=(".sql",),
        grammar=_grammar("sql"),
        queries=("sql",),
        comment="--",
        has_references=False,
    ),
    Language(
        name="hcl",
        label="HCL",
        suffixes=(".hcl", ".tf", ".tfvars", ".nomad"),
        grammar=_grammar("hcl"),
        queries=("hcl",),
        has_references=False,
        transparent=_words("body"),
    ),
    Language(
        name="dockerfile",
        label="Dockerfile",
        suffixes=(".dockerfile",),
        filenames=("Dockerfile", "Containerfile"),
        grammar=_grammar("containerfile"),
        queries=("dockerfile",),
        has_references=False,
    ),
    Language(
        name="make",
        label="Makefile",
        suffixes=(".mk", ".mak"),
        filenames=("Makefile", "makefile", "GNUmakefile"),
        interpreters=("make",),
        grammar=_grammar("make"),
        queries=("make",),
        has_references=False,
    ),
    Language(
        name="text", label="Text", suffixes=(".txt", ".rst", ".adoc", ".org", ".tex", ".log")
    ),
)
"""All languages; the last row, plain text, is what everything unknown is read as."""

BY_NAME = {language.name: language for language in LANGUAGES}
PLAIN_TEXT = LANGUAGES[-1]
