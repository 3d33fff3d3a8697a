"""A value's type in, the types of what is taken out of it out: loops, unpacking, waiting."""

from codecompass.link.members import Members
from codecompass.link.types import EXTERNAL, FOREIGN, OUTSIDE, Type, members_of, union
from codecompass.model.module import NOTHING, Expr


class Apart(Members):
    """Takes values apart; what members are, `Inference` works out."""

    def builtin(self, name: str, arguments: tuple[Type | None, ...] = ()) -> Type | None:
        """A value of one of the language's own types."""
        numbers = self._language.stubs.scopes[0].names.get(name)
        return ("inst", (self.dialect.stubs, numbers[0]), arguments) if numbers else None

    def instance(self, type_: Type | None) -> Type | None:
        """A value of the class that a value is."""
        if type_ is None:
            return None
        if type_[0] in ("union", "tuple"):
            return union(self.instance(item) for item in type_[1])
        if type_[0] == "class":
            return ("inst", type_[1], type_[2])
        return EXTERNAL if type_ == EXTERNAL else None

    def element(self, type_: Type | None) -> Type | None:
        """What a loop over a value takes."""
        if type_ is None:
            return None
        if type_[0] == "union":
            return union(self.element(item) for item in type_[1])
        if type_[0] == "tuple":
            return union(type_[1])
        if type_ in (EXTERNAL, FOREIGN):
            return FOREIGN
        for name in self.dialect.iterate:
            type_ = self._called_member(type_, name)
        return type_

    def _called_member(self, type_: Type | None, name: str) -> Type | None:
        member = self.member_type(type_, name)
        return union(self.called_result(item) for item in members_of(member))

    def _item(self, type_: Type | None, position: int) -> Type | None:
        if type_ is None:
            return None
        if type_[0] == "union":
            return union(self._item(item, position) for item in type_[1])
        if type_[0] == "tuple":
            items = type_[1]
            return items[position] if position < len(items) else None
        return self.element(type_)

    def awaited(self, type_: Type | None) -> Type | None:
        """What waiting for a value gives."""
        if type_ is None:
            return None
        if type_[0] == "union":
            return union(self.awaited(item) for item in type_[1])
        if type_ == EXTERNAL:
            return FOREIGN
        if self.dialect.awaited and type_[0] == "inst":
            found = self.find(type_, self.dialect.awaited)
            if found.places and found.places != (OUTSIDE,):
                return self._called_member(type_, self.dialect.awaited)
        return type_

    def entered(self, type_: Type | None) -> Type | None:
        """What a `with` binds."""
        if type_ is None or type_ in (EXTERNAL, FOREIGN):
            return None if type_ is None else FOREIGN
        if type_[0] == "union":
            return union(self.entered(item) for item in type_[1])
        for name in self.dialect.enter:
            found = self.find(type_, name)
            if found.places and found.places != (OUTSIDE,):
                return self._called_member(type_, name) or type_
        if type_[0] == "inst" and type_[1][0] == self.dialect.stubs:
            return self.element(type_)  # what a function gives that a decorator made enterable
        return type_

    def _indexed(self, path: str, expr: Expr) -> Type | None:
        of = self.value(path, expr[1])
        found = []
        for item in members_of(of):
            if item[0] == "tuple" and expr[2] != NOTHING:
                found.append(self._item(item, expr[2]))
            elif item[0] == "class":
                arguments = tuple(self.type_(path, number) for number in expr[3])
                found.append(("class", item[1], arguments))
            elif item in (EXTERNAL, FOREIGN):
                found.append(FOREIGN)
            elif self.dialect.indexed and item[0] in ("inst", "self"):
                found.append(self._called_member(item, self.dialect.indexed))
            else:
                found.append(self.element(item))
        return union(found)
