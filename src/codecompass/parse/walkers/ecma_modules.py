"""JavaScript and TypeScript: what a file takes from other files and gives to them."""

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.ecma_declarations import Declarations

WHOLE = "="
"""The name of what a CommonJS module exports as a whole."""


class Modules(Declarations):
    """The part of the walker that reads imports, exports and what CommonJS makes of them."""

    def __init__(self, text: bytes, *, is_typed: bool) -> None:
        super().__init__(text)
        self.is_module = False
        self._is_typed = is_typed
        self.reads_docs = not is_typed

    def bind_import(self, node: Node, scope: int, module: str, name: str) -> None:
        """Bind a name to what another file exports."""
        value = self.builder.expr("from", module, name)
        flags = self.builder.local_flag(scope)
        self.builder.declare(node, DeclKind.IMPORT, scope, value=value, flags=flags)

    def _use_import(self, node: Node, role: Role, module: str, name: str) -> None:
        self.builder.use(node, role, self.builder.expr("from", module, name))

    def import_(self, node: Node, scope: int) -> list[int]:
        """Names taken from another file."""
        self.is_module = self.is_module or scope == 0
        source = node.child_by_field_name("source")
        if source is None:
            self._import_require(node, scope)
            return []
        module = self.builder.text(source)[1:-1]
        for clause in node.named_children:
            if clause.type != "import_clause":
                continue
            for part in clause.named_children:
                if part.type == "identifier":
                    self.bind_import(part, scope, module, "default")
                    self._use_import(part, Role.IMPORT, module, "default")
                elif part.type == "namespace_import" and part.named_children:
                    self.bind_import(part.named_children[0], scope, module, "")
                    self._use_import(part.named_children[0], Role.IMPORT, module, "")
                elif part.type == "named_imports":
                    self._named_imports(part, scope, module)
        return []

    def _named_imports(self, node: Node, scope: int, module: str) -> None:
        for child in node.named_children:
            name = child.child_by_field_name("name")
            if child.type != "import_specifier" or name is None:
                continue
            alias = child.child_by_field_name("alias")
            imported = self.property_name(name)
            self.bind_import(alias or name, scope, module, imported)
            self._use_import(name, Role.IMPORT, module, imported)
            if alias is not None:
                self._use_import(alias, Role.IMPORT, module, imported)

    def _import_require(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            source = child.child_by_field_name("source")
            if child.type == "import_require_clause" and source is not None:
                name = child.named_children[0]
                self.bind_import(name, scope, self.builder.text(source)[1:-1], WHOLE)
                self._use_import(name, Role.IMPORT, self.builder.text(source)[1:-1], WHOLE)

    def export(self, node: Node, scope: int) -> list[int]:
        """What a file gives to others."""
        self.is_module = self.is_module or scope == 0
        source = node.child_by_field_name("source")
        module = self.builder.text(source)[1:-1] if source is not None else ""
        for child in node.named_children:
            if child.type == "decorator":
                self.decorator(child, scope)
        declaration = node.child_by_field_name("declaration")
        is_default = any(child.type == "default" for child in node.children)
        if declaration is not None:
            return self._export_declaration(declaration, scope, is_default=is_default)
        value = node.child_by_field_name("value")
        if value is not None:
            self._export_value(value, scope)
            return []
        if any(child.type == "=" for child in node.children) and node.named_children:
            found = self.expression(node.named_children[-1], scope, Role.EXPORT)
            self._set_export(scope, WHOLE, found)
            if scope != 0:  # of a module that is declared by its name
                self.builder.declare_name(WHOLE, node, DeclKind.IMPORT, scope, value=found)
            return []
        self._export_names(node, scope, module)
        return []

    def _set_export(self, scope: int, name: str, value: int) -> None:
        if scope == 0 and value != NOTHING and self.builder.exports is not None:
            self.builder.exports[name] = value

    def _export_declaration(self, node: Node, scope: int, *, is_default: bool) -> list[int]:
        numbers = self.statement(node, scope)
        for number in numbers:
            name = self.builder.decls[number].name
            if is_default:
                self._set_export(scope, "default", self.builder.expr("decl", number))
            else:
                self._set_export(scope, name, self.builder.expr("name", name, scope))
        return numbers

    def _export_value(self, node: Node, scope: int) -> None:
        if node.type == "identifier":
            self._set_export(scope, "default", self.expression(node, scope, Role.EXPORT))
            return
        self.hint = "default"
        value = self.expression(node, scope)
        self.hint = ""
        number = self.builder.declare_name(
            "default", node, DeclKind.VARIABLE, scope, bind=False, value=value
        )
        self._set_export(scope, "default", self.builder.expr("decl", number))

    def _export_names(self, node: Node, scope: int, module: str) -> None:
        has_star = any(child.type == "*" for child in node.children)
        for child in node.named_children:
            if child.type == "namespace_export" and child.named_children:
                name = self.property_name(child.named_children[0])
                self._set_export(scope, name, self.builder.expr("from", module, ""))
                has_star = False
            elif child.type == "export_clause":
                for part in child.named_children:
                    self._export_specifier(part, scope, module)
                has_star = False
        if has_star and module:
            self.builder.stars.append(module)

    def _export_specifier(self, node: Node, scope: int, module: str) -> None:
        name = node.child_by_field_name("name")
        if node.type != "export_specifier" or name is None:
            return
        alias = node.child_by_field_name("alias")
        exported = self.property_name(name)
        if module:
            value = self.builder.expr("from", module, exported)
        else:
            value = self.builder.expr("name", exported, scope)
        self._set_export(scope, self.property_name(alias or name), value)
        if scope != 0 and alias is not None:  # in a namespace
            self.builder.declare(alias, DeclKind.IMPORT, scope, value=value)
        self.builder.use(name, Role.EXPORT, value)
        if alias is not None:
            self.builder.use(alias, Role.EXPORT, value)

    def is_required(self, name: Node, value: int, scope: int) -> bool:
        """Whether a variable is an import, which is bound then."""
        if self.builder.exprs[value][0] == "require":
            self._bind_required(name, value, scope)
            return True
        if not self._is_part_of_required(value):
            return False
        if name.type == "identifier":
            _, of, part = self.builder.exprs[value]
            self.bind_import(name, scope, self.builder.exprs[of][1], part)
        elif name.type == "object_pattern":
            self._bind_parts(name, value, scope)
        return name.type in ("identifier", "object_pattern")

    def _bind_required(self, name: Node, value: int, scope: int) -> None:
        """`const x = require("m")` is an import."""
        module = self.builder.exprs[value][1]
        if name.type == "identifier":
            self.bind_import(name, scope, module, WHOLE)
            self._use_import(name, Role.IMPORT, module, WHOLE)
        elif name.type == "object_pattern":
            for child in name.named_children:
                if child.type == "shorthand_property_identifier_pattern":
                    self.bind_import(child, scope, module, self.builder.text(child))
                    self._use_import(child, Role.IMPORT, module, self.builder.text(child))
                elif child.type == "pair_pattern":
                    key, alias = (
                        child.child_by_field_name("key"),
                        child.child_by_field_name("value"),
                    )
                    if key is not None and alias is not None and alias.type == "identifier":
                        self.bind_import(alias, scope, module, self.property_name(key))
                        self._use_import(key, Role.IMPORT, module, self.property_name(key))
                else:
                    self.pattern(child, scope, NOTHING)

    def _bind_parts(self, name: Node, value: int, scope: int) -> None:
        """`const { a } = require("m").b`: imports as well."""
        for child in name.named_children:
            if child.type != "shorthand_property_identifier_pattern":
                self.pattern(child, scope, NOTHING)
                continue
            part = self.builder.expr("member", value, self.builder.text(child))
            flags = self.builder.local_flag(scope)
            self.builder.declare(child, DeclKind.IMPORT, scope, value=part, flags=flags)
            self.builder.use(child, Role.IMPORT, part)

    def _is_part_of_required(self, value: int) -> bool:
        """`require("m").x`."""
        expr = self.builder.exprs[value]
        if expr[0] != "member" or expr[1] == NOTHING:
            return False
        return bool(self.builder.exprs[expr[1]][0] == "require")

    def assigned(self, left: Node, value: int, scope: int) -> None:
        """`module.exports = …`, `exports.x = …`, `this.x = …`, `F.prototype.x = …`, `f.x = …`."""
        if left.type != "member_expression":
            return
        of, name = left.child_by_field_name("object"), left.child_by_field_name("property")
        if of is None or name is None:
            return
        owner = self.builder.text(of)
        called = self.builder.text(name)
        if (owner, called) == ("module", "exports"):
            self._export_whole(left, self._told(left, value, scope))
        elif owner in ("exports", "module.exports"):
            self._export_member(name, called, value)
        elif of.type == "this":
            if not self._is_typed:  # in TypeScript a field has to be declared
                self._field_of_this(name, value, self.told_type(left, scope))
        elif value != NOTHING:
            self._put_on(of, name, value, scope)

    def _told(self, left: Node, value: int, scope: int) -> int:
        """What is made in place is what its comment says, if one does."""
        if value == NOTHING or self.builder.exprs[value][0] not in ("new", "call"):
            return value
        told = self.told_type(left, scope)
        return value if told == NOTHING else self.builder.expr("typed", told)

    def _export_whole(self, left: Node, value: int) -> None:
        """`module.exports = …`; a function or a class written there is what importers name."""
        if value == NOTHING or self.builder.exports is None:
            return
        expr = self.builder.exprs[value]
        made = self.builder.decls[expr[1]] if expr[0] == "decl" else None
        if made is not None and made.kind == DeclKind.FUNCTION and made.flags & DeclFlag.LOCAL:
            right = left.parent.child_by_field_name("right") if left.parent is not None else None
            name = right.child_by_field_name("name") if right is not None else None
            number = self.builder.declare_name(
                self.builder.text(name) if name is not None else "default",
                name or right or left, DeclKind.VARIABLE, 0, bind=False, value=value,
            )  # fmt: skip
            value = self.builder.expr("decl", number)
        self.builder.exports[WHOLE] = value

    def export_bound(self, name: Node, value: Node, scope: int) -> None:
        """`const app = module.exports = make()`: importers mean the variable."""
        part: Node | None = value
        while part is not None and part.type == "assignment_expression":
            left = part.child_by_field_name("left")
            is_whole = left is not None and self.builder.text(left) == "module.exports"
            if is_whole and scope == 0 and self.builder.exports is not None:
                called = self.builder.text(name)
                self.builder.exports[WHOLE] = self.builder.expr("name", called, 0)
            part = part.child_by_field_name("right")

    def _export_member(self, node: Node, name: str, value: int) -> None:
        if self.builder.exports is None:
            return
        operation = self.builder.exprs[value][0] if value != NOTHING else ""
        is_property = WHOLE in self.builder.exports and operation == "require"
        if operation in ("name", "require") and not is_property and not _is_chained(node):
            before = self.builder.exports.get(name, NOTHING)  # `if (…) exports.x = a; else …`
            self.builder.exports[name] = self.builder.either((before, value))
            return
        number = self.builder.declare_name(
            name, node, DeclKind.VARIABLE, 0, bind=False, value=value
        )
        self.builder.exports.setdefault(name, self.builder.expr("decl", number))

    def _field_of_this(self, name: Node, value: int, told: int) -> None:
        expr = self.builder.exprs[self.this] if self.this != NOTHING else ("",)
        if expr[0] != "this":
            return
        scope = self._members_of(expr[1])
        if scope != NOTHING:
            self.builder.declare(
                name, DeclKind.FIELD, scope, type=told, value=value, flags=DeclFlag.INSTANCE
            )

    def _members_of(self, number: int) -> int:
        """The scope of what belongs to a class, an object or a function used as one."""
        decl = self.builder.decls[number]
        if decl.kind in (DeclKind.CLASS, DeclKind.OBJECT):
            return decl.inner
        if decl.kind != DeclKind.FUNCTION:
            return NOTHING
        if decl.members == NOTHING:
            scope = self.builder.open_scope(ScopeKind.CLASS, decl.scope, number)
            self.builder.update(number, members=scope)
            return scope
        return decl.members

    def written(self, left: Node, value: int, scope: int) -> None:
        """Note the uses on the left of `=`; `exports.x = x` passes x on."""
        of, name = left.child_by_field_name("object"), left.child_by_field_name("property")
        is_export = of is not None and self.builder.text(of) in ("exports", "module.exports")
        if not is_export or name is None or left.type != "member_expression":
            self.expression(left, scope, Role.WRITE)
        elif value != NOTHING and self.builder.exprs[value][0] == "name":
            self.builder.use(name, Role.EXPORT, value)

    def receiver_of(self, left: Node, scope: int) -> int:
        """The receiver of a function that is assigned to a member."""
        of = left.child_by_field_name("object") if left.type == "member_expression" else None
        if of is not None and of.type == "member_expression":
            last = of.child_by_field_name("property")
            is_prototype = last is not None and self.builder.text(last) == "prototype"
            of = of.child_by_field_name("object") if is_prototype else None
        number = self._bound_function(of, scope) if of is not None else NOTHING
        return self.builder.expr("this", number) if number != NOTHING else NOTHING

    def _put_on(self, of: Node, name: Node, value: int, scope: int) -> None:
        is_prototype = False
        if of.type == "member_expression":
            inner, last = of.child_by_field_name("object"), of.child_by_field_name("property")
            if inner is None or last is None or self.builder.text(last) != "prototype":
                return
            of, is_prototype = inner, True
        number = self._bound_function(of, scope)
        if number == NOTHING:
            return
        decl = self.builder.decls[number]
        if decl.kind == DeclKind.OBJECT and self._is_typed:
            return  # an object has what its type says
        members = self._members_of(number)
        if members == NOTHING:
            return
        is_static = decl.kind in (DeclKind.FUNCTION, DeclKind.CLASS) and not is_prototype
        self.builder.declare(
            name, DeclKind.FIELD, members, value=value,
            flags=DeclFlag.STATIC if is_static else 0,
        )  # fmt: skip

    def _bound_function(self, node: Node, scope: int) -> int:
        """The function, class or object that a name stands for in this file."""
        if node.type != "identifier":
            return NOTHING
        name = self.builder.text(node)
        while scope != NOTHING:
            numbers = self.builder.scopes[scope].names.get(name)
            if numbers:
                decl = self.builder.decls[numbers[0]]
                if decl.kind in (DeclKind.FUNCTION, DeclKind.CLASS):
                    return numbers[0]
                if decl.kind == DeclKind.VARIABLE and decl.value != NOTHING == decl.type:
                    expr = self.builder.exprs[decl.value]
                    return expr[1] if expr[0] == "decl" else NOTHING
                return NOTHING
            scope = self.builder.scopes[scope].parent
        return NOTHING


def _is_chained(name: Node) -> bool:
    """`exports.a = exports.b = c`: a is a property of its own, and not c."""
    left = name.parent
    whole = left.parent if left is not None else None
    right = whole.child_by_field_name("right") if whole is not None else None
    return right is not None and right.type == "assignment_expression"
