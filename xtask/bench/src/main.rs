//! `cargo xtask bench`: Lonis beside its peers, as ratios of one run on one machine.
//!
//! All cases of a group run once per round, in an order drawn anew each round. Cases that start children run in host
//! processes, a small one and one with 1 GiB touched, which are this program again.

mod arguments;
mod case;
mod groups;
mod host;
mod kit;
mod machine;
mod report;
mod runner;
mod statistics;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use arguments::{Arguments, Given};
use groups::{GROUPS, Group};
use host::Manner;
use kit::Kit;
use machine::{Machine, load};
use report::Results;
use runner::Rounds;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let result = match words.first().map(String::as_str) {
        Some("host") => serve(&words),
        Some("peak") => peak(&words),
        Some("live") => live(&words),
        Some("checked") => checked(&words),
        Some("begun") => begun(&words),
        _ => run(&words),
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let arguments = Arguments::read(words)?;
    for name in &arguments.groups {
        if !GROUPS.iter().any(|group| group.is_called(name)) {
            let known: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
            return Err(format!(
                "no group is called `{name}`; there are {}",
                known.join(", ")
            )
            .into());
        }
    }
    let folder = Folder::make()?;
    let kit = Kit::find(&folder.0, &arguments.given)?;
    let machine = Machine::look(&kit);
    if !arguments.json {
        println!("{}\nload {:.2}", machine.lines(), load());
    }
    let mut missed = 0;
    for group in GROUPS {
        let named = &arguments.groups;
        if named.is_empty() || named.iter().any(|name| group.is_called(name)) {
            missed += run_group(group, &kit, &machine, &arguments)?;
        }
    }
    if !arguments.json {
        println!("\nload {:.2}", load());
    }
    let failed = arguments.strict && missed > 0;
    Ok(ExitCode::from(u8::from(failed)))
}

fn run_group(
    group: &Group,
    kit: &Kit,
    machine: &Machine,
    arguments: &Arguments,
) -> Result<usize, Box<dyn Error>> {
    let mut absent = Vec::new();
    let before = load();
    let cases = groups::asked((group.cases)(kit, &mut absent), &arguments.cases);
    let has_all = arguments.cases.is_empty();
    if cases.is_empty() && !has_all {
        return Ok(0);
    }
    eprintln!("{} …", group.name);
    let start = Instant::now();
    let mut cases = groups::in_hosts(group, cases, &host_arguments(kit))?;
    let rounds = if arguments.quick {
        Rounds::QUICK
    } else {
        Rounds::FULL
    };
    let series = runner::measure(&mut cases, rounds)?;
    let facts = if has_all {
        (group.facts)(kit)?
    } else {
        Vec::new()
    };
    eprintln!("{}: {:.0} s", group.name, start.elapsed().as_secs_f64());
    let results = Results {
        group: group.name,
        cases: &cases,
        series: &series,
        facts,
        absent,
        load: before.max(load()),
        cores: machine.cores,
    };
    Ok(results.print(arguments.json))
}

/// What a host has to know: the folder, then the programs.
fn host_arguments(kit: &Kit) -> Vec<String> {
    let text = |path: &Path| path.display().to_string();
    let optional = |path: &Option<PathBuf>| path.as_deref().map_or(String::new(), text);
    vec![
        text(&kit.folder),
        optional(&kit.lonis),
        optional(&kit.published),
    ]
}

fn serve(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let [_, group, bytes, adopts, folder, lonis, published] = words else {
        return Err("a host needs six arguments".into());
    };
    let given = Given {
        lonis: Some(PathBuf::from(lonis)),
        published: Some(PathBuf::from(published)),
        ..Given::default()
    };
    let kit = Kit::find(Path::new(folder), &given)?;
    let manner = Manner {
        bytes: bytes.parse()?,
        adopts: adopts == "adopts",
    };
    if manner.adopts {
        lonis::process::adopt_orphans(lonis::process::OtherChildren::None)?;
    }
    let group = GROUPS.iter().find(|known| known.name == group);
    let group = group.ok_or("a host needs a group")?;
    host::serve(manner, (group.cases)(&kit, &mut Vec::new()))?;
    Ok(ExitCode::SUCCESS)
}

fn peak(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let [_, child, count] = words else {
        return Err("a peak needs a child and a count".into());
    };
    let peak = groups::peak_of(PathBuf::from(child), count.parse()?);
    println!("{}", peak.ok_or("not every block arrived")?);
    Ok(ExitCode::SUCCESS)
}

fn live(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let child = words.get(1).ok_or("live calls need a child")?;
    let figures = groups::hold_live(Path::new(child));
    println!("{}", figures.ok_or("this process cannot look at itself")?);
    Ok(ExitCode::SUCCESS)
}

/// Checks a generated project, and prints the peak of this process.
fn checked(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let count = words.get(1).ok_or("a check needs a count of definitions")?;
    let peak = groups::check_generated(count.parse()?).ok_or("the project is not accepted")?;
    println!("{peak}");
    Ok(ExitCode::SUCCESS)
}

/// Captures a directory for the first time, and prints the peak of this process.
fn begun(words: &[String]) -> Result<ExitCode, Box<dyn Error>> {
    let root = words.get(1).ok_or("a capture needs a root")?;
    println!("{}", groups::peak_of_begin(Path::new(root))?);
    Ok(ExitCode::SUCCESS)
}

/// A folder that goes with its value.
struct Folder(PathBuf);

impl Folder {
    fn make() -> std::io::Result<Self> {
        let path = env::temp_dir().join(format!("lonis-bench-{}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is in the system's temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}
