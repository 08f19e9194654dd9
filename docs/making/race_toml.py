"""The reference page of race.toml, from its JSON schema."""

from __future__ import annotations

from typing import Any

from polarbear.configuration.schema import json_schema

_NAMES = {"PriorTable": "A prior", "BatchTable": "A batch", "AlgorithmTable": "[algorithms.NAME]"}


def page() -> str:
    """Return the page: a table of keys for each table of the file."""
    schema = json_schema()
    kinds = schema["$defs"]
    lines = [
        "# race.toml",
        "",
        "`polarbear init` writes a commented file and this schema as `race.schema.json`, with which editors complete and "
        "check the file. Unknown keys are errors. How the keys work together is explained in "
        "[Use the command line](../how-to/command-line.md#racetoml).",
        "",
    ]
    for key, value in schema["properties"].items():
        kind = _named(value) or _named(value.get("additionalProperties", {}))
        heading = _NAMES.get(kind, f"[{key}]")
        lines += _table(heading, kinds[kind], kinds)
    for kind in ("PriorTable", "BatchTable"):
        lines += _table(_NAMES[kind], kinds[kind], kinds)
    return "\n".join(lines)


def _table(heading: str, kind: dict[str, Any], kinds: dict[str, Any]) -> list[str]:
    whole = next((each for each in kind.get("anyOf", []) if "properties" in each), kind)
    lines = [f"## {heading}", "", kind.get("description") or whole.get("description", ""), ""]
    lines += ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    for key, value in whole["properties"].items():
        default = value.get("default")
        shown = "" if default is None or isinstance(default, dict) else f"`{str(default).lower()}`"
        if key in whole.get("required", []):
            shown = "required"
        meaning = value.get("description", "").replace("\n", " ").replace("|", "\\|")
        lines.append(f"| `{key}` | {_kind(value)} | {shown} | {meaning} |")
    return [*lines, ""]


def _named(value: dict[str, Any]) -> str:
    """Return the name of the definition that a value refers to, or nothing."""
    return str(value.get("$ref", "")).rpartition("/")[2]


def _kind(value: dict[str, Any]) -> str:
    """Return the type of a value in words."""
    if named := _named(value):
        return _NAMES[named].lower()
    if "enum" in value or "const" in value:
        return ", ".join(f'`"{each}"`' for each in value.get("enum", [value.get("const")]))
    if "anyOf" in value:
        return " or ".join(_kind(each) for each in value["anyOf"] if each.get("type") != "null")
    if value.get("type") == "array":
        return f"list of {_kind(value.get('items', {}))}"
    words = {
        "string": "text",
        "integer": "whole number",
        "number": "number",
        "boolean": "true or false",
        "object": "table",
    }
    limits = [
        f"{word} {value[key]:g}"
        for key, word in (
            ("minimum", "from"),
            ("exclusiveMinimum", "above"),
            ("maximum", "to"),
            ("exclusiveMaximum", "below"),
        )
        if key in value
    ]
    return " ".join([words.get(value.get("type", ""), "value"), *limits])
