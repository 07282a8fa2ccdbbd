//! A project of any size, in Soil and in Python.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use ::soil::program::{ProgramTexts, Text};

/// The signature of every definition.
fn signature(name: &str) -> String {
    format!("{name} : (low : I64) -> (high : I64) -> (value : I64) -> panic I64\n")
}

/// Gives the name and the text of a definition of 12 lines that calls the one before it.
pub(in crate::groups) fn definition(number: usize) -> (String, String) {
    let name = format!("step_{number}");
    let inner = match number.checked_sub(1) {
        Some(before) => format!("step_{before} low high (value - low)"),
        None => "value".to_owned(),
    };
    let signature = signature(&name);
    let text = format!(
        "{signature}\
         {name} low high value =\n  let width = high - low in\n  let moved = fun by ->\n    if by < width\n    \
         then value + by\n    else width\n  in\n  match Some (moved low) with\n  | None -> low\n  \
         | Some found -> if found < low\n    then {inner}\n    else found * 2\n"
    );
    (name, text)
}

/// Gives the spec of a definition, with two cases.
pub(in crate::groups) fn spec(number: usize) -> String {
    let name = format!("step_{number}");
    let signature = signature(&name);
    format!(
        "---\nname: {name}\n---\n\nMoves a value between two bounds, step {number}.\n\n\
         ```soil-sig\n{signature}```\n\n```test moved\n(1, 10, 5) => 12\n(2, 20, 3) => 10\n```\n"
    )
}

/// Gives the texts of so many definitions.
pub(super) fn texts(count: usize) -> ProgramTexts {
    let definitions = (0..count).map(|number| {
        let (name, text) = definition(number);
        Text::new(format!("m/{name}.soil"), text.into_bytes())
    });
    ProgramTexts {
        definitions: definitions.collect(),
        ..ProgramTexts::default()
    }
}

/// The same definition in Python, with annotations, in a file that imports the one before it.
fn python(number: usize) -> String {
    let mut text = String::new();
    let mut inner = "value".to_owned();
    if let Some(before) = number.checked_sub(1) {
        // A string takes all that is written to it.
        let _ = writeln!(text, "from m.step_{before} import step_{before}\n\n");
        inner = format!("step_{before}(low, high, value - low)");
    }
    let _ = writeln!(
        text,
        "def step_{number}(low: int, high: int, value: int) -> int:\n    width = high - low\n\n    \
         def moved(by: int) -> int:\n        if by < width:\n            return value + by\n        \
         return width\n\n    match moved(low):\n        case found if found < low:\n            \
         return {inner}\n        case found:\n            return found * 2"
    );
    text
}

/// Writes a Soil program of so many definitions, of which all but the last `bodies` are read for their signatures only.
pub(super) fn write_soil(folder: &Path, count: usize, bodies: usize) -> io::Result<()> {
    fs::create_dir_all(folder.join("m"))?;
    fs::write(folder.join("env.json"), r#"{"types":[]}"#)?;
    let (mut sigs, mut defs) = (Vec::new(), Vec::new());
    for number in 0..count {
        let (name, text) = definition(number);
        let path = format!("m/{name}.soil");
        fs::write(folder.join(&path), text)?;
        if number + bodies < count {
            sigs.push(path);
        } else {
            defs.push(path);
        }
    }
    let manifest = serde_json::json!({"types": "env.json", "defs": defs, "sigs": sigs});
    fs::write(folder.join("program.json"), manifest.to_string())
}

/// Writes the Python project, and counts its lines.
pub(super) fn write_python(folder: &Path, count: usize) -> io::Result<usize> {
    let package = folder.join("m");
    fs::create_dir_all(&package)?;
    fs::write(package.join("__init__.py"), "")?;
    let mut lines = 0;
    for number in 0..count {
        let text = python(number);
        lines += text.lines().count();
        fs::write(package.join(format!("step_{number}.py")), text)?;
    }
    Ok(lines)
}
