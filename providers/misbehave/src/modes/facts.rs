//! What a tool sees of its surroundings, as JSON.

use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use misbehave::{group_of, session_of};
use rustix::process::{Resource, getgid, getpid, getppid, getrlimit, getuid};

use crate::block::quote;
use crate::options::Failure;
use crate::run::Run;

/// The limits that are listed, by the names of `wire`'s bounds where there is one.
const LIMITS: &[(&str, Resource)] = &[
    ("address_space", Resource::As),
    ("core", Resource::Core),
    ("cpu_seconds", Resource::Cpu),
    ("data", Resource::Data),
    ("file_bytes", Resource::Fsize),
    ("open_files", Resource::Nofile),
    ("stack", Resource::Stack),
];

/// The descriptors that are open now, less the one that lists them.
pub(crate) fn open_descriptors() -> Vec<i32> {
    let Ok(entries) = std::fs::read_dir("/dev/fd") else {
        return Vec::new();
    };
    let names: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    let mut open: Vec<i32> = names
        .iter()
        .filter(|path| path.read_link().is_ok() || path.metadata().is_ok())
        .filter_map(|path| path.file_name()?.to_str()?.parse().ok())
        .collect();
    open.sort_unstable();
    open
}

pub(crate) fn facts(run: &Run) -> Result<u8, Failure> {
    let directory = std::env::current_dir()?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let arguments: Vec<String> = std::env::args_os()
        .map(|argument| quote(&hex(argument.as_bytes())))
        .collect();
    let members = [
        ("arguments_hex", format!("[{}]", arguments.join(","))),
        ("environment", environment()),
        ("directory", path_facts(&directory)),
        ("directory_entries", entries(&directory)),
        ("descriptors", format!("{:?}", run.descriptors)),
        ("umask", quote(&format!("{:03o}", umask().bits()))),
        ("limits", limits()),
        ("blocked_signals", signals(&status, "SigBlk")),
        ("ignored_signals", signals(&status, "SigIgn")),
        (
            "no_new_privs",
            status_field(&status, "NoNewPrivs")
                .map_or("null".to_owned(), |value| (value == "1").to_string()),
        ),
        (
            "oom_score_adj",
            number_of(std::fs::read_to_string("/proc/self/oom_score_adj").ok()),
        ),
        (
            "nice",
            number_of(rustix::process::getpriority_process(None).ok()),
        ),
        ("pid", getpid().to_string()),
        ("parent", number_of(getppid())),
        ("group", number_of(group_of(getpid().as_raw_pid()))),
        ("session", number_of(session_of(getpid().as_raw_pid()))),
        ("user", getuid().as_raw().to_string()),
        ("user_group", getgid().as_raw().to_string()),
    ];
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    run.stdout()?
        .line(&run.block(&format!("{{{}}}", members.join(","))))?;
    Ok(0)
}

pub(crate) fn make_file(run: &Run) -> Result<u8, Failure> {
    let read_only = run.options.is_set("read_only");
    let folder = std::env::current_dir()?.join(if read_only { "locked" } else { "" });
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(run.options.text("name", "made"));
    let bytes = usize::try_from(run.options.number("bytes", 5)?).unwrap_or(usize::MAX);
    std::fs::write(&path, vec![b'x'; bytes])?;
    if let Some(target) = run.options.raw("link") {
        std::os::unix::fs::symlink(target, folder.join("link"))?;
    }
    if read_only {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o500))?;
    }
    run.stdout()?.line(&run.block(&path_facts(&path)))?;
    Ok(0)
}

pub(crate) fn connect(run: &Run) -> Result<u8, Failure> {
    let connected = std::net::TcpStream::connect(run.options.text("address", "127.0.0.1:9"));
    let number = connected.err().and_then(|error| error.raw_os_error());
    run.stdout()?.line(&run.block(&number_of(number)))?;
    Ok(0)
}

fn path_facts(path: &Path) -> String {
    let mode = path.metadata().map_or("null".to_owned(), |metadata| {
        quote(&format!("{:04o}", metadata.mode() & 0o7777))
    });
    format!(
        "{{\"path\":{},\"mode\":{mode}}}",
        quote(&path.to_string_lossy())
    )
}

fn entries(directory: &Path) -> String {
    let Ok(entries) = directory.read_dir() else {
        return "null".to_owned();
    };
    let names: Vec<String> = entries
        .flatten()
        .map(|entry| quote(&entry.file_name().to_string_lossy()))
        .collect();
    format!("[{}]", names.join(","))
}

fn environment() -> String {
    let pair = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        format!(
            "{}:{}",
            quote(&name.to_string_lossy()),
            quote(&value.to_string_lossy())
        )
    };
    let mut pairs: Vec<String> = std::env::vars_os().map(pair).collect();
    pairs.sort();
    format!("{{{}}}", pairs.join(","))
}

fn umask() -> rustix::fs::Mode {
    // Reading it means setting it; no file is made in between.
    let mask = rustix::process::umask(rustix::fs::Mode::empty());
    rustix::process::umask(mask);
    mask
}

fn limits() -> String {
    let limit = |&(name, resource): &(&str, Resource)| {
        let limit = getrlimit(resource);
        format!(
            "\"{name}\":{{\"soft\":{},\"hard\":{}}}",
            number_of(limit.current),
            number_of(limit.maximum)
        )
    };
    format!(
        "{{{}}}",
        LIMITS.iter().map(limit).collect::<Vec<_>>().join(",")
    )
}

/// The numbers in a mask of `/proc/self/status`, less PIPE, which Rust itself ignores before `main`.
fn signals(status: &str, field: &str) -> String {
    let mask = status_field(status, field).and_then(|hex| u64::from_str_radix(hex, 16).ok());
    let Some(mask) = mask else {
        return "null".to_owned();
    };
    let pipe = u32::try_from(signal_hook::consts::SIGPIPE).expect("signal numbers are positive");
    let set: Vec<u32> = (1..=64)
        .filter(|number| mask & (1 << (number - 1)) != 0 && *number != pipe)
        .collect();
    format!("{set:?}")
}

fn status_field<'a>(status: &'a str, field: &str) -> Option<&'a str> {
    status
        .lines()
        .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))
        .map(str::trim)
}

fn number_of(value: Option<impl ToString>) -> String {
    value.map_or("null".to_owned(), |value| {
        value.to_string().trim().to_owned()
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes any text");
        text
    })
}
