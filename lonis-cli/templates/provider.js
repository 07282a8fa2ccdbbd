#!/usr/bin/env node
// A provider of Lonis: one program, four commands, JSON in and out. A tool is an entry of TOOLS.
'use strict';

const fs = require('node:fs');

const PROVIDER = '{{name}}';
const VERSION = '0.1.0';
const DESCRIPTION = 'Greets people by name.';

/** What a tool throws when it cannot answer: becomes the one error on stderr. */
class Refused extends Error {
  constructor(kind, message, code, details) {
    super(message);
    this.error = { kind, message, exit_code: code, ...(details && { details }) };
  }
}

/** Yields the data of a `message` block for each name; each is written as it comes. */
function* greet({ names }) {
  if (!Array.isArray(names)) {
    throw new Refused('invalid_input', '`names` is a list', 2, { pointer: '/names' });
  }
  for (const [at, name] of names.entries()) {
    if (typeof name !== 'string' || name === '') {
      throw new Refused('invalid_input', 'a name is a string that is not empty', 2, { pointer: `/names/${at}` });
    }
  }
  for (const name of names) yield { content: `Hello, ${name}!` };
}

const TOOLS = {
  '{{name}}.greet': {
    run: greet,
    description: 'Greets people by name.',
    input: {
      type: 'object',
      properties: { names: { type: 'array', items: { type: 'string', minLength: 1 } } },
      required: ['names'],
      additionalProperties: false,
      examples: [{ names: ['Ada', 'Grace'] }],
    },
  },
};

function contract(name) {
  const { description, input } = TOOLS[name];
  return {
    name,
    description,
    input_schema: `${name}.input/v1`,
    output_schema: `${name}.output/v1`,
    determinism: 'deterministic',
    side_effects: 'none',
    cost: 'low',
    input_json_schema: input,
  };
}

function block(name, kind, data) {
  return {
    schema_version: 'lonis.block/v1',
    attribution: {
      identity: name.replaceAll('.', ':'),
      provenance: { when: new Date().toISOString(), producer: `lonis-${PROVIDER}` },
    },
    payload: { kind, data },
  };
}

function known(name) {
  if (!Object.hasOwn(TOOLS, name)) throw new Refused('not_found', `no tool is called \`${name}\``, 3);
  return name;
}

function input() {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fs.readFileSync(0)));
  } catch (error) {
    throw new Refused('invalid_input', `the input is not one JSON value: ${error.message}`, 2);
  }
}

function call(name) {
  const tool = TOOLS[known(name)];
  const data = input();
  const members = Object.keys(tool.input.properties);
  const isObject = typeof data === 'object' && data !== null && !Array.isArray(data);
  if (!isObject || Object.keys(data).some((key) => !members.includes(key))) {
    throw new Refused('invalid_input', `the input is an object of ${members.join(', ')}`, 2, { pointer: '' });
  }
  for (const result of tool.run(data)) say(block(name, 'message', result));
}

/** Written at once and whole: a stream shows each block as it is made. */
function write(descriptor, value) {
  let rest = Buffer.from(`${JSON.stringify(value)}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(descriptor, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

const say = (value) => write(1, value);

function main(words) {
  const [first, second, third] = words[0] === '--mode' ? words.splice(2) : words;
  const command = [first, second].join(' ');
  if (first === 'manifest') {
    say({
      name: PROVIDER,
      version: VERSION,
      description: DESCRIPTION,
      provider_type: 'external-executable',
      protocol_version: 'lonis.provider/v1',
      tools: Object.keys(TOOLS),
    });
  } else if (command === 'tools list') {
    const tools = Object.entries(TOOLS).map(([name, { description }]) => ({ name, description, version: VERSION }));
    say({ provider: PROVIDER, tools });
  } else if (command === 'tools describe' && third !== undefined) {
    say(contract(known(third)));
  } else if (first === 'call' && second !== undefined) {
    call(second);
  } else {
    throw new Refused('invalid_input', 'the commands are manifest, tools list, tools describe NAME, call NAME', 2);
  }
}

try {
  main(process.argv.slice(2));
} catch (refused) {
  if (!(refused instanceof Refused)) throw refused;
  write(2, refused.error);
  process.exitCode = refused.error.exit_code;
}
