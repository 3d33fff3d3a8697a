"""C and C++: includes, declarators, classes whose members are defined elsewhere."""

from tree_sitter import Node

from codecompass.model.module import INCLUDE, NOTHING, DeclFlag, DeclKind, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.c_expressions import PARAMETERS, Expressions
from codecompass.parse.walkers.c_macros import TAGS, names_in_macro
from codecompass.parse.walkers.general import ClassParts, FunctionParts, every, first, walk_with

_CLASSES = {
    "struct_specifier": DeclKind.CLASS, "union_specifier": DeclKind.CLASS,
    "class_specifier": DeclKind.CLASS, "enum_specifier": DeclKind.ENUM,
}  # fmt: skip


def walk_c(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a C file."""
    return walk_with(_Walker(text, has_tags=True), root)


def walk_cpp(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a C++ file."""
    return walk_with(_Walker(text, has_tags=False), root)


class _Walker(Expressions):
    """Declarations of both languages; tags are names of their own in C only."""

    type_names = frozenset({"type_identifier", "namespace_identifier", "identifier"})
    silent = frozenset({"void", "int", "char", "long", "short", "unsigned", "signed", "double"})

    def __init__(self, text: bytes, *, has_tags: bool) -> None:
        super().__init__(text)
        self._has_tags = has_tags
        self._generic: list[tuple[Node, Node | None]] = []
        self._parts: dict[str, int] = {}  # of classes that are declared elsewhere
        self.kinds |= {
            "preproc_include": self._include,
            "preproc_def": self._macro,
            "preproc_function_def": self._macro,
            "function_definition": self._function,
            "declaration": self._declaration,
            "field_declaration": self._declaration,
            "type_definition": self._type_definition,
            "alias_declaration": self._alias,
            "namespace_definition": self._namespace,
            "using_declaration": self._using,
            "template_declaration": self._template,
            "for_statement": self.block,
            "compound_statement": self.block,
            "catch_clause": self.block,
            "parameter_declaration": self._caught,
            "return_statement": self.give_back,
            "this": lambda _node, _scope, _role: self.this_value(),
            "type_descriptor": lambda node, scope, _role: self.typed(self.type_(node, scope)),
            "enumerator": self._enumerator,
            **dict.fromkeys(
                _CLASSES, lambda node, scope, _role: self.typed(self.type_(node, scope))
            ),
        }

    # Files and names of files.

    def _include(self, node: Node, _scope: int, _role: Role) -> int:
        path = node.child_by_field_name("path")
        if path is not None and path.type in ("string_literal", "system_lib_string"):
            self.builder.stars.append(INCLUDE + self.text(path).strip('"<>'))
        return NOTHING

    def _macro(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is not None:
            kind = DeclKind.FUNCTION if node.type == "preproc_function_def" else DeclKind.VARIABLE
            number = self.builder.declare(name, kind, 0)
            if scope == 0 or not self.builder.is_in_function(scope):
                self.builder.scopes[self.builder.shared].names.setdefault(
                    self.text(name), []
                ).append(number)
        self._macro_body(node)
        return NOTHING

    def _macro_body(self, node: Node) -> None:
        """What a macro names means the same wherever it is used, but for its parameters."""
        value = node.child_by_field_name("value")
        if value is None:
            return
        given = node.child_by_field_name("parameters")
        taken = {self.text(one) for one in (given.named_children if given is not None else ())}
        body, of, end = self.text(value), NOTHING, -1
        for name, start, before, is_called in names_in_macro(body, taken):
            role = Role.CALL if is_called else Role.READ
            if before in (".", "->"):
                found = self.builder.expr("member", NOTHING, name)
            elif before == "::" and body[end:start].strip() == "::":
                found = self.builder.expr("member", of, name)
            elif before in TAGS:
                role, tag = Role.TYPE, f"struct {name}" if self._has_tags else name
                found = self.builder.expr("typename", tag, 0)
            else:
                found = self.builder.expr("name", name, 0)
            of, end = found, start + len(name)
            place = value.start_byte + len(body[:start].encode())
            line = value.start_point.row + 1 + body.count("\n", 0, start)
            self.builder.use_at((place, line), role, found)

    def _namespace(self, node: Node, scope: int, _role: Role) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return self.children(body, scope) if body is not None else NOTHING
        return self.namespace(self.text(name).replace("::", ".").replace(" ", ""), body, scope)

    def _using(self, node: Node, scope: int, _role: Role) -> int:
        named = first(node, "identifier", "qualified_identifier")
        if named is None:
            return NOTHING
        full_name = self.text(named).strip(":").replace("::", ".")
        if any(child.type == "namespace" for child in node.children):
            self.builder.stars.append(full_name)
        elif named.type == "qualified_identifier":
            last = named
            while last.type == "qualified_identifier":
                last = last.child_by_field_name("name") or last.named_children[-1]
            self.import_name(last, full_name, scope)
        return NOTHING

    # Classes and types.

    def _template(self, node: Node, scope: int, _role: Role) -> int:
        given = node.child_by_field_name("parameters")
        for child in every(
            given, "type_parameter_declaration", "optional_type_parameter_declaration"
        ):
            name = first(child, "type_identifier")
            if name is not None:
                self._generic.append((name, None))
        for child in node.named_children:
            if child != given:
                self.visit(child, scope)
        self._generic = []
        return NOTHING

    def _taken_generic(self) -> list[tuple[Node, Node | None]]:
        taken, self._generic = self._generic, []
        return taken

    def type_form(self, node: Node, scope: int, role: Role) -> int | None:
        """Classes written in place, names in namespaces, templates with arguments."""
        if node.type in _CLASSES:
            return self._class(node, scope, role)
        if node.type == "template_type":
            given = first(node, "template_argument_list")
            arguments = every(given, "type_descriptor")
            for child in given.named_children if given is not None else ():
                if child.type != "type_descriptor":
                    self.visit(child, scope)
            return self.applied(node.child_by_field_name("name"), arguments, scope, role)
        if node.type == "qualified_identifier":
            return self.qualified(node, scope, role)
        if node.type in ("primitive_type", "sized_type_specifier", "placeholder_type_specifier"):
            return NOTHING
        if node.type == "type_descriptor":
            return self.type_(node.child_by_field_name("type"), scope, role)
        if node.type in ("decltype", "number_literal", "type_qualifier"):
            self.children(node, scope)
            return NOTHING
        return None

    def _class(self, node: Node, scope: int, role: Role) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        tag = f"struct {self.text(name)}" if name is not None and self._has_tags else ""
        if body is None:
            if name is None:
                return NOTHING
            if name.type != "type_identifier":
                return self.type_(name, scope, role)
            return self.use_type(name, tag or self.text(name), scope, role)
        kind, target = _CLASSES[node.type], self._outside_classes(scope)
        clause = first(node, "base_class_clause")
        bases = [
            child
            for child in (clause.named_children if clause is not None else ())
            if child.type not in ("access_specifier", "virtual")
        ]
        generic = self._taken_generic()
        path, name = self._without_path(name, scope)
        called = ".".join((*path, self.text(name))) if path and name is not None else tag
        if name is None or name.type not in ("type_identifier", "template_type"):
            number = self.builder.declare_name("", node, DeclKind.OBJECT, target, bind=False)
            self.members(number, body, self.builder.open_scope(ScopeKind.BLOCK, target))
        else:
            head = first(name, "type_identifier") or name
            number = self.class_(
                head,
                kind,
                target,
                ClassParts(bases=bases, generic=generic, body=body, called=called),
            )
            if tag:
                self.builder.labels[number] = self.text(head)
        return self.builder.expr("decl", number)

    def _outside_classes(self, scope: int) -> int:
        """C has no classes in classes: what is written inside one belongs to the file."""
        while self._has_tags and self.builder.scopes[scope].kind == ScopeKind.CLASS:
            scope = self.builder.scopes[scope].parent
        return scope

    def _enumerator(self, node: Node, scope: int, _role: Role) -> int:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return NOTHING
        owner = node.parent.parent if node.parent is not None else None
        is_scoped = owner is not None and any(
            c.type in ("class", "struct") for c in owner.children
        )
        target, outer = scope, self.space
        if not is_scoped:  # its names are those of the scope around
            target = self.builder.scopes[self.builder.scopes[scope].parent].parent
            self.space = self.space[:-1]
        number = self.builder.declare(name, DeclKind.ENUM_MEMBER, target)
        if not self.builder.is_in_function(target):
            self.share(number, self.text(name))
        self.space = outer
        self.visit(value, scope)
        return NOTHING

    def _type_definition(self, node: Node, scope: int, _role: Role) -> int:
        written = self.type_(self._written_type(node), scope)
        for declarator in node.children_by_field_name("declarator"):
            name, _function = self.declared(declarator)
            self._sizes(declarator, scope)
            if name is not None:
                self._alias_of(name, written, scope)
                self._name_unnamed(written, self.text(name))
        return NOTHING

    def _name_unnamed(self, written: int, name: str) -> None:
        """`typedef struct { … } name`: the struct is called so by all."""
        expr = self.builder.exprs[written] if written != NOTHING else ("",)
        if expr[0] == "decl" and self.builder.decls[expr[1]].kind == DeclKind.OBJECT:
            self.builder.labels.setdefault(expr[1], name)

    def _written_type(self, node: Node) -> Node | None:
        """The type of a declaration; behind a macro, `API type *name()`, the parser errs."""
        written = node.child_by_field_name("type")
        error = written.next_named_sibling if written is not None else None
        if error is None or error.type != "ERROR" or error.named_child_count != 1:
            return written
        self.type_(written, 0, Role.READ)
        return first(error, "identifier") or written

    def _alias(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        written = self.type_(node.child_by_field_name("type"), scope)
        if name is not None:
            self._alias_of(name, written, scope)
        return NOTHING

    def _alias_of(self, name: Node, written: int, scope: int) -> None:
        flags = self.builder.local_flag(scope)
        number = self.builder.declare(name, DeclKind.TYPE, scope, type=written, flags=flags)
        if not flags:
            self.share(number, self.text(name))

    # Functions and variables.

    def _is_static(self, node: Node, scope: int) -> bool:
        in_class = self.builder.scopes[scope].kind == ScopeKind.CLASS
        words = every(node, "storage_class_specifier")
        return not in_class and any(self.text(word) == "static" for word in words)

    def _function(self, node: Node, scope: int, _role: Role) -> int:
        name, function = self.declared(node.child_by_field_name("declarator"))
        if name is None or function is None:
            return self.children(node, scope)
        self._declare_function(node, name, function, scope)
        return NOTHING

    def _declare_function(
        self, node: Node, name: Node, function: Node, scope: int, written: int = NOTHING
    ) -> None:
        """A function, or the definition of a member of a class that is declared elsewhere."""
        outer, space = self.this, self.space
        whole = name
        path, last = self._without_path(whole, scope)
        if last is None:
            return
        name = last
        if path:
            scope = self._part(path, whole, scope)
        name = (
            name.child_by_field_name("name") or name if name.type == "template_function" else name
        )
        body = node.child_by_field_name("body") or first(node, "try_statement")
        is_whole = node.type == "function_definition"
        result = self._written_type(node) if is_whole else None
        flags = (0 if is_whole else DeclFlag.PART) | (
            DeclFlag.STATIC if self._is_static(node, scope) else 0
        )
        given = every(function.child_by_field_name("parameters"), *PARAMETERS)
        trailing = first(function, "trailing_return_type")
        number = self.function(
            name,
            scope,
            FunctionParts(
                parameters=given,
                result=trailing or result,
                body=first(node, "field_initializer_list"),
                generic=self._taken_generic(),
                flags=flags,
                called=self.text(name).replace(" ", ""),
                has_overloads=not self._has_tags,
            ),
        )
        if written != NOTHING:
            self.builder.update(number, type=written)
        self._body(number, body, self.builder.decls[number].inner)
        self.this, self.space = outer, space

    def _without_path(self, name: Node | None, scope: int) -> tuple[list[str], Node | None]:
        """What a name says it belongs to, and the name itself."""
        path: list[str] = []
        while name is not None and name.type == "qualified_identifier":
            part = name.child_by_field_name("scope")
            if part is not None:
                path.append(self.text(part).split("<")[0].strip())
                self.type_(part, scope)
            name = name.child_by_field_name("name")
        return path, name

    def _part(self, path: list[str], name: Node, scope: int) -> int:
        """The scope of a class to which something is added outside of it."""
        full_name = ".".join(path)
        known = ".".join((*self.space, full_name))
        number = self._parts.get(known)
        if number is None:
            number = self.builder.declare_name(
                full_name, name, DeclKind.CLASS, scope, bind=False, flags=DeclFlag.PART
            )
            self._parts[known] = number
            self.share(number, full_name)
            self.members(number, None, scope)
        self.this, self.space = number, (*self.space, *path)
        return self.builder.decls[number].inner

    def _declaration(self, node: Node, scope: int, _role: Role) -> int:
        is_local = self.builder.is_in_function(scope)
        declarators = node.children_by_field_name("declarator")
        if not declarators and self._is_unnamed(node.child_by_field_name("type")):
            return self._inlined(node, scope)
        self.builder.is_result = any(self.declared(part)[1] for part in declarators)
        written = self.type_(self._written_type(node), scope)
        self.builder.is_result = False
        for declarator in declarators:
            value = NOTHING
            part = declarator
            if declarator.type == "init_declarator":
                part = declarator.child_by_field_name("declarator") or declarator
                outer, self.expected = self.expected, written
                value = self.visit(declarator.child_by_field_name("value"), scope)
                self.expected = outer
            name, function = self.declared(part)
            if name is None:
                continue
            if function is not None and not is_local:
                self._declare_function(node, name, function, scope, written)
            else:
                self._declare_variable(node, name, part, scope, written, value)
        self._taken_generic()
        self.visit(node.child_by_field_name("default_value"), scope)
        return NOTHING

    def _is_unnamed(self, written: Node | None) -> bool:
        if written is None or written.type not in ("struct_specifier", "union_specifier"):
            return False
        return written.child_by_field_name("name") is None

    def _inlined(self, node: Node, scope: int) -> int:
        """`union { … };` inside a class: what it has are members of the class."""
        written = node.child_by_field_name("type")
        body = written.child_by_field_name("body") if written is not None else None
        return self.children(body, scope) if body is not None else NOTHING

    def _declare_variable(
        self, node: Node, name: Node, declarator: Node, scope: int, written: int, value: int
    ) -> None:
        self._sizes(declarator, scope)
        words = {self.text(word) for word in every(node, "storage_class_specifier")}
        if name.type == "qualified_identifier":  # of a static member, declared in its class
            self.qualified(name, scope, Role.WRITE)
            return
        if name.type not in ("identifier", "field_identifier"):
            return
        known = self.many(written) if declarator.type == "array_declarator" else written
        flags = DeclFlag.PART if "extern" in words and value == NOTHING else 0
        if "static" in words and self.builder.scopes[scope].kind != ScopeKind.CLASS:
            flags |= DeclFlag.STATIC
        self.variable(name, scope, known, value, flags=flags)

    def _sizes(self, node: Node, scope: int) -> None:
        """The names in the brackets and parentheses of a declarator."""
        if node.type == "array_declarator":
            self.visit(node.child_by_field_name("size"), scope)
        elif node.type == "function_declarator":  # of a pointer to a function
            for one in every(node.child_by_field_name("parameters"), *PARAMETERS):
                self.type_(one.child_by_field_name("type"), scope)
        inner = node.child_by_field_name("declarator")
        if inner is not None:
            self._sizes(inner, scope)

    def parameter(self, node: Node, scope: int) -> int:
        """`type declarator = value`."""
        written = self.type_(node.child_by_field_name("type"), scope)
        declarator = node.child_by_field_name("declarator")
        name, _function = self.declared(declarator)
        if declarator is not None:
            self._sizes(declarator, scope)
        if name is None or name.type != "identifier":
            if declarator is None and self.text(node) == "void":
                return NOTHING
            return self.builder.declare_name(
                "", node, DeclKind.PARAMETER, scope, bind=False, type=written, flags=DeclFlag.LOCAL
            )
        default = node.child_by_field_name("default_value")
        is_rest = node.type == "variadic_parameter_declaration"
        return self.bind_parameter(name, scope, written, default, is_rest=is_rest)

    def _caught(self, node: Node, scope: int, _role: Role) -> int:
        self.parameter(node, scope)
        return NOTHING
