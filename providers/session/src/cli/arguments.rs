//! The arguments of the command line, and the input of a command that they stand for.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command::Command;

/// Transactional edits of a directory tree, proved before they are applied.
#[derive(Debug, clap::Parser)]
#[command(
    name = "lonis-session",
    version,
    after_help = "A mode in front of the command is taken from a host: `--mode json` and `--mode ndjson` are `--json`, `--mode human` is text."
)]
pub struct Arguments {
    /// The tree; else the nearest directory upward with `lonis-session.toml`, with a repository, or this one.
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) root: Option<PathBuf>,
    /// Print one envelope of JSON.
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Your own id of this call; a repeated one is answered from the log.
    #[arg(long, global = true, value_name = "ID")]
    call: Option<String>,
    /// A `lonis.toml` whose tools obligations and languages of the policy may call.
    #[arg(long, global = true, value_name = "FILE")]
    pub(super) providers: Option<PathBuf>,
    #[command(subcommand)]
    pub(super) part: Part,
}

/// What a patch is: one of three.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(super) struct Change {
    /// The patch, a document of JSON; `-` is stdin.
    #[arg(long, value_name = "FILE")]
    patch: Option<PathBuf>,
    /// A unified diff; `-` is stdin.
    #[arg(long, value_name = "FILE")]
    diff: Option<PathBuf>,
    /// What this applied session did is undone.
    #[arg(long, value_name = "SESSION")]
    revert: Option<String>,
}

/// A command.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Part {
    /// Freezes the present tree as the base of a session.
    Begin {
        #[command(flatten)]
        on: On,
        /// Read every file, whatever is known about it.
        #[arg(long)]
        fresh: bool,
    },
    /// Shows a session, and what its current snapshot holds.
    Status {
        #[command(flatten)]
        on: On,
        /// Paths to show, relative to the root.
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
        /// What to tell of each path beside its entry.
        #[arg(long, value_parser = ["facts", "content"])]
        read: Option<String>,
        /// List what was left out, and why.
        #[arg(long)]
        excluded: bool,
        /// `next_cursor` of the page before.
        #[arg(long, value_name = "CURSOR")]
        cursor: Option<String>,
        /// Also give the identity of the older form.
        #[arg(long, value_parser = ["v0.1"])]
        identity: Option<String>,
    },
    /// Adds a checked patch to a session.
    Stage {
        #[command(flatten)]
        on: On,
        #[command(flatten)]
        what: Change,
        /// Whether the obligations run now, or with `test`.
        #[arg(long, value_parser = ["obligations", "none"])]
        gate: Option<String>,
        /// The form of the diff.
        #[arg(long, value_parser = ["unified"], requires = "diff")]
        format: Option<String>,
        /// Tell of each obligation on stderr as it starts and as it ends.
        #[arg(long)]
        progress: bool,
    },
    /// Runs the obligations on the current snapshot.
    Test {
        #[command(flatten)]
        on: On,
        /// Only this obligation; may repeat.
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Empty the scratch directories first, and take no result over.
        #[arg(long)]
        fresh: bool,
        /// Tell of each obligation on stderr as it starts and as it ends.
        #[arg(long)]
        progress: bool,
    },
    /// Writes the proved result back.
    Apply {
        #[command(flatten)]
        on: On,
        /// Read every file, whatever is known about it.
        #[arg(long)]
        fresh: bool,
        /// Whether live changes of other paths are joined, and the union proved, first: `never` or `disjoint`.
        #[arg(long, value_name = "HOW")]
        rebase: Option<String>,
    },
    /// Undoes or finishes an apply that was cut short.
    Recover {
        /// A path whose live state stays; may repeat.
        #[arg(long, value_name = "PATH")]
        accept: Vec<String>,
        /// Read every object of the store again, and name the damaged ones.
        #[arg(long)]
        verify: bool,
        /// Id of a call whose answer was lost: tells whether it took effect.
        #[arg(long, value_name = "ID")]
        effect_of: Option<String>,
    },
    /// Gives a session up.
    Abort {
        #[command(flatten)]
        on: On,
    },
    /// Compares two states of a session.
    Diff {
        #[command(flatten)]
        on: On,
        /// Only below these paths.
        #[arg(value_name = "PATH")]
        paths: Vec<String>,
        /// `base`, `current`, `live`, `attempt:<n>` or a snapshot id.
        #[arg(long, value_name = "STATE")]
        from: Option<String>,
        /// As `--from`.
        #[arg(long, value_name = "STATE")]
        to: Option<String>,
        /// Also give the text of the difference.
        #[arg(long, value_parser = ["summary", "unified"])]
        format: Option<String>,
        /// `next_cursor` of the page before.
        #[arg(long, value_name = "CURSOR")]
        cursor: Option<String>,
    },
    /// Lists the sessions of a root.
    List {
        /// Only sessions in this state.
        #[arg(long, value_parser = ["open", "applied", "aborted", "damaged"])]
        status: Option<String>,
        /// `next_cursor` of the page before.
        #[arg(long, value_name = "CURSOR")]
        cursor: Option<String>,
    },
    /// Shows the events of a session.
    Log {
        #[command(flatten)]
        on: On,
        /// Only events after this one.
        #[arg(long, value_name = "SEQ")]
        after_seq: Option<u64>,
        /// At most this many.
        #[arg(long)]
        limit: Option<usize>,
    },
    /// Shows what no session needs any more.
    Gc {
        /// Remove it.
        #[arg(long)]
        run: bool,
        /// For how many days a closed session is kept; else as the policy file says.
        #[arg(long, value_name = "DAYS")]
        keep_days: Option<u64>,
    },
    /// Explains a code of a diagnostic.
    Explain {
        /// The code, such as `session/stale-base`.
        code: String,
    },
}

/// The session that a command works on.
#[derive(Debug, clap::Args)]
pub(super) struct On {
    /// Id of the session.
    session: String,
    /// The `log_head` last seen; another one is refused.
    #[arg(long, value_name = "HEAD")]
    expect_head: Option<String>,
}

impl Arguments {
    /// The schema id of the result, where the command has one.
    pub(super) fn kind(&self) -> Option<String> {
        match &self.part {
            Part::Explain { .. } => None,
            part => Some(part.command()?.kind()),
        }
    }

    /// The command, where it changes something that stands even if nobody hears of it.
    pub(super) fn effect(&self) -> Option<&'static str> {
        match &self.part {
            Part::Begin { .. } => Some("begin"),
            Part::Stage { .. } => Some("stage"),
            Part::Test { .. } => Some("test"),
            Part::Apply { .. } => Some("apply"),
            Part::Recover { .. } => Some("recover"),
            Part::Abort { .. } => Some("abort"),
            Part::Gc { run: true, .. } => Some("gc --run"),
            Part::Status { .. }
            | Part::Diff { .. }
            | Part::List { .. }
            | Part::Log { .. }
            | Part::Gc { .. }
            | Part::Explain { .. } => None,
        }
    }

    /// The file that holds the patch.
    pub(super) fn patch(&self) -> Option<&Path> {
        match &self.part {
            Part::Stage { what, .. } => what.patch.as_deref(),
            _ => None,
        }
    }

    /// The file of a diff.
    pub(super) fn diff(&self) -> Option<&Path> {
        match &self.part {
            Part::Stage { what, .. } => what.diff.as_deref(),
            _ => None,
        }
    }

    /// The command and its input, without the root and the patch.
    pub(super) fn input(&self) -> Option<(Command, Value)> {
        let command = self.part.command()?;
        let mut input = self.part.members();
        if let Some(on) = self.part.on() {
            input["session"] = json!(on.session);
            set(&mut input, "expect_head", on.expect_head.as_ref());
        }
        set(&mut input, "call", self.call.as_ref());
        Some((command, input))
    }
}

impl Part {
    fn command(&self) -> Option<Command> {
        Some(match self {
            Self::Begin { .. } => Command::Begin,
            Self::Status { .. } => Command::Status,
            Self::Stage { .. } => Command::Stage,
            Self::Test { .. } => Command::Test,
            Self::Apply { .. } => Command::Apply,
            Self::Recover { .. } => Command::Recover,
            Self::Abort { .. } => Command::Abort,
            Self::Diff { .. } => Command::Diff,
            Self::List { .. } => Command::List,
            Self::Log { .. } => Command::Log,
            Self::Gc { .. } => Command::Gc,
            Self::Explain { .. } => return None,
        })
    }

    fn on(&self) -> Option<&On> {
        match self {
            Self::Begin { on, .. }
            | Self::Stage { on, .. }
            | Self::Test { on, .. }
            | Self::Apply { on, .. }
            | Self::Status { on, .. }
            | Self::Abort { on }
            | Self::Diff { on, .. }
            | Self::Log { on, .. } => Some(on),
            Self::List { .. } | Self::Recover { .. } | Self::Gc { .. } | Self::Explain { .. } => {
                None
            }
        }
    }

    fn members(&self) -> Value {
        let mut input = json!({});
        match self {
            Self::Begin { fresh, .. } => flag(&mut input, "fresh", *fresh),
            Self::Apply { fresh, rebase, .. } => {
                flag(&mut input, "fresh", *fresh);
                set(&mut input, "rebase", rebase.as_ref());
            }
            Self::Stage { .. } | Self::Test { .. } => self.proving(&mut input),
            Self::Recover {
                accept,
                verify,
                effect_of,
            } => {
                list(&mut input, "accept", accept);
                flag(&mut input, "verify", *verify);
                set(&mut input, "effect_of", effect_of.as_ref());
            }
            Self::Gc { run, keep_days } => collecting(&mut input, *run, keep_days.as_ref()),
            Self::Status {
                paths,
                read,
                excluded,
                cursor,
                identity,
                ..
            } => {
                list(&mut input, "paths", paths);
                set(&mut input, "read", read.as_ref());
                flag(&mut input, "excluded", *excluded);
                set(&mut input, "cursor", cursor.as_ref());
                set(&mut input, "identity", identity.as_ref());
            }
            Self::Diff {
                paths,
                from,
                to,
                format,
                cursor,
                ..
            } => {
                list(&mut input, "paths", paths);
                set(&mut input, "from", from.as_ref());
                set(&mut input, "to", to.as_ref());
                set(&mut input, "format", format.as_ref());
                set(&mut input, "cursor", cursor.as_ref());
            }
            Self::List { status, cursor } => {
                set(&mut input, "status", status.as_ref());
                set(&mut input, "cursor", cursor.as_ref());
            }
            Self::Log {
                after_seq, limit, ..
            } => {
                set(&mut input, "after_seq", after_seq.as_ref());
                set(&mut input, "limit", limit.as_ref());
            }
            Self::Abort { .. } | Self::Explain { .. } => {}
        }
        input
    }

    /// The members of the commands that run obligations.
    fn proving(&self, input: &mut Value) {
        match self {
            Self::Stage {
                gate,
                what,
                format,
                progress,
                ..
            } => {
                flag(input, "progress", *progress);
                set(input, "gate", gate.as_ref());
                set(input, "format", format.as_ref());
                set(input, "revert", what.revert.as_ref());
            }
            Self::Test {
                only,
                fresh,
                progress,
                ..
            } => {
                flag(input, "progress", *progress);
                list(input, "only", only);
                flag(input, "fresh", *fresh);
            }
            _ => {}
        }
    }
}

/// Sets a member that was given.
fn set<T: serde::Serialize>(input: &mut Value, name: &str, value: Option<&T>) {
    if let Some(value) = value {
        input[name] = json!(value);
    }
}

/// Nothing goes unless it is asked for.
fn collecting(input: &mut Value, run: bool, keep_days: Option<&u64>) {
    set(input, "dry_run", run.then_some(&false));
    set(input, "keep_days", keep_days);
}

fn flag(input: &mut Value, name: &str, value: bool) {
    set(input, name, value.then_some(&true));
}

fn list(input: &mut Value, name: &str, items: &Vec<String>) {
    set(input, name, (!items.is_empty()).then_some(items));
}
