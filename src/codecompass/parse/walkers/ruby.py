"""Ruby: modules that are opened again and again, methods, instance variables."""

from typing import ClassVar

from tree_sitter import Node

from codecompass.model.module import NOTHING, DeclFlag, DeclKind, ModuleFacts, ScopeKind
from codecompass.model.reference import Role
from codecompass.parse.walkers.general import (
    ClassParts,
    FunctionParts,
    General,
    every,
    first,
    walk_with,
)

_MIXINS = frozenset({"include", "extend", "prepend"})
_ATTRIBUTES = frozenset({"attr_reader", "attr_writer", "attr_accessor"})
# They take the name of a method as a symbol, and call it or hand it over.
_BY_NAME = {
    "send": Role.CALL, "public_send": Role.CALL, "__send__": Role.CALL,
    "method": Role.READ, "instance_method": Role.READ,
}  # fmt: skip
# They take any number of such names.
_LISTS = frozenset(
    "private protected public module_function private_class_method public_class_method".split()
)
_SYMBOLS = ("simple_symbol", "delimited_symbol", "bare_symbol")
_CONSTANTS = ("constant", "scope_resolution")
_PARAMETERS = (
    "identifier", "optional_parameter", "splat_parameter", "hash_splat_parameter",
    "keyword_parameter", "block_parameter", "destructured_parameter",
)  # fmt: skip


def walk(root: Node, text: bytes) -> ModuleFacts:
    """The tables of a Ruby file."""
    return walk_with(_Walker(text), root)


class _Walker(General):
    """Declarations and expressions of Ruby; constants and methods are known everywhere."""

    names = frozenset({"identifier", "constant"})
    type_names = frozenset({"constant"})
    literals: ClassVar = {
        "string": "String", "simple_symbol": "Symbol", "delimited_symbol": "Symbol",
        "integer": "Integer", "float": "Float", "hash": "Hash", "regex": "Regexp",
        "range": "Range",
    }  # fmt: skip
    silent = frozenset({"raise", "puts", "private", "public", "protected", "lambda", "proc"})
    gives_last = True

    def __init__(self, text: bytes) -> None:
        super().__init__(text)
        self._method_name = ""
        self.kinds |= {
            "class": self._class,
            "module": self._class,
            "singleton_class": self._singleton_class,
            "method": self._method,
            "singleton_method": self._method,
            "call": self._call,
            "identifier": self._identifier,
            "scope_resolution": self._scoped,
            "instance_variable": self._instance_variable,
            "class_variable": self._instance_variable,
            "assignment": self._assignment,
            "operator_assignment": self._assignment,
            "block": self._block,
            "do_block": self._block,
            "lambda": self._block,
            "rescue": self._rescue,
            "self": lambda _node, _scope, _role: self.this_value(),
            "return": self.give_back,
            "body_statement": self._body_statement,
            "block_body": self._body_statement,
            "hash_key_symbol": self.skip,
            "element_reference": self.index,
            "array": self._array,
            "symbol_array": self._array,
            "super": self._super,
        }

    def _body_statement(self, node: Node, scope: int, _role: Role) -> int:
        found = [self.visit(child, scope) for child in node.named_children]
        return found[-1] if found else NOTHING

    def type_form(self, node: Node, scope: int, role: Role) -> int | None:
        """A constant in another."""
        return self._scoped(node, scope, role) if node.type == "scope_resolution" else NOTHING

    # Classes and methods.

    def _class(self, node: Node, scope: int, _role: Role) -> int:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None:
            return NOTHING
        bases = every(node.child_by_field_name("superclass"), *_CONSTANTS)
        mixed: list[Node] = []
        for call in every(body, "call"):
            method = call.child_by_field_name("method")
            if method is not None and self.text(method) in _MIXINS:
                mixed += every(call.child_by_field_name("arguments"), *_CONSTANTS)
        called, last = "", name
        if name.type == "scope_resolution":
            self.type_(name.child_by_field_name("scope"), scope)
            last = name.child_by_field_name("name") or name
            called = self.text(name).strip(":").replace("::", ".")
        parts = ClassParts(bases=bases, body=body, called=called)
        number = self.class_(last, DeclKind.CLASS, scope, parts)
        decl = self.builder.decls[number]
        # Inside the class its own modules are known by their names.
        known = [self.type_(module, decl.inner, Role.INHERIT) for module in mixed]
        self.builder.update(number, parts=(*decl.parts, *(one for one in known if one != NOTHING)))
        return NOTHING

    def _singleton_class(self, node: Node, scope: int, _role: Role) -> int:
        return self.visit(node.child_by_field_name("body"), scope)

    def _method(self, node: Node, scope: int, _role: Role) -> int:
        name = node.child_by_field_name("name")
        if name is None:
            return NOTHING
        given = every(node.child_by_field_name("parameters"), *_PARAMETERS)
        is_static = node.type == "singleton_method"
        outer, self._method_name = self._method_name, self.text(name)
        self.function(
            name,
            scope,
            FunctionParts(
                parameters=given,
                body=node.child_by_field_name("body"),
                flags=DeclFlag.STATIC if is_static else 0,
                has_overloads=False,
            ),
        )
        self._method_name = outer
        return NOTHING

    def parameter(self, node: Node, scope: int) -> int:
        """One parameter; all but plain ones may be left out."""
        if node.type == "destructured_parameter":
            for child in node.named_children:
                self.parameter(child, scope)
            return NOTHING
        name = node if node.type == "identifier" else node.child_by_field_name("name")
        if name is None:
            return NOTHING
        return self.bind_parameter(name, scope, NOTHING, node.child_by_field_name("value"))

    # Expressions.

    def _identifier(self, node: Node, scope: int, role: Role) -> int:
        """A variable that was bound before, else a call."""
        name = self.text(node)
        if self._is_bound(name, scope):
            return self.builder.expr("name", name, scope)
        is_plain = role is Role.READ
        found = self.use_name(node, name, scope, Role.CALL if is_plain else role)
        if not is_plain or found == NOTHING:
            return found
        return self.builder.expr("call", found, (), ())

    def _is_bound(self, name: str, scope: int) -> bool:
        while scope != NOTHING:
            found = self.builder.scopes[scope]
            for number in found.names.get(name, ()):
                if self.builder.decls[number].kind in (DeclKind.PARAMETER, DeclKind.VARIABLE):
                    return True
            if found.kind in (ScopeKind.CLASS, ScopeKind.MODULE):
                return False
            owner = found.owner
            if owner != NOTHING and self.builder.decls[owner].name:
                return False  # methods do not see what stands around them
            scope = found.parent
        return False

    def _call(self, node: Node, scope: int, _role: Role) -> int:
        of, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        given = node.child_by_field_name("arguments")
        if (
            of is None
            and method is not None
            and self.builder.scopes[scope].kind == ScopeKind.CLASS
        ):
            if self.text(method) in _ATTRIBUTES:
                return self._attributes(given, scope)
            if self.text(method) in _MIXINS:
                return NOTHING  # read as bases of the class
        mark = self.builder.pending
        called = value = NOTHING
        if of is not None:
            if of.type in _CONSTANTS and method is not None and self.text(method) == "new":
                return self._new(node, of, scope)
            value = self.visit(of, scope)
            if method is not None and method.type in ("identifier", "constant"):
                called = self.use_member(value, method, Role.CALL)
        elif method is not None and method.type == "super":
            called = self.visit(method, scope)
        elif method is not None:
            called = self.use_name(method, self.text(method), scope, Role.CALL)
        arguments = [self.visit(item, scope) for item in (given.named_children if given else ())]
        self._names_as_symbols(method, given, self.this_value() if of is None else value)
        block = node.child_by_field_name("block")
        found = self.called(called, mark, arguments)
        taken = self.visit(block, scope)
        if found != NOTHING:
            self.expect(taken, found, len(arguments))
        return found

    def _names_as_symbols(self, method: Node | None, given: Node | None, value: int) -> None:
        """`send(:name)` names a method of a value; who else takes `:name` may mean one."""
        word = self.text(method) if method is not None else ""
        for number, item in enumerate(given.named_children if given is not None else ()):
            if item.type in _SYMBOLS and (word in _LISTS or (word in _BY_NAME and number == 0)):
                role = _BY_NAME.get(word, Role.READ)
                self.use_member(value, item, role, self._symbol_name(item))
            else:
                self._maybe_named(item)

    def _maybe_named(self, item: Node | None) -> None:
        """`:name`, `if: :name`, `&:name`, `[:name]` and `%i[name]` may name a method."""
        if item is None:
            return
        if item.type in _SYMBOLS:
            self.use_member(NOTHING, item, Role.READ, self._symbol_name(item))
        elif item.type in ("block_argument", "symbol_array"):
            for child in item.named_children:
                self._maybe_named(child)
        elif item.type == "pair":
            self._maybe_named(item.child_by_field_name("value"))

    def _symbol_name(self, node: Node) -> str:
        return self.text(node).lstrip(":").strip("\"'")

    def _super(self, node: Node, _scope: int, _role: Role) -> int:
        """`super` calls the method of the same name above."""
        of = self.this_value("super")
        if of == NOTHING or not self._method_name:
            return NOTHING
        found = self.use_member(of, node, Role.CALL, self._method_name)
        return self.builder.expr("call", found, (), ())

    def _array(self, node: Node, scope: int, _role: Role) -> int:
        for child in node.named_children:
            self._maybe_named(child)
        values = tuple(self.visit(child, scope) for child in node.named_children)
        return self.builder.expr("make", "Array", (values,))

    def _new(self, node: Node, made: Node, scope: int) -> int:
        """`Class.new(…)` uses the class; `new` itself names nothing of ours."""
        value = self.visit(made, scope, Role.CALL)
        for part in ("arguments", "block"):
            self.visit(node.child_by_field_name(part), scope)
        return NOTHING if value == NOTHING else self.builder.expr("instance", value)

    def _attributes(self, given: Node | None, scope: int) -> int:
        for symbol in every(given, "simple_symbol"):
            name = self.text(symbol).lstrip(":")
            value = self.builder.expr("member", self.this_value(), f"@{name}")
            self.builder.declare_name(name, symbol, DeclKind.FIELD, scope, value=value)
        return NOTHING

    def _scoped(self, node: Node, scope: int, role: Role) -> int:
        of, name = node.child_by_field_name("scope"), node.child_by_field_name("name")
        if name is None:
            return NOTHING
        if of is None:
            return self.use_name(name, self.text(name), 0, role)
        return self.use_member(self.visit(of, scope), name, role)

    def _instance_variable(self, node: Node, _scope: int, role: Role) -> int:
        return self.use_member(self.this_value(), node, role)

    def _assignment(self, node: Node, scope: int, _role: Role) -> int:
        left = node.child_by_field_name("left")
        value = self.visit(node.child_by_field_name("right"), scope)
        if left is None:
            return value
        if left.type == "identifier":
            self._bind(left, scope, value)
        elif left.type == "constant":
            self.variable(left, scope, NOTHING, value)
        elif left.type in ("instance_variable", "class_variable"):
            self._assign_field(left, scope, value)
        elif left.type == "left_assignment_list":
            for name in every(left, "identifier"):
                self._bind(name, scope, NOTHING)
        else:
            self.visit(left, scope, Role.WRITE)
        return value

    def _bind(self, name: Node, scope: int, value: int) -> None:
        self.builder.declare(name, DeclKind.VARIABLE, scope, value=value, flags=DeclFlag.LOCAL)

    def _assign_field(self, node: Node, scope: int, value: int) -> None:
        """`@name = value` makes a field of the class around."""
        inner = self.builder.decls[self.this].inner if self.this != NOTHING else NOTHING
        name = self.text(node)
        if inner != NOTHING and name not in self.builder.scopes[inner].names:
            self.builder.declare_name(name, node, DeclKind.FIELD, inner, value=value)
        else:
            self._instance_variable(node, scope, Role.WRITE)

    def _block(self, node: Node, scope: int, _role: Role) -> int:
        given = node.child_by_field_name("parameters")
        nodes = every(given, *_PARAMETERS)
        return self.lambda_(node, nodes, node.child_by_field_name("body"), scope)

    def _rescue(self, node: Node, scope: int, _role: Role) -> int:
        caught = node.child_by_field_name("exceptions")
        types = [self.type_(one, scope) for one in (caught.named_children if caught else ())]
        name = first(node.child_by_field_name("variable"), "identifier")
        if name is not None:
            self._bind(name, scope, self.typed(self.builder.either(types)))
        self.visit(node.child_by_field_name("body"), scope)
        return NOTHING
