// The official TypeScript client against `lonis-mcp serve`: lists, calls, a whole session with named roots, and every resource.
//
// usage: node client.mjs LONIS_MCP PACKAGES   with PACKAGES the folder whose `node_modules` holds the client
import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// A server that hangs fails the run, and nothing is measured.
setTimeout(() => process.exit(1), 300_000).unref();

const [program, packages] = process.argv.slice(2);
const find = createRequire(join(packages, "package.json"));
const load = (path) => import(pathToFileURL(find.resolve(`@modelcontextprotocol/sdk/${path}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { ListRootsRequestSchema } = await load("types.js");

const patch = {
  schema: "genesis/semantic-patch-v0.2",
  intent: "a greeting for the whole day",
  ops: [{ op: "replace-text", path: "greeting.txt", find: "hello", replace: "good day" }],
};

const folder = realpathSync(mkdtempSync(join(tmpdir(), "lonis-mcp-")));
const tree = join(folder, "tree");
mkdirSync(tree);
writeFileSync(join(tree, "greeting.txt"), "hello, world\n");
const config = join(folder, "lonis.toml");
writeFileSync(config, "[defaults]\nbounds = { timeout_millis = 120000 }\n");
try {
  const client = new Client({ name: "typescript", version: "1" }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(tree).href }] }));
  await client.connect(
    new StdioClientTransport({
      command: program,
      args: ["serve", "--workspace-root", folder],
      env: { HOME: folder, LONIS_CONFIG: config, PATH: process.env.PATH ?? "" },
      cwd: folder,
    }),
  );
  assert.equal(client.getServerVersion().name, "lonis-mcp");
  await client.ping();
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of ["session-begin", "diff", "lonis-search"]) assert.ok(names.includes(name), name);

  // The client itself checks structured content against the output schema.
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: args });
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result;
  };
  for (const [name, args] of [
    ["session-begin", { session: "s1" }],
    ["session-stage", { session: "s1", patch }],
    ["session-test", { session: "s1" }],
    ["session-apply", { session: "s1" }],
  ]) {
    const result = await call(name, args);
    assert.equal(result.structuredContent.ok, true, JSON.stringify(result));
  }
  assert.equal(readFileSync(join(tree, "greeting.txt"), "utf8"), "good day, world\n");
  const again = await call("session-apply", { session: "s1" });
  assert.equal(again.isError, true);
  await assert.rejects(client.callTool({ name: "session-apply", arguments: {} }), { code: -32602 });

  const { resources } = await client.listResources();
  for (const { uri } of resources) {
    const { contents } = await client.readResource({ uri });
    JSON.parse(contents[0].text);
  }
  await client.close();
  console.log(`typescript: ${tools.length} tools, ${resources.length} resources`);
} finally {
  rmSync(folder, { recursive: true });
}
