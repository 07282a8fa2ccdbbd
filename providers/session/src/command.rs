//! The commands: their names, what they promise, and the schemas of what goes in and comes out.

mod output;

use lonis::SideEffects;
use serde_json::{Map, Value, json};

/// A command of the session engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Freezes a base.
    Begin,
    /// Shows a session and paths of its current snapshot.
    Status,
    /// Adds a checked patch.
    Stage,
    /// Runs the obligations.
    Test,
    /// Writes the result back.
    Apply,
    /// Undoes or finishes an apply that was cut short.
    Recover,
    /// Gives a session up.
    Abort,
    /// Compares two states.
    Diff,
    /// Lists sessions.
    List,
    /// Shows the events of a session.
    Log,
    /// Removes what no session needs any more.
    Gc,
}

/// How long a command takes at most beside its obligations.
const OWN_MILLIS: u64 = 5_000;

/// How long an obligation may run that says nothing of it.
const ONE_OBLIGATION_MILLIS: u64 = 300_000;

/// The longest call id, in bytes.
const MAX_CALL_BYTES: usize = 128;

impl Command {
    /// All commands, in the order in which they are used.
    pub const ALL: &'static [Self] = &[
        Self::Begin,
        Self::Status,
        Self::Stage,
        Self::Test,
        Self::Apply,
        Self::Abort,
        Self::Diff,
        Self::List,
        Self::Log,
        Self::Recover,
        Self::Gc,
    ];

    /// Returns the word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Begin => "begin",
            Self::Status => "status",
            Self::Stage => "stage",
            Self::Test => "test",
            Self::Apply => "apply",
            Self::Recover => "recover",
            Self::Abort => "abort",
            Self::Diff => "diff",
            Self::List => "list",
            Self::Log => "log",
            Self::Gc => "gc",
        }
    }

    /// Returns the native name of the tool, `session.<word>`.
    pub fn native(self) -> String {
        format!("session.{}", self.word())
    }

    /// Returns the schema id of the result.
    pub fn kind(self) -> String {
        format!("genesis/agent-session-{}-v0.2", self.word())
    }

    /// Returns the operation that failures name.
    pub fn operation(self) -> String {
        format!("session/{}", self.word())
    }

    /// Returns what the command is for, in one sentence.
    pub const fn description(self) -> &'static str {
        match self {
            Self::Begin => {
                "Begins a session: freezes the present tree as its base, with the policy in force."
            }
            Self::Status => {
                "Shows a session, and what its current snapshot holds at the paths asked for."
            }
            Self::Stage => {
                "Adds a patch to a session, where its obligations hold on what the patch makes. Name a definition, or quote a short text within one; a pointer in a structured file; or replace the whole file."
            }
            Self::Test => "Runs the obligations of a session on its current snapshot.",
            Self::Apply => {
                "Writes the proved result of a session back to the live tree: exactly the changed paths, or none."
            }
            Self::Recover => "Undoes or finishes an apply that was cut short.",
            Self::Abort => "Gives a session up; the live tree stays as it is.",
            Self::Diff => {
                "Compares two states of a session, such as its base with its current snapshot or the live tree."
            }
            Self::List => "Lists the sessions of a root.",
            Self::Log => "Shows the events of a session, each of which names the one before it.",
            Self::Gc => {
                "Shows what no session needs any more, and removes it with `dry_run` false."
            }
        }
    }

    /// Returns what a call may change.
    pub const fn side_effects(self) -> SideEffects {
        match self {
            Self::Status | Self::Diff | Self::List | Self::Log => SideEffects::ReadOnly,
            Self::Begin
            | Self::Stage
            | Self::Test
            | Self::Apply
            | Self::Abort
            | Self::Recover
            | Self::Gc => SideEffects::WritesFilesystem,
        }
    }

    /// Returns for how long a host should wait. Which obligations run is not known before the root is, so that one of the default
    /// length is reckoned with.
    pub const fn suggested_timeout_millis(self) -> u64 {
        match self {
            Self::Stage | Self::Test => ONE_OBLIGATION_MILLIS + OWN_MILLIS,
            Self::Apply => 60_000,
            _ => OWN_MILLIS,
        }
    }

    /// Whether the command works on one session.
    pub const fn has_session(self) -> bool {
        !matches!(self, Self::List | Self::Recover | Self::Gc)
    }

    /// Returns the schema of the input: closed, an unknown member is refused.
    pub fn input_schema(self) -> Value {
        let mut properties = self.own_members();
        properties.insert(
            "root".to_owned(),
            json!({"type": "string", "minLength": 1, "x-lonis-path": "workspace-root",
                "description": "absolute path of the tree that the session is about"}),
        );
        let call = json!({"type": "string", "minLength": 1, "maxLength": MAX_CALL_BYTES,
            "description": "the caller's own id of this call; a repeated one is answered from the log"});
        properties.insert("call".to_owned(), call);
        let mut required = vec!["root"];
        if self.has_session() {
            required.push("session");
            properties.insert(
                "session".to_owned(),
                json!({"type": "string", "description": "id of the session: 1 to 64 letters, digits, `_` and `-`"}),
            );
            properties.insert(
                "expect_head".to_owned(),
                json!({"type": "string", "pattern": "^[0-9a-f]{64}$",
                    "description": "the `log_head` last seen; another one is refused"}),
            );
        }
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    fn own_members(self) -> Map<String, Value> {
        let flag = |about: &str| json!({"type": "boolean", "description": about});
        let cursor = json!({"type": "string", "maxLength": 128, "description": "`next_cursor` of the page before"});
        let paths = json!({"type": "array", "maxItems": 1000, "description": "paths relative to the root",
            "items": {"type": "string", "minLength": 1, "maxLength": 4096, "x-lonis-path": "workspace"}});
        let members = match self {
            Self::Begin => json!({"fresh": flag("read every file, whatever is known about it")}),
            Self::Apply => json!({
                "fresh": flag("read every file, whatever is known about it"),
                "rebase": {"enum": ["never", "disjoint"],
                    "description": "whether live changes of other paths are joined, and the union proved, before the result is written"},
            }),
            Self::Status => json!({
                "paths": paths,
                "read": {"enum": ["facts", "content"],
                    "description": "what to tell of each path beside its entry: how its text is written and what it defines, or that and its bytes"},
                "excluded": flag("list what was left out, and why"),
                "cursor": cursor,
                "identity": {"enum": ["v0.1"], "description": "also give the identity of the older form"},
            }),
            Self::Stage => json!({
                "patch": {"type": "object", "description": "a document of `genesis/semantic-patch-v0.2`; exactly one of `patch`, `diff` and `revert`"},
                "diff": {"type": "string", "minLength": 1, "description": "a unified diff, of git or plain, where there is one already"},
                "revert": {"type": "string", "description": "id of an applied session: what it did is undone"},
                "format": {"enum": ["unified"], "description": "the form of `diff`"},
                "gate": {"enum": ["obligations", "none"], "description": "whether the obligations run now, or with `test`"},
                "progress": flag("tell of each obligation as it starts and as it ends"),
            }),
            Self::Test => json!({
                "only": {"type": "array", "minItems": 1, "maxItems": 64, "items": {"type": "string"},
                    "description": "names of obligations; such a run proves nothing for `apply`"},
                "fresh": flag("empty the scratch directories first, and take no result over"),
                "progress": flag("tell of each obligation as it starts and as it ends"),
            }),
            Self::Recover => json!({
                "accept": {"type": "array", "maxItems": 1000, "items": {"type": "string", "x-lonis-path": "workspace"},
                    "description": "paths whose live state stays"},
                "verify": flag("read every object of the store again, and name the damaged ones"),
                "effect_of": {"type": "string", "minLength": 1, "maxLength": MAX_CALL_BYTES,
                    "description": "id of a call whose answer was lost: tells whether it took effect"},
            }),
            Self::Abort => json!({}),
            Self::Diff => {
                let side = json!({"type": "string", "minLength": 1, "maxLength": 80,
                    "description": "`base`, `current`, `live`, `attempt:<n>` or a snapshot id"});
                json!({
                    "from": side, "to": side, "paths": paths, "cursor": cursor,
                    "format": {"enum": ["summary", "unified"], "description": "with `unified` also the text of the difference"},
                })
            }
            Self::List => json!({
                "status": {"enum": ["open", "applied", "aborted", "damaged"], "description": "only sessions in this state"},
                "cursor": cursor,
            }),
            Self::Log => json!({
                "after_seq": {"type": "integer", "minimum": 0, "description": "only events after this one"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "at most this many"},
            }),
            Self::Gc => json!({
                "dry_run": flag("only show what would go; true where nothing is said"),
                "keep_days": {"type": "integer", "minimum": 0, "maximum": 36_500,
                    "description": "for how many days a closed session is kept; else as the policy file says"},
            }),
        };
        match members {
            Value::Object(members) => members,
            _ => Map::new(),
        }
    }

    /// Returns the schema of the result's data.
    pub fn output_schema(self) -> Value {
        output::schema(self)
    }
}
