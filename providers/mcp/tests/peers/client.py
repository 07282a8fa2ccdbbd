"""The official Python client against `lonis-mcp serve`: lists, calls, a whole session, and every resource.

usage: client.py LONIS_MCP MODE   with MODE `legacy`, `auto` or a revision that needs no handshake
"""

import asyncio
import json
import pathlib
import sys
import tempfile

import mcp
from mcp.client.stdio import StdioServerParameters

PATCH = {
    "schema": "genesis/semantic-patch-v0.2",
    "intent": "a greeting for the whole day",
    "ops": [{"op": "replace-text", "path": "greeting.txt", "find": "hello", "replace": "good day"}],
}


def envelope(result):
    """The one envelope of a result, which is its text and its structure."""
    assert len(result.content) == 1, result
    told = json.loads(result.content[0].text)
    assert told == result.structured_content, result
    return told


async def session(client, tree):
    """A tree is edited as an agent would: nothing of it changes before the end."""
    begun = envelope(await client.call_tool("session-begin", {"session": "s1"}))
    assert begun["ok"], begun
    staged = envelope(await client.call_tool("session-stage", {"session": "s1", "patch": PATCH}))
    assert staged["ok"], staged
    assert (tree / "greeting.txt").read_text() == "hello, world\n"
    tested = envelope(await client.call_tool("session-test", {"session": "s1"}))
    assert tested["ok"], tested
    applied = envelope(await client.call_tool("session-apply", {"session": "s1"}))
    assert applied["ok"], applied
    assert (tree / "greeting.txt").read_text() == "good day, world\n"
    again = await client.call_tool("session-apply", {"session": "s1"})
    assert again.is_error and envelope(again)["error"]["code"] == "session/not-open", again


async def main(program, mode):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        tree = folder / "tree"
        tree.mkdir()
        (tree / "greeting.txt").write_text("hello, world\n")
        config = folder / "lonis.toml"
        config.write_text("[defaults]\nbounds = { timeout_millis = 120000 }\n")
        server = StdioServerParameters(
            command=program,
            args=["serve", "--workspace-root", str(tree)],
            env={"HOME": str(folder), "LONIS_CONFIG": str(config)},
            cwd=str(folder),
        )
        async with mcp.Client(mcp.stdio_client(server), mode=mode) as client:
            # On a slow machine the client gives its first question up, and begins with a handshake.
            spoken = {"legacy": ["2025-11-25"], "auto": ["2025-11-25", "2026-07-28"]}.get(mode, [mode])
            assert client.protocol_version in spoken, client.protocol_version
            assert client.server_info is None or client.server_info.name == "lonis-mcp"
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert {"session-begin", "diff", "lonis-search"} <= set(tools), sorted(tools)
            assert tools["session-status"].annotations.read_only_hint
            assert not tools["session-apply"].annotations.read_only_hint
            found = envelope(await client.call_tool("lonis-search", {"query": "apply"}))
            assert found["data"]["output"]["matches"], found
            await session(client, tree)
            resources = (await client.list_resources()).resources
            for resource in resources:
                read = await client.read_resource(str(resource.uri))
                json.loads(read.contents[0].text)
            assert len(resources) > 8, resources
    print(f"python {mode}: {len(tools)} tools, {len(resources)} resources")


# A server that hangs fails the run, and nothing is measured.
asyncio.run(asyncio.wait_for(main(sys.argv[1], sys.argv[2]), 300))
