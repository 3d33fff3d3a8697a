"""Python: statements; expressions and types are in `python_expressions`."""

from collections.abc import Callable, Iterator, Sequence

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.python_bindings import Bindings

_PROPERTIES = frozenset(
    {"property", "cached_property", "abstractproperty", "setter", "getter", "deleter"}
)
_FLAGS = {
    "staticmethod": DeclFlag.STATIC,
    "classmethod": DeclFlag.CLASS_METHOD,
    "fixture": DeclFlag.FIXTURE,
    **dict.fromkeys(_PROPERTIES, DeclFlag.PROPERTY),
}
_OF_STRINGS = ("string", "list", "tuple", "binary_operator", "parenthesized_expression")
_IMPLICIT_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a Python file."""
    walker = _Walker(text)
    try:
        walker.block(root, 0)
        return walker.builder.finish()
    finally:
        walker.close()


# Annotations that say nothing of the type of a value.
_NO_TYPES = frozenset({"Final", "ClassVar"})


class _Walker(Bindings):
    """Goes through statements once, in source order."""

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._statements: dict[str, Callable[[Node, int], None]] = {
            "import_statement": self._import,
            "import_from_statement": self._import_from,
            "future_import_statement": lambda _node, _scope: None,
            "decorated_definition": self._decorated,
            "function_definition": self._function,
            "class_definition": self._class,
            "expression_statement": self._expression_statement,
            "assignment": self._assignment,
            "augmented_assignment": self._augmented,
            "type_alias_statement": self._type_alias,
            "for_statement": self._for,
            "with_statement": self.block,
            "with_clause": self.block,
            "with_item": self._with_item,
            "except_clause": self._except,
            "except_group_clause": self._except,
            "if_statement": self._if,
            "elif_clause": self._if,
            "while_statement": self._if,
            "match_statement": self._match,
            "global_statement": self._global,
            "nonlocal_statement": lambda _node, _scope: None,
            "return_statement": self._return,
            "comment": lambda _node, _scope: None,
            "assert_statement": self.block,
            "delete_statement": self._delete,
        }
        for name in ("block", "try_statement", "else_clause", "finally_clause", "module"):
            self._statements[name] = self.block

    def close(self) -> None:
        """Let go of everything: the tables of methods keep it alive where no garbage is sought."""
        self.__dict__.clear()

    def block(self, node: Node, scope: int) -> None:
        """Everything below a node; an `assert isinstance` holds for what follows it."""
        for child in node.named_children:
            kind = child.type
            visit = self._statements.get(kind)
            if visit is not None:
                visit(child, scope)
            else:
                self.expression(child, scope)
            if kind == "assert_statement" and child.named_children:
                scope = self.narrowed(child.named_children[0], scope)
            elif kind == "if_statement":
                scope = self.after_guard(child, scope)
            elif kind == "expression_statement":
                scope = self.after_assignment(child, scope)

    def _import(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if child.type == "dotted_name":
                names = child.named_children
                self._bind_import(names[0], scope, self.builder.text(names[0]), "")
                self._use_modules(child, "")
            elif child.type == "aliased_import":
                name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
                if name is not None and alias is not None:
                    module = self.builder.text(name)
                    self._bind_import(alias, scope, module, "")
                    self._use_modules(name, "")

    def _use_modules(self, node: Node, prefix: str) -> None:
        """Every part of a dotted name is a module."""
        for part in node.named_children:
            prefix += self.builder.text(part)
            self.builder.use(part, Role.IMPORT, self.builder.expr("from", prefix, ""))
            prefix += "."

    def _bind_import(self, node: Node, scope: int, module: str, name: str) -> None:
        value = self.builder.expr("from", module, name)
        scope = self.binding_scope(scope)
        flags = self.builder.local_flag(scope)
        self.builder.declare(node, DeclKind.IMPORT, scope, value=value, flags=flags)

    def _import_from(self, node: Node, scope: int) -> None:
        source = node.child_by_field_name("module_name")
        if source is None:
            return
        module = self.builder.text(source).replace(" ", "")
        if source.type == "dotted_name":
            self._use_modules(source, "")
        elif source.named_children and source.named_children[-1].type == "dotted_name":
            self._use_modules(
                source.named_children[-1], module[: len(module) - len(module.lstrip("."))]
            )
        for child in node.named_children:
            if child == source:
                continue
            if child.type == "wildcard_import":
                self.builder.stars.append(module)
                continue
            name = child.child_by_field_name("name") if child.type == "aliased_import" else child
            alias = child.child_by_field_name("alias") or name
            if name is None or alias is None or name.type != "dotted_name":
                continue
            imported = self.builder.text(name)
            self._bind_import(alias, scope, module, imported)
            found = self.builder.expr("from", module, imported)
            self.builder.use(name.named_children[-1], Role.IMPORT, found)

    def _decorated(self, node: Node, scope: int) -> None:
        found = []
        flags = 0
        for child in node.named_children:
            if child.type == "decorator" and child.named_children:
                inner = child.named_children[0]
                found.append(self.expression(inner, scope, Role.DECORATE))
                called = inner.child_by_field_name("function") if inner.type == "call" else inner
                last = self.builder.text(called or inner).rpartition(".")[2]
                flags |= _FLAGS.get(last, 0)
        definition = node.child_by_field_name("definition")
        if definition is None:
            return
        if definition.type == "function_definition":
            self._function(definition, scope, flags=flags, decorators=found)
        elif definition.type == "class_definition":
            self._class(definition, scope, decorators=found)

    def _function(
        self, node: Node, scope: int, *, flags: int = 0, decorators: Sequence[int] = ()
    ) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        scope = self.binding_scope(scope)
        is_method = self.builder.scopes[scope].kind == ScopeKind.CLASS
        if not is_method:
            flags |= self.builder.local_flag(scope)
        if node.children[0].type == "async":
            flags |= DeclFlag.ASYNC
        if is_method and self.builder.text(name) in _IMPLICIT_CLASS_METHODS:
            flags |= DeclFlag.CLASS_METHOD
        kind = DeclKind.METHOD if is_method else DeclKind.FUNCTION
        number = self.builder.declare(
            name, kind, scope, flags=flags, decorators=tuple(decorators)
        )  # fmt: skip
        around = self.builder.open_scope(ScopeKind.BLOCK, scope)
        self._type_parameters(node, around)
        inner = self.builder.open_scope(ScopeKind.FUNCTION, around, number)
        owner = self.builder.scopes[scope].owner if is_method else NOTHING
        parameters = self._parameters(
            node.child_by_field_name("parameters"),
            inner,
            owner=owner,
            flags=flags,
            is_test=self.builder.text(name).startswith("test"),
        )
        returned = node.child_by_field_name("return_type")
        self.builder.is_result = True
        kind_of = self.annotation(returned, around) if returned is not None else NOTHING
        self.builder.is_result = False
        self.builder.update(number, inner=inner, parts=parameters, type=kind_of)
        body = node.child_by_field_name("body")
        if body is not None:
            self._inside(number, body, inner)

    def _inside(self, number: int, body: Node, inner: int) -> None:
        outer, self.returned = self.returned, ([], False)
        self.block(body, inner)
        returns, yields = self.returned
        flags = self.builder.decls[number].flags | (DeclFlag.GENERATOR if yields else 0)
        self.builder.update(number, returns=tuple(returns), flags=flags)
        self.returned = outer

    def _type_parameters(self, node: Node, scope: int) -> None:
        found = node.child_by_field_name("type_parameters")
        for child in found.named_children if found is not None else ():
            inside = child
            while inside.type != "identifier" and inside.named_children:
                inside = inside.named_children[0]
            if inside.type != "identifier":
                continue
            number = self.builder.declare(
                inside, DeclKind.TYPE_PARAMETER, scope, flags=DeclFlag.LOCAL
            )
            bounds = child.named_children[0].named_children if child.named_children else []
            if len(bounds) > 1:
                self.builder.update(number, type=self.annotation(bounds[-1], scope))

    def _parameters(
        self, node: Node | None, scope: int, *, owner: int, flags: int, is_test: bool
    ) -> tuple[int, ...]:
        found: list[int] = []
        for child in node.named_children if node is not None else ():
            number = self.parameter(child, scope)
            if number == NOTHING:
                continue
            is_receiver = not found and owner != NOTHING and not flags & DeclFlag.STATIC
            if is_receiver:
                of_class = flags & DeclFlag.CLASS_METHOD
                receiver = self.builder.expr("class_of_this" if of_class else "this", owner)
                self.builder.update(number, value=receiver)
            elif flags & DeclFlag.FIXTURE or is_test:
                self._fixture(child, number, scope)
            found.append(number)
        return tuple(found)

    def _fixture(self, node: Node, number: int, scope: int) -> None:
        """A parameter of a test stands for what a fixture of its name gives."""
        decl = self.builder.decls[number]
        if decl.value != NOTHING or decl.flags & (DeclFlag.REST | DeclFlag.REST_NAMED):
            return
        found = self.builder.expr("fixture", decl.name, self.builder.scopes[scope].parent)
        name = node if node.type == "identifier" else node.named_children[0]
        self.builder.use(name, Role.READ, found)
        self.builder.update(number, value=found)

    def _class(self, node: Node, scope: int, *, decorators: Sequence[int] = ()) -> None:
        name = node.child_by_field_name("name")
        if name is None:
            return
        scope = self.binding_scope(scope)
        is_member = self.builder.scopes[scope].kind == ScopeKind.CLASS
        flags = 0 if is_member else self.builder.local_flag(scope)
        number = self.builder.declare(
            name, DeclKind.CLASS, scope, flags=flags, decorators=tuple(decorators)
        )
        inner = self.builder.open_scope(ScopeKind.CLASS, scope, number)
        self._type_parameters(node, inner)
        bases = []
        arguments = node.child_by_field_name("superclasses")
        for child in arguments.named_children if arguments is not None else ():
            if child.type == "keyword_argument":
                self.expression(child, scope)
            elif child.type != "comment":
                bases.append(self.annotation(child, scope, Role.INHERIT))
        self.builder.update(number, inner=inner, parts=tuple(bases))
        body = node.child_by_field_name("body")
        if body is not None:
            self.block(body, inner)

    def _assignment(self, node: Node, scope: int) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        annotation = node.child_by_field_name("type")
        declared = self.annotation(annotation, scope) if annotation is not None else NOTHING
        value = NOTHING
        if right is not None and right.type == "assignment":
            self._assignment(right, scope)
            last: Node | None = right
            while last is not None and last.type == "assignment":
                last = last.child_by_field_name("right")
            value = self.quiet(last, scope) if last is not None else NOTHING
        elif right is not None:
            value = self.expression(right, scope)
        if annotation is not None and value != NOTHING and self._says_no_type(annotation):
            declared = NOTHING
        if left is not None:
            self._exported(left, right, scope)
            self.target(left, scope, value, declared)

    def _says_no_type(self, annotation: Node) -> bool:
        """Whether an annotation leaves the type to the value, as a bare `Final` does."""
        return self.builder.text(annotation).rpartition(".")[2].strip() in _NO_TYPES

    def _exported(self, left: Node, right: Node | None, scope: int) -> None:
        """`__all__ = ["name"]` names what the file hands on."""
        if right is None or scope != 0 or self.builder.text(left) != "__all__":
            return
        for text in self._strings(right):
            found = self.builder.expr("name", self.builder.text(text), scope)
            self.builder.use(text, Role.EXPORT, found)

    def _expression_statement(self, node: Node, scope: int) -> None:
        """`__all__.extend(["name"])` names what the file hands on, too."""
        call = node.named_children[0] if node.named_children else None
        function = call.child_by_field_name("function") if call is not None else None
        of = function.child_by_field_name("object") if function is not None else None
        if call is not None and of is not None:
            self._exported(of, call.child_by_field_name("arguments"), scope)
        self.block(node, scope)

    def _strings(self, node: Node) -> Iterator[Node]:
        """The texts of a list, of lists that are joined, of what a list is given."""
        for child in node.named_children:
            if child.type == "string_content":
                yield child
            elif child.type in _OF_STRINGS:
                yield from self._strings(child)

    def _augmented(self, node: Node, scope: int) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            self._exported(left, right, scope)
            self.expression(left, scope, Role.WRITE)
        if right is not None:
            self.expression(right, scope)

    def _delete(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            self.expression(child, scope, Role.WRITE)

    def _type_alias(self, node: Node, scope: int) -> None:
        names = node.named_children
        head = names[0].named_children[0] if names and names[0].named_children else None
        if head is None:
            return
        name = head if head.type == "identifier" else next(iter(head.named_children), None)
        if name is None:  # broken: `type 1 = t`
            return
        number = self.builder.declare(
            name, DeclKind.TYPE, scope, flags=self.builder.local_flag(scope)
        )
        if len(names) > 1:
            self.builder.update(number, type=self.annotation(names[1], scope))

    def _for(self, node: Node, scope: int) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None:
            value = self.expression(right, scope)
            self.target(left, scope, self.wrap("each", value))
        for field in ("body", "alternative"):
            part = node.child_by_field_name(field)
            if part is not None:
                self.block(part, scope)

    def _with_item(self, node: Node, scope: int) -> None:
        value = node.child_by_field_name("value")
        if value is None:
            return
        if value.type != "as_pattern":
            self.expression(value, scope)
            return
        managed = self.expression(value.named_children[0], scope)
        self._as_target(value, scope, self.wrap("enter", managed))

    def _as_target(self, node: Node, scope: int, value: int) -> None:
        last = node.named_children[-1]
        for child in last.named_children if last.type == "as_pattern_target" else [last]:
            self.target(child, scope, value)

    def _except(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if child.type == "as_pattern":
                caught = self.expression(child.named_children[0], scope)
                self._as_target(child, scope, self.wrap("instance", caught))
            elif child.type == "block":
                self.block(child, scope)
            else:
                self.expression(child, scope)

    def _if(self, node: Node, scope: int) -> None:
        condition = node.child_by_field_name("condition")
        inner = scope
        if condition is not None:
            self.expression(condition, scope)
            inner = self.narrowed(condition, scope)
        for child in node.named_children:
            if child == condition:
                continue
            is_body = child in (
                node.child_by_field_name("consequence"), node.child_by_field_name("body")
            )  # fmt: skip
            visit = self._statements.get(child.type, self.block)
            visit(child, inner if is_body else scope)

    def _match(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if child.type != "block":
                self.expression(child, scope)
                continue
            for case in child.named_children:
                for part in case.named_children:
                    if part.type == "case_pattern":
                        self.pattern(part, scope)
                    elif part.type == "block":
                        self.block(part, scope)
                    else:
                        self.expression(part, scope)

    def _global(self, node: Node, scope: int) -> None:
        names = self.globals.setdefault(self.binding_scope(scope), set())
        for child in node.named_children:
            name = self.builder.text(child)
            names.add(name)
            self.builder.use(child, Role.READ, self.builder.expr("name", name, 0))

    def _return(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            value = self.expression(child, scope)
            if value != NOTHING:
                self.returned[0].append(value)
