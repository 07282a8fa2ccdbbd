//! The arguments of `lonis`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};

use crate::units;

/// Finds, describes and calls tools that live in other programs: bounded, typed, replayable.
#[derive(Debug, Parser)]
#[command(
    name = "lonis",
    version,
    propagate_version = false,
    disable_help_subcommand = false
)]
#[command(
    after_help = "`lonis NAME …` runs `lonis-NAME` from the provider folders when NAME is no command above."
)]
pub(crate) struct Cli {
    /// How output is written: for people, as one JSON document, or one JSON value a line.
    #[arg(
        long,
        value_enum,
        default_value = "human",
        global = true,
        value_name = "MODE"
    )]
    pub(crate) mode: Mode,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How output is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Text for people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON value a line.
    Ndjson,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Finds and describes tools.
    #[command(subcommand)]
    Tools(Tools),
    /// Calls a tool.
    Call(Call),
    /// Calls a tool once for each of many inputs, several at one time.
    Map(Map),
    /// Makes a recorded call again and compares, or plays its record.
    Replay(Replay),
    /// Lists the schemas, or prints one.
    Schema {
        /// A name such as `block`, `message` or `contract`.
        name: Option<String>,
    },
    /// Checks a document with the decoder that the host uses.
    Validate {
        /// What the document is; a block, where it is not said.
        #[arg(long = "as", value_name = "NAME", default_value = "block")]
        kind: String,
        /// Takes findings as errors.
        #[arg(long)]
        strict: bool,
        /// The file, as `FILE` or `@FILE`; `-` or nothing is stdin.
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
    /// Prints the content hash of a block, or the canonical hash of any JSON value.
    Hash {
        /// The file, as `FILE` or `@FILE`; `-` or nothing is stdin.
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
    /// Prints what `lonis` says of itself as a provider.
    Manifest,
    /// Lists, adds, removes and examines providers.
    #[command(subcommand)]
    Providers(Providers),
    /// Lets a project file start programs, after showing which.
    Trust(Trust),
    /// Writes a new provider to begin with: one tool, ready to be called and to pass `conform`.
    New(New),
    /// Runs a provider through the protocol and says what holds and what falls short.
    Conform(Conform),
    /// Prints a completion script.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    #[command(external_subcommand)]
    External(Vec<OsString>),
}

#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The file; the one found for this directory, where none is given.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Shows what the file would start, and trusts nothing.
    #[arg(long, conflicts_with_all = ["list", "remove"])]
    pub(crate) show: bool,
    /// Lists the trusted files.
    #[arg(long, conflicts_with_all = ["file", "remove"])]
    pub(crate) list: bool,
    /// Ends the trust instead.
    #[arg(long)]
    pub(crate) remove: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tools {
    /// Lists the tools, a line each.
    List,
    /// Finds tools by words of their id and description, the likeliest first.
    Search {
        /// The words; a tool has to have all of them.
        #[arg(required = true)]
        words: Vec<String>,
        /// Shows no more than this many.
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
    },
    /// Prints a tool's contract.
    Describe {
        /// The tool's id.
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    /// The tool's id.
    pub(crate) id: String,
    /// JSON, `@FILE`, or `-` for stdin; nothing is stdin too.
    #[arg(allow_negative_numbers = true)]
    pub(crate) input: Option<OsString>,
    /// Writes each block as it comes.
    #[arg(long)]
    pub(crate) stream: bool,
    /// Time that the tool may take: milliseconds, or with `ms`, `s`, `m`, `h`.
    #[arg(long, value_parser = units::millis, value_name = "TIME")]
    pub(crate) timeout: Option<u64>,
    /// Bytes that it may write to stdout, or with `KiB`, `MiB`, `GiB`.
    #[arg(long, value_parser = units::bytes, value_name = "SIZE")]
    pub(crate) max_stdout: Option<u64>,
    /// Bytes that it may write to stderr.
    #[arg(long, value_parser = units::bytes, value_name = "SIZE")]
    pub(crate) max_stderr: Option<u64>,
    /// A variable for the tool: `NAME=VALUE`, or `NAME` to hand on this one.
    #[arg(long, value_name = "NAME[=VALUE]")]
    pub(crate) env: Vec<OsString>,
    /// The tool's working directory, in place of an empty private one.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) cwd: Option<PathBuf>,
    /// Adds a note with what the call took.
    #[arg(long)]
    pub(crate) timing: bool,
    /// Agrees to the call where a policy asks.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Writes the call down: into a new file, or into one of its own in a folder.
    #[arg(long, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub(crate) record: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Map {
    /// The tool's id.
    pub(crate) id: String,
    /// The inputs, a line of JSON each: `@FILE`, or `-` for stdin; nothing is stdin too.
    pub(crate) inputs: Option<OsString>,
    /// Calls at one time; four for each core, where it is not said.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..), value_name = "COUNT")]
    pub(crate) width: Option<u64>,
    /// How often a call that failed for a reason that may pass is made again; only where the tool changes nothing.
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    pub(crate) retries: u32,
    /// Keeps each result in this file, and goes on from there when it is there.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) journal: Option<PathBuf>,
    /// Time that each call may take: milliseconds, or with `ms`, `s`, `m`, `h`.
    #[arg(long, value_parser = units::millis, value_name = "TIME")]
    pub(crate) timeout: Option<u64>,
    /// Bytes that each call may write to stdout, or with `KiB`, `MiB`, `GiB`.
    #[arg(long, value_parser = units::bytes, value_name = "SIZE")]
    pub(crate) max_stdout: Option<u64>,
    /// Bytes that each call may write to stderr.
    #[arg(long, value_parser = units::bytes, value_name = "SIZE")]
    pub(crate) max_stderr: Option<u64>,
    /// Agrees to every call where a policy asks.
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The file that `call --record` wrote.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) record: PathBuf,
    /// Writes what the call wrote, byte for byte, and starts nothing.
    #[arg(long)]
    pub(crate) offline: bool,
    /// Writes each block as it is read, as `call --stream` did.
    #[arg(long, requires = "offline")]
    pub(crate) stream: bool,
    /// Agrees to calling again a tool that may change something.
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Providers {
    /// Lists every provider with its source and state.
    List,
    /// Asks a program for its tools, then writes it into the user file.
    Add {
        /// The provider's name.
        name: String,
        /// The program and its first arguments; those that begin with `-` stand behind `--`.
        #[arg(required = true)]
        command: Vec<OsString>,
        /// Writes it into the project file instead.
        #[arg(long)]
        project: bool,
    },
    /// Takes a provider out of the user file.
    Remove {
        /// The provider's name.
        name: String,
        /// Takes it out of the project file instead.
        #[arg(long)]
        project: bool,
    },
    /// Runs the discovery of a provider, or of all, and says what this machine can hold.
    Doctor {
        /// The provider's name.
        name: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct New {
    /// The provider's name; its program is called `lonis-NAME`.
    pub(crate) name: String,
    /// The language to write it in.
    #[arg(long, value_enum, default_value = "python", value_name = "LANGUAGE")]
    pub(crate) language: Language,
    /// The folder that it is written into; the current one, where none is given.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) into: Option<PathBuf>,
}

/// A language that `lonis new` can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// One script; needs Python 3.10 alone.
    Python,
    /// One script; needs Node 18 alone.
    Node,
    /// One POSIX script; needs jq.
    Shell,
    /// A crate that links the facade.
    Rust,
}

#[derive(Debug, Args)]
pub(crate) struct Conform {
    /// A registered name, or the path of a program.
    pub(crate) provider: OsString,
    /// Input for the calls, in place of one made from the contract: `JSON` or `@FILE`, for one tool `NAME=JSON`.
    #[arg(long, value_name = "[NAME=]JSON")]
    pub(crate) input: Vec<String>,
    /// Examines this tool alone, by its native name; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Vec<String>,
}
