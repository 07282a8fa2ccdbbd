//! The document of `search`.

use super::Writer;
use crate::print;
use crate::program::Program;
use crate::search::Found;

/// Gives the document of the definitions that a search found.
///
/// # Wire shape
/// `{"matches":[{"name":…,"module":…,"type":…,"how":…}],"cut":…}`; `how` is `exact`, `instance`, `reordered` or `partial`.
pub fn found(program: &Program, found: &Found) -> String {
    let names = &program.names;
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer.key("matches").array(|writer| {
            for one in &found.matches {
                let definition = &program[one.id];
                let tree = &program.file_of(one.id).tree;
                let signature = program.written(one.id).signature;
                writer.object(|writer| {
                    writer.key("name").name(names, definition.name);
                    writer.key("module").name(names, definition.module);
                    writer
                        .key("type")
                        .string(&print::ty(tree, names, signature));
                    writer.key("how").string(one.how.text());
                });
            }
        });
        writer.key("cut").boolean(found.is_cut);
    });
    writer.finish_document()
}
