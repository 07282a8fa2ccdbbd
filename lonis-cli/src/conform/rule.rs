//! The rules that a provider is held to: one table of what is promised and how to mend what falls short.

/// How much depends on a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    /// A host cannot use the provider, or not rightly, where it falls short.
    Required,
    /// A host copes; people and agents are served worse.
    Advised,
}

impl Level {
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Advised => "advised",
        }
    }
}

macro_rules! rules {
    ($($variant:ident = $name:literal, $level:ident, $promise:literal, $mend:literal;)+) => {
        /// One rule.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Rule {
            $($variant,)+
        }

        impl Rule {
            /// All of them, in the order in which they are reported.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$variant,)+];

            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            pub(crate) const fn level(self) -> Level {
                match self {
                    $(Self::$variant => Level::$level,)+
                }
            }

            /// What holds where the rule holds.
            pub(crate) const fn promise(self) -> &'static str {
                match self {
                    $(Self::$variant => $promise,)+
                }
            }

            /// What to do where it does not.
            pub(crate) const fn mend(self) -> &'static str {
                match self {
                    $(Self::$variant => $mend,)+
                }
            }
        }
    };
}

#[rustfmt::skip]
rules! {
    // The provider as a whole.
    Manifest = "manifest", Required,
        "`manifest` prints one object with `name`, `version`, `description`, `provider_type`, `protocol_version` and `tools`",
        "print exactly one JSON object with these members on stdout, nothing else, and exit 0";
    Protocol = "protocol", Required,
        "`protocol_version` is one that hosts speak",
        "set `protocol_version` to `lonis.provider/v1`";
    ToolList = "tools-list", Required,
        "`tools list` prints one object whose `tools` have a `name`",
        "print `{\"tools\":[{\"name\":…,\"description\":…,\"version\":…}]}` on stdout and exit 0";
    ToolNames = "tool-names", Required,
        "every name can be used as an argument and as an id, and stands once",
        "use names such as `acme.thing.verb`: no empty segment, no leading `-`, no control character, no two that differ in `.` and `:` alone";
    ToolsAgree = "tools-agree", Advised,
        "`manifest` and `tools list` name the same tools",
        "make both from one table";
    UnknownTool = "unknown-tool", Required,
        "an unknown tool is refused by `call` and by `tools describe`, with an error",
        "check the name first: one error object on stderr with kind `not_found`, and exit 3";
    UnknownCommand = "unknown-command", Advised,
        "an unknown command is refused with an error",
        "print one error object with kind `invalid_input` on stderr and exit 2";
    // The contract of a tool.
    Describe = "describe", Required,
        "`tools describe` prints a contract whose `name` is the tool's",
        "print one object with `name`, `description`, `input_schema`, `output_schema`, `determinism`, `side_effects` and `cost`; take the words from `lonis schema contract`";
    ContractClean = "contract-clean", Required,
        "the contract keeps every limit of the wire format",
        "shorten what is too long; `lonis validate --as contract` names the place";
    InputSchema = "input-schema", Required,
        "an `input_json_schema` is a usable schema of draft 2020-12",
        "refer only inside the document, and keep patterns free of look-around and back-references";
    InputSchemaGiven = "input-schema-given", Advised,
        "the contract has an `input_json_schema`",
        "add the schema of the input to the contract, so that hosts check it and agents read it";
    SchemaExamples = "schema-examples", Advised,
        "the schema's own examples are valid input",
        "correct `examples` and `default` in the schema";
    // A call that succeeds.
    Call = "call", Required,
        "a call with a sensible input prints blocks and exits 0",
        "print each block as a JSON object with `schema_version`, `attribution` and `payload`, and nothing else, on stdout; `lonis validate` names the bad place";
    CallNdjson = "call-ndjson", Required,
        "`--mode ndjson` works too, with as many blocks where the tool is `deterministic`",
        "let the mode decide the form of the output alone";
    CallHuman = "call-human", Advised,
        "`--mode human` works too",
        "accept all three modes; text for people may be plain";
    BlocksClean = "blocks-clean", Required,
        "the blocks keep every limit and stamp of the wire format",
        "shorten what is too long, and write `when` as RFC 3339 in UTC";
    BlockKinds = "block-kinds", Advised,
        "a kind of the provider's own is `<namespace>.<name>`",
        "put the provider's name and a dot before the kind";
    NdjsonLines = "ndjson-lines", Advised,
        "in `ndjson` every block is one line",
        "write a newline after each block, and none inside";
    NdjsonFlush = "ndjson-flush", Advised,
        "in `ndjson` every block is written when it is made",
        "flush stdout after each block: runtimes keep output for a pipe back until 4 KiB have gathered or the program ends";
    Deterministic = "deterministic", Required,
        "a tool that says `deterministic` gives the same blocks for the same input",
        "order what is unordered, leave out times and random values, or declare `nondeterministic`";
    Quiet = "quiet", Advised,
        "stderr stays empty where all went well",
        "keep log lines for failures";
    LeavesNothing = "leaves-nothing", Advised,
        "no process outlives the call",
        "wait for every child before the program ends";
    // A call that fails.
    BadJson = "bad-json", Required,
        "input that is not JSON is refused with an error",
        "read stdin to its end, parse it, and exit 2 with one error object on stderr where that fails";
    BadInput = "bad-input", Required,
        "input that breaks the contract's schema is refused with an error",
        "check the input against the schema before any work is done";
    BadInputPlace = "bad-input-place", Advised,
        "the error for bad input names the place",
        "put a JSON Pointer into the input into `details.pointer`";
    EmptyInput = "empty-input", Required,
        "an empty stdin is answered, by blocks or by an error",
        "treat the end of stdin before any value as bad input";
    LargeInput = "large-input", Required,
        "a large input is answered, by blocks or by an error",
        "read all of stdin before answering, and refuse what is too large with an error";
    ErrorShape = "error-shape", Required,
        "every failure is one error object on stderr",
        "print `{\"kind\":…,\"message\":…,\"exit_code\":…}` on one line as the last thing on stderr";
    ErrorCode = "error-code", Required,
        "the exit code is the error's `exit_code`, and not 0",
        "exit with the number that the error names";
    ErrorAlone = "error-alone", Advised,
        "the error stands alone on stderr, and nothing on stdout",
        "keep stack traces and log lines out of stderr, and write blocks only once the input is known to be good";
    ErrorKind = "error-kind", Advised,
        "the kinds and codes are the common ones",
        "use `invalid_input` with 2 for bad input and `not_found` with 3 for an unknown tool";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_words() {
        let mut names: Vec<_> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        let count = names.len();
        assert!(names.iter().all(|name| {
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        }));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
