//! The tools of 100 providers: asked, kept, and with some that are slow.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use lonis::Search;
use lonis::host::{Environment, Host};

use crate::case::{Case, Clock, Place};
use crate::kit::Kit;

const COUNT: usize = 100;

const ONE_BY_ONE_RUST: &str = "std: one by one, Rust";
const COLD_RUST: &str = "ours: 100 asked, Rust";

/// A folder of providers, and what a host has to know of it.
struct Place100 {
    environment: Environment,
    programs: Vec<PathBuf>,
}

impl Place100 {
    /// Links a program under many names, some of them with a meaning to it.
    fn make(kit: &Kit, name: &str, program: &Path, names: impl Fn(usize) -> String) -> Self {
        let folder = kit.subfolder(name).join("providers");
        let programs: Vec<PathBuf> = (0..COUNT)
            .map(|number| folder.join(format!("lonis-{}", names(number))))
            .collect();
        if fs::create_dir(&folder).is_ok() {
            // One copy, so that the links do not leave the file system; a failure shows as tools that are missing.
            let copy = kit.subfolder(name).join("program");
            let _ = fs::copy(program, &copy);
            for link in &programs {
                let _ = fs::hard_link(&copy, link);
            }
        }
        let environment = Environment::new(&kit.folder)
            .with_variable("LONIS_PROVIDER_PATH", &folder)
            .with_variable("XDG_CACHE_HOME", kit.subfolder(name).join("cache"))
            .with_variable("PATH", std::env::var_os("PATH").unwrap_or_default());
        Self {
            environment,
            programs,
        }
    }

    fn cold(&self) -> Environment {
        self.environment
            .clone()
            .with_variable("LONIS_NO_CACHE", "1")
    }
}

pub(super) fn cases(kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    let plain = Place100::make(kit, "static", &kit.child, |number| format!("p{number}"));
    let rust = Place100::make(kit, "rust", &kit.provider, |number| format!("p{number}"));
    let slow = Place100::make(kit, "sleepers", &kit.child, |number| {
        format!("sleeper{number}")
    });
    let hung = Place100::make(kit, "hung", &kit.child, |number| {
        let is_hung = if number == 50 { "hung" } else { "p" };
        format!("{is_hung}{number}")
    });
    let cached = plain.environment.clone();
    vec![
        case("ours: 100 asked, static C", plain.cold(), COUNT).beside("std: one by one, static C"),
        one_by_one("std: one by one, static C", plain.programs),
        case(COLD_RUST, rust.cold(), COUNT)
            .at_most(0.75, ONE_BY_ONE_RUST)
            .beside("ours: 100 asked, static C"),
        one_by_one(ONE_BY_ONE_RUST, rust.programs),
        case("ours: 100 cached", cached, COUNT)
            .at_most(0.01, COLD_RUST)
            .micros_at_most(500.0),
        case("ours: 100 that sleep 50 ms", slow.cold(), COUNT).micros_at_most(120_000.0),
        delayed("ours: 99 beside one that hangs", hung.cold()),
        search("ours: search over 10,000 tools").micros_at_most(20_000.0),
    ]
}

fn case(name: &str, environment: Environment, count: usize) -> Case {
    let tools = move || Host::load(&environment).map_or(0, |host| host.tools().len());
    Case::new(name, Clock::Wall, tools, move |found| *found == count).in_place(Place::Small)
}

/// One that hangs may take its own bound, five seconds, and nobody else's time; what is taken beyond it is shown.
fn delayed(name: &str, environment: Environment) -> Case {
    const BOUND: Duration = Duration::from_secs(5);
    Case::of_samples(name, move || {
        let start = std::time::Instant::now();
        let found = Host::load(&environment).map_or(0, |host| host.tools().len());
        let beyond = start.elapsed().saturating_sub(BOUND);
        #[expect(clippy::cast_precision_loss, reason = "nanoseconds of a short time")]
        if found == COUNT - 1 {
            Ok(beyond.as_nanos() as f64)
        } else {
            Err(format!("{found} tools were found"))
        }
    })
    .in_place(Place::Small)
    .micros_at_most(120_000.0)
}

/// Ten thousand ids and descriptions, ranked by two words that a tenth of them have.
fn search(name: &str) -> Case {
    const TOOLS: usize = 10_000;
    let tools: Vec<(String, String)> = (0..TOOLS)
        .map(|number| {
            let id = format!("provider{}:group{}:tool{number}", number % 100, number % 10);
            (
                id,
                format!("Does thing {} of area {}.", number % 13, number % 10),
            )
        })
        .collect();
    let ranked = move || {
        let search = Search::new(["group3", "area"]);
        search
            .ranked(&tools, |(id, description)| (id, description))
            .len()
    };
    Case::new(name, Clock::Wall, ranked, |found| *found == TOOLS / 10).in_place(Place::Small)
}

fn one_by_one(name: &str, programs: Vec<PathBuf>) -> Case {
    let ask = |program: &PathBuf| {
        ["manifest", "tools list", "tools describe"]
            .iter()
            .all(|question| answers(program, question))
    };
    let asked = move || programs.iter().filter(|program| ask(program)).count();
    Case::new(name, Clock::Wall, asked, |asked| *asked == COUNT).in_place(Place::Small)
}

/// The two programs spell the names of their tools in the two ways that there are.
fn is_static(program: &Path) -> bool {
    !program.components().any(|part| part.as_os_str() == "rust")
}

fn answers(program: &Path, question: &str) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let separator = if is_static(program) { '.' } else { ':' };
    let native = format!("{}{separator}echo", name.trim_start_matches("lonis-"));
    let mut command = Command::new(program);
    command
        .env_clear()
        .stdin(Stdio::null())
        .args(["--mode", "json"])
        .args(question.split(' '));
    if question.ends_with("describe") {
        command.arg(native);
    }
    command.output().is_ok_and(|output| output.status.success())
}
