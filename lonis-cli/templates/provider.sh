#!/bin/sh
# A provider of Lonis: one program, four commands, JSON in and out. It needs jq.
set -eu

refuse() { # kind, message, exit code, pointer
    jq -cn --arg kind "$1" --arg message "$2" --argjson code "$3" --arg pointer "${4-none}" '
        {kind: $kind, message: $message, exit_code: $code}
        + if $pointer == "none" then {} else {details: {pointer: $pointer}} end
    ' >&2
    exit "$3"
}

contract() {
    jq -cn '{
        name: "{{name}}.greet", description: "Greets people by name.",
        input_schema: "{{name}}.greet.input/v1", output_schema: "{{name}}.greet.output/v1",
        determinism: "deterministic", side_effects: "none", cost: "low",
        input_json_schema: {
            type: "object", properties: {names: {type: "array", items: {type: "string", minLength: 1}}},
            required: ["names"], additionalProperties: false, examples: [{names: ["Ada", "Grace"]}]
        }
    }'
}

# Writes a `message` block for each name, as it comes.
greet() {
    input=$(jq -cs 'if length == 1 then .[0] else error("not one value") end' 2>/dev/null) ||
        refuse invalid_input "the input is not one JSON value" 2
    wrong=$(printf '%s' "$input" | jq -r '
        if type != "object" or keys != ["names"] then ""
        elif (.names | type) != "array" then "/names"
        else first(.names | to_entries[] | select((.value | type) != "string" or .value == "") | "/names/\(.key)") // "none"
        end
    ')
    [ "$wrong" = none ] || refuse invalid_input "the input is an object with \`names\`, a list of strings" 2 "$wrong"
    printf '%s' "$input" | jq -c --unbuffered --arg when "$(date -u +%Y-%m-%dT%H:%M:%SZ)" '.names[] | {
        schema_version: "lonis.block/v1",
        attribution: {identity: "{{name}}:greet", provenance: {when: $when, producer: "lonis-{{name}}"}},
        payload: {kind: "message", data: {content: "Hello, \(.)!"}}
    }'
}

[ "${1-}" = --mode ] && shift 2
case "$*" in
manifest) jq -cn '{
    name: "{{name}}", version: "0.1.0", description: "Greets people by name.",
    provider_type: "external-executable", protocol_version: "lonis.provider/v1", tools: ["{{name}}.greet"]
}' ;;
"tools list") jq -cn '{
    provider: "{{name}}", tools: [{name: "{{name}}.greet", description: "Greets people by name.", version: "0.1.0"}]
}' ;;
"tools describe {{name}}.greet") contract ;;
"call {{name}}.greet") greet ;;
"tools describe "* | "call "*) refuse not_found "no tool has this name" 3 ;;
*) refuse invalid_input "the commands are manifest, tools list, tools describe NAME, call NAME" 2 ;;
esac
