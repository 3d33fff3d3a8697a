"""Answers about the index itself, in words."""

from codecompass.model.portable import StateAnswer

_MIB = 1024 * 1024
_ONLY_THE_DIFFERENCE = "next: ask; only what is different here is read"


def render_state(answer: StateAnswer) -> str:
    """An archive in a few lines; what to do next last."""
    found = answer.manifest
    head = f" at {found.head[:10]}" if found.head else ""
    lines = [
        f"{answer.action} {answer.archive} ({answer.size_bytes / _MIB:.1f} MiB)",
        f"made by    codecompass {found.made_by}, {found.made_at}, schema {found.schema_version}",
        f"content    {found.files:,} file versions, {found.symbols:,} records,"
        f" {found.snapshots:,} snapshots{head}",
        f"sha256     {answer.sha256}",
    ]
    if not answer.is_usable:
        lines.append("not usable by this version: export it again, or codecompass index")
    elif answer.action == "inspected":
        lines.append("whole, and usable by this version")
    elif answer.action == "exported":
        lines.append("next: codecompass state import FILE --sha256 HEX, where it is wanted")
    elif answer.action == "imported":
        lines.append(f"note: {answer.note}" if answer.note else _ONLY_THE_DIFFERENCE)
    return "\n".join(lines)
