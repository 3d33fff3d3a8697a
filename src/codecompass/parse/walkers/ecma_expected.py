"""JavaScript and TypeScript: what is expected of functions and objects written in place."""

from codecompass.model.module import NOTHING, Decl, DeclFlag, DeclKind
from codecompass.parse.walkers.ecma_docs import Docs


class Expected(Docs):
    """The part of the walker that hands types down to where none are written."""

    def is_written(self, value: int) -> bool:
        """Whether a value is a function, class or object that is written in place."""
        return value != NOTHING and self.builder.exprs[value][0] == "decl"

    def expect(self, value: int, expected: int) -> None:
        """What is written in place has the type that is expected there, where it says none."""
        if not self.is_written(value):
            return
        decl = self.builder.decls[self.builder.exprs[value][1]]
        if decl.kind in (DeclKind.FUNCTION, DeclKind.METHOD):
            self._expect_parameters(decl.parts, expected)
            if decl.type == NOTHING:
                self.expect_returned(decl, self.builder.expr("call", expected, (), ()))
        elif decl.kind == DeclKind.OBJECT:
            number = self.builder.exprs[value][1]
            if decl.type == NOTHING:
                self.builder.update(number, type=expected)
            for name, numbers in self.builder.scopes[decl.inner].names.items():
                part = self.builder.expr("member", expected, name)
                for member in numbers:
                    found = self.builder.decls[member]
                    if found.kind == DeclKind.METHOD:
                        self._expect_parameters(found.parts, part)
                    else:
                        self.expect(found.value, part)

    def expect_returned(self, decl: Decl, expected: int) -> None:
        """What a function gives is expected to be what it says, or what is said of it."""
        if decl.flags & DeclFlag.GENERATOR:
            return
        if decl.flags & DeclFlag.ASYNC:
            expected = self.builder.expr("await", expected)
        for value in decl.returns:
            self.expect(value, expected)

    def _expect_parameters(self, parameters: tuple[int, ...], expected: int) -> None:
        for position, number in enumerate(parameters):
            decl = self.builder.decls[number]
            if decl.type == NOTHING and decl.value == NOTHING:
                found = self.builder.expr("parameter", expected, position)
                self.builder.update(number, value=found)
