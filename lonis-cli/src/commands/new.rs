//! `lonis new`: a provider to begin with, whole enough to pass `conform`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use lonis::host::ProviderName;
use lonis::{ErrorKind, ToolError};
use serde_json::json;

use crate::cli::{Language, New};
use crate::output::{DONE, Output};

/// The version of the facade that a new Rust provider asks for.
const FACADE: &str = concat!(
    env!("CARGO_PKG_VERSION_MAJOR"),
    ".",
    env!("CARGO_PKG_VERSION_MINOR")
);

/// A file to write, below the folder that it goes into.
struct Template {
    path: String,
    text: &'static str,
    mode: u32,
}

/// Writes the files of a provider; nothing that is there is touched.
pub(crate) fn run(arguments: &New, output: &mut Output) -> Result<u8, ToolError> {
    let name = ProviderName::new(&arguments.name)
        .map_err(|error| ToolError::new(ErrorKind::InvalidInput, error.to_string()))?;
    let folder = arguments.into.as_deref().unwrap_or(Path::new("."));
    let files = write_all(folder, &name, arguments.language)?;
    let next = next_steps(folder, &name, arguments.language);
    if output.mode().is_machine() {
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        output.document(&json!({ "created": name.as_str(), "files": files, "next": next }))?;
        return Ok(DONE);
    }
    for file in &files {
        output.line(&format!("wrote {}", file.display()))?;
    }
    for step in &next {
        output.line(&format!("next: {step}"))?;
    }
    Ok(DONE)
}

fn templates(name: &ProviderName, language: Language) -> Vec<Template> {
    let script = |text| {
        vec![Template {
            path: format!("lonis-{name}"),
            text,
            mode: 0o777,
        }]
    };
    match language {
        Language::Python => script(include_str!("../../templates/provider.py")),
        Language::Node => script(include_str!("../../templates/provider.js")),
        Language::Shell => script(include_str!("../../templates/provider.sh")),
        Language::Rust => vec![
            Template {
                path: format!("lonis-{name}/Cargo.toml"),
                text: include_str!("../../templates/manifest.toml"),
                mode: 0o666,
            },
            Template {
                path: format!("lonis-{name}/src/main.rs"),
                text: include_str!("../../templates/provider.rs"),
                mode: 0o666,
            },
        ],
    }
}

/// Writes all files, or none.
fn write_all(
    folder: &Path,
    name: &ProviderName,
    language: Language,
) -> Result<Vec<PathBuf>, ToolError> {
    let top = folder.join(format!("lonis-{name}"));
    let templates = templates(name, language);
    let is_folder = language == Language::Rust;
    fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
    if is_folder {
        fs::create_dir(&top).map_err(|error| refused(&top, &error))?;
    }
    let mut written = Vec::with_capacity(templates.len());
    for template in templates {
        let path = folder.join(&template.path);
        let text = filled(template.text, name);
        if let Err(error) = write(&path, &text, template.mode) {
            // A file that was there before is not ours to remove.
            if error.kind() != io::ErrorKind::AlreadyExists {
                let _ = if is_folder {
                    fs::remove_dir_all(&top)
                } else {
                    fs::remove_file(&path)
                };
            }
            return Err(refused(&path, &error));
        }
        written.push(path);
    }
    Ok(written)
}

fn write(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(path)?;
    file.write_all(text.as_bytes())
}

fn filled(text: &str, name: &ProviderName) -> String {
    text.replace("{{name}}", name.as_str())
        // A kind of a block has no hyphen.
        .replace("{{kind}}", &name.as_str().replace('-', "_"))
        .replace("{{version}}", FACADE)
}

fn refused(path: &Path, error: &io::Error) -> ToolError {
    if error.kind() == io::ErrorKind::AlreadyExists {
        return ToolError::new(
            ErrorKind::InvalidInput,
            format!("`{}` is there already and is left as it is", path.display()),
        )
        .with_hint("take another name, or another folder with `--into`");
    }
    not_written(path, error)
}

fn not_written(path: &Path, error: &io::Error) -> ToolError {
    ToolError::new(
        ErrorKind::Io,
        format!("`{}` cannot be written: {error}", path.display()),
    )
}

/// Commands that a person would give next.
fn next_steps(folder: &Path, name: &ProviderName, language: Language) -> Vec<String> {
    let top = folder.join(format!("lonis-{name}"));
    let program = match language {
        Language::Rust => top.join(format!("target/debug/lonis-{name}")),
        _ => top.clone(),
    };
    let program = for_a_shell(&program);
    let mut steps = Vec::new();
    if language == Language::Rust {
        let manifest = for_a_shell(&top.join("Cargo.toml"));
        steps.push(format!("cargo build --manifest-path {manifest}"));
    }
    steps.push(format!("lonis conform {program}"));
    steps.push(format!("lonis providers add {name} {program}"));
    steps.push(format!(
        "lonis call {name}:greet '{{\"names\":[\"Ada\",\"Grace\"]}}'"
    ));
    steps
}

/// A path as one word of a shell's command.
fn for_a_shell(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@%".contains(letter);
    if text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
