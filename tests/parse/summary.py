"""Print the validation summary of all case files: `python -m tests.parse.summary`."""

import sys
from collections import Counter

from codecompass.chunk.embed_text import embedding_text
from codecompass.text.tokens import estimate_tokens
from tests.parse.laws import check_laws
from tests.parse.rendering import MARK, render_facts
from tests.parse.test_cases import CASES, FILES
from tests.parse.test_laws import SOURCES, language_of


def main() -> int:
    failed: list[str] = []
    cases: Counter[str] = Counter()
    symbols = chunks = lines = covered = max_depth = max_tokens = 0
    deepest = largest = ""
    for path in FILES:
        case = str(path.relative_to(CASES))
        language, text = language_of(case), SOURCES[case]
        cases[language.label] += 1
        try:
            facts, built = check_laws(case, language, text)
            expected = path.read_text("utf-8").partition(MARK)[2]
            assert render_facts(facts) == expected, f"other facts than expected: {case}"
        except AssertionError as error:
            failed.append(str(error))
            continue
        symbols += sum(not symbol.is_statement for symbol in facts.symbols)
        chunks += len(built)
        code = sum(bool(line.strip()) for line in text.splitlines())
        lines, covered = lines + code, covered + code  # law 1 held, or we would not be here
        for chunk in built:
            tokens = estimate_tokens(embedding_text(language.label, chunk))
            if tokens > max_tokens:
                max_tokens, largest = tokens, chunk.breadcrumb
            if chunk.depth > max_depth:
                max_depth, deepest = chunk.depth, case
    print("Extraction validation summary")
    print("=============================")
    print(f"Cases: {len(FILES) - len(failed)} passed, {len(failed)} failed")
    print(f"Languages: {', '.join(f'{name} {count}' for name, count in sorted(cases.items()))}")
    print(f"Symbols: {symbols:,}; chunks: {chunks:,}")
    share = 100 * covered / lines if lines else 0
    print(f"Coverage: {share:.0f} % of {lines:,} non-blank lines (law 1 in every passed case)")
    print(f"Max chunk tokens: {max_tokens:,} ({largest})")
    print(f"Max depth: {max_depth} ({deepest})")
    print(f"Determinism: {'yes' if not failed else 'see failures'} (ids equal in two runs, law 8)")
    for message in failed:
        print(f"FAILED {message}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
