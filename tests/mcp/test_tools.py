"""The table of tools: small, flat, the same as the operations of the engine."""

import json
import re
import subprocess
import sys

import pytest

from codecompass.engine.operations import OPERATIONS
from codecompass.errors import BadInput
from codecompass.mcp.serve import server_facts
from codecompass.mcp.tools import INSTRUCTIONS, SERVER_NAME, TOOLS, Tool, chosen_tools, listed

_OWN = {"workspace", "format"}
_TYPES = {"string", "integer", "number", "boolean", "array"}
_PYTHON = {"string": str, "integer": int, "number": float, "boolean": bool, "array": str}


def test_every_operation_is_a_tool_with_the_same_arguments() -> None:
    assert set(TOOLS) == set(OPERATIONS)
    for name, tool in TOOLS.items():
        properties = {**tool.properties, **tool.rare}
        arguments = {item.name: item for item in OPERATIONS[name].arguments}
        assert set(properties) - _OWN == set(arguments), name
        assert {item.name for item in arguments.values() if item.required} == set(tool.required)
        assert set(tool.required) <= set(tool.properties)
        for argument in arguments.values():
            schema = properties[argument.name]
            assert _PYTHON[schema["type"]] is argument.kind
            assert set(schema.get("enum", argument.choices)) == set(argument.choices)
            assert schema["type"] != "array" or argument.repeated


def test_every_tool_takes_a_workspace_and_where_it_makes_sense_a_ref() -> None:
    without = {"compare_symbol_between_commits", "list_refs", "health_check"}
    for name, tool in TOOLS.items():
        assert "workspace" in tool.properties
        assert ("ref" in tool.properties) == (name not in without)


def test_the_standing_cost_of_the_core_set() -> None:
    entries = server_facts("core").listed
    assert len(entries) == 8
    assert len(json.dumps(entries)) + len(INSTRUCTIONS) <= 6_000
    assert len(INSTRUCTIONS) <= 2_000
    assert "search_code" in INSTRUCTIONS[:300]


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_schemas_are_flat_and_portable(tool: Tool) -> None:
    entry = tool.listed()
    schema = entry["inputSchema"]
    assert re.fullmatch(r"[a-z_]{3,30}", tool.name)
    assert entry["annotations"] == {
        "readOnlyHint": not tool.changes_state, "destructiveHint": False,
        "idempotentHint": True, "openWorldHint": False,
    }  # fmt: skip
    assert schema["additionalProperties"] is False
    assert not {"$ref", "title", "default", "anyOf"} & set(json.dumps(schema).split('"'))
    assert all(item["type"] in _TYPES for item in schema["properties"].values())
    assert 20 < len(tool.description) < 1_000


def test_names_are_short_enough_for_every_client() -> None:
    assert len(SERVER_NAME) <= 12
    assert all(len(f"{SERVER_NAME}{name}") <= 60 for name in TOOLS)


def test_the_two_main_tools_are_always_loaded() -> None:
    loaded = [entry["name"] for entry in server_facts("core").listed if "_meta" in entry]
    assert loaded == ["search_code", "get_code_context"]


def test_sets_of_tools() -> None:
    assert list(chosen_tools("full")) == list(TOOLS)
    assert list(chosen_tools("diff_context, search_code")) == ["search_code", "diff_context"]
    assert listed(chosen_tools("core").values(), is_short=True) == server_facts("core").listed
    for wrong in ("", "nothing", "core,nothing"):
        with pytest.raises(BadInput, match="allowed: core, full, search_code"):
            server_facts(wrong)


def test_nothing_heavy_is_imported_before_the_first_reply() -> None:
    code = (
        "import sys, codecompass.__main__, codecompass.mcp.serve, codecompass.mcp.stdio;"
        "print(' '.join(sys.modules))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    ).stdout.split()
    heavy = {"mcp", "numpy", "tantivy", "tree_sitter", "sqlite3", "asyncio", "regex", "pathspec"}
    assert not heavy & set(found)
    assert not [name for name in found if name.startswith("codecompass.engine")]
