//! `answer`: a person answers what an agent asked.

use std::fmt::Write;
use std::io::{self, BufRead, IsTerminal};

use serde_json::json;

use super::{Common, Outcome};
use crate::face;
use crate::failure::Failure;
use crate::job::{Kind, Log, Question, Scope, answer, finish_answer, scopes};
use crate::project::Project;

/// What `answer` is given.
#[derive(Debug, clap::Args)]
pub(crate) struct Answer {
    /// The definition, `<module>/<name>` or the name where it is unique.
    #[arg(value_name = "DEF")]
    definition: String,
    /// The answer; a rule may begin with its label and a colon.
    #[arg(long, value_name = "TEXT", conflicts_with = "option")]
    text: Option<String>,
    /// One of the answers that the agent proposed, counted from 1.
    #[arg(long, value_name = "N")]
    option: Option<usize>,
    /// Whose decision a rule becomes.
    #[arg(long)]
    scope: Option<Scope>,
    #[command(flatten)]
    common: Common,
}

pub(super) fn run(arguments: &Answer, is_json: bool) -> Result<Outcome, Failure> {
    let root = arguments.common.root()?;
    finish_answer(&root)?;
    let project = Project::load(&root)?;
    let named = project.function(&arguments.definition)?;
    let folder = root.join(&named.module.folder);
    let question = Question::read(&folder, named.name)?.ok_or_else(|| {
        Failure::usage(&format!("no question about `{}` waits", named.full_name()))
    })?;
    let text = text(arguments, &question)?;
    let scope = match question.kind {
        Kind::Rule => Some(scope(arguments, &scopes(&project, named.module))?),
        _ if arguments.scope.is_some() => {
            return Err(Failure::usage("`--scope` is for questions about rules"));
        }
        _ => None,
    };
    let definition = named.full_name();
    let answered = answer(&root, &definition, &question, &text, scope)?;
    let text = if is_json {
        let document =
            json!({"definition": definition, "file": answered.path, "diff": answered.diff});
        format!("{document}\n")
    } else {
        let (path, diff) = (&answered.path, &answered.diff);
        let problem = Log::of(&folder, named.name).problem();
        let problem = problem.map_or_else(String::new, |problem| format!("{problem}\n"));
        format!("{path}\n{diff}{problem}`{definition}` can be lowered again\n")
    };
    Ok(Outcome {
        text,
        is_good: true,
    })
}

fn text(arguments: &Answer, question: &Question) -> Result<String, Failure> {
    let options = &question.options;
    if let Some(text) = &arguments.text {
        return Ok(text.clone());
    }
    if let Some(number) = arguments.option {
        let chosen = number.checked_sub(1).and_then(|index| options.get(index));
        return chosen.cloned().ok_or_else(|| {
            let count = options.len();
            Failure::usage(&format!(
                "`--option` is {number}, the question has {count} options"
            ))
        });
    }
    let mut prompt = format!("{}\n", question.text);
    for (index, option) in options.iter().enumerate() {
        writeln!(prompt, "  {}. {option}", index + 1)
            .expect("a text takes all that is written to it");
    }
    let given = ask(&prompt, "`--text` or `--option`")?;
    let number: Option<usize> = given.parse().ok();
    let chosen = number.and_then(|number| options.get(number.checked_sub(1)?));
    Ok(chosen.cloned().unwrap_or(given))
}

fn scope(arguments: &Answer, scopes: &[Scope]) -> Result<Scope, Failure> {
    match (arguments.scope, scopes) {
        (_, []) => Err(Failure::usage(
            "neither project nor module has a `decisions` block for the rule",
        )),
        (Some(scope), scopes) if !scopes.contains(&scope) => {
            let word = scope.text();
            Err(Failure::usage(&format!(
                "the {word} has no `decisions` block"
            )))
        }
        (Some(scope), _) => Ok(scope),
        (None, [scope]) => Ok(*scope),
        (None, _) => match ask("project or module?\n", "`--scope`")?.as_str() {
            "project" => Ok(Scope::Project),
            "module" => Ok(Scope::Module),
            other => Err(Failure::usage(&format!(
                "`{other}` is neither `project` nor `module`"
            ))),
        },
    }
}

/// Asks on the terminal; where there is none, the arguments have to say it.
fn ask(prompt: &str, argument: &str) -> Result<String, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::usage(&format!(
            "without a terminal {argument} must be given"
        )));
    }
    face::ask(prompt);
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line);
    read.map_err(|error| Failure::usage(&format!("the answer cannot be read: {error}")))?;
    Ok(line.trim().to_owned())
}
