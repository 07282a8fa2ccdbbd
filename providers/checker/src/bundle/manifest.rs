//! `bundle.json`: what is in a bundle and what is not.

use soil::document::Writer;
use soil::spec::{Hashes, Reference, ReferenceTarget};

use super::{Budget, Weighed};

/// The manifest of a bundle.
///
/// # Wire shape
/// `{"definition","budget","estimate","packed":[path],"dropped":[{"item","reason"}],"oracle":Option,"spec_hashes":{…}}`;
/// unless it is plain, dropped items have `tokens`, and it names its `counter` and the budget `needed` to keep all.
pub(super) struct Manifest<'m> {
    pub(super) definition: String,
    pub(super) budget: Budget,
    pub(super) packed: &'m [&'m str],
    pub(super) dropped: &'m [Weighed],
    pub(super) needed: u64,
    /// What the cases are put to as well.
    pub(super) oracle: Option<&'m Reference>,
    pub(super) hashes: Option<Hashes>,
}

impl Manifest<'_> {
    /// Gives the text of the file.
    pub(super) fn text(&self, estimate: u64) -> String {
        let mut writer = Writer::new();
        writer.object(|writer| {
            writer.key("definition").string(&self.definition);
            writer.key("budget").number(self.budget.tokens);
            writer.key("estimate").number(estimate);
            writer.key("packed").array(|writer| {
                for path in self.packed {
                    writer.string(path);
                }
            });
            writer.key("dropped").array(|writer| {
                for unit in self.dropped {
                    writer.object(|writer| self.dropped_members(writer, unit));
                }
            });
            let oracle = writer.key("oracle");
            oracle.option(self.oracle, |writer, reference| {
                write_oracle(writer, &reference.target);
            });
            writer.key("spec_hashes").object(|writer| {
                let Some(hashes) = &self.hashes else { return };
                writer.key("formal").string(&hashes.formal.to_string());
                if let Some(test) = &hashes.test {
                    writer.key("test").string(&test.to_string());
                }
                writer.key("prose").string(&hashes.prose.to_string());
            });
            if !self.budget.is_plain {
                let counter = self.budget.counter;
                writer
                    .key("counter")
                    .object(|writer| counter.members(writer));
                writer.key("needed").number(self.needed);
            }
        });
        writer.finish_document()
    }

    fn dropped_members(&self, writer: &mut Writer, dropped: &Weighed) {
        writer.key("item").string(dropped.unit.path());
        writer.key("reason").string("budget");
        if !self.budget.is_plain {
            writer
                .key("tokens")
                .number(self.budget.counter.tokens(dropped.weight));
        }
    }
}

/// Writes what a reference names: `Reference {path, symbol}` or `Cli {command}`.
fn write_oracle(writer: &mut Writer, target: &ReferenceTarget) {
    match target {
        ReferenceTarget::Python { path, symbol } => writer.variant("Reference", |writer| {
            writer.key("path").string(path);
            writer.key("symbol").string(symbol);
        }),
        ReferenceTarget::Cli { command } => writer.variant("Cli", |writer| {
            writer.key("command").string(&command.join(" "));
        }),
    }
}
