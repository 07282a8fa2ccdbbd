//! Opening a job.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use soil::diagnostic::{Code, Diagnostics};
use soil::document::{Detail, Writer, list};

use super::answered::finish_answer;
use super::basis::Basis;
use super::bundle_files::BUNDLE;
use super::directory::{Directory, create_file};
use super::exposure::exposure;
use super::files::{Files, now_millis, now_nanos};
use super::log::Log;
use super::place::{HeldPlace, Place, overlook_traces};
use super::preflight::{self, Warnings};
use super::question::Question;
use super::record::{CalleeHashes, Caps, Hash, JOB_FORMAT, Limits, Record, State};
use crate::bundle::{Budget, Bundle};
use crate::failure::Failure;
use crate::project::{Named, Project};

/// What a host asks for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// `<module>/<name>`, or the name where it is unique.
    pub(crate) definition: String,
    pub(crate) budget: Budget,
    pub(crate) caps: Caps,
    pub(crate) provider: Option<String>,
    pub(crate) model: Option<String>,
}

/// Opens a job for a definition of the project at a root, and gives what the host prints.
///
/// # Wire shape
/// `{"job":path,"definition":S,"budget":N,"estimate":N,"dropped":N,"warnings":[Diagnostic]}`
///
/// # Errors
/// What keeps the definition from being lowered; nothing is left behind then but a line in its log.
pub(crate) fn open(root: &Path, place: Place, request: &Request) -> Result<String, Failure> {
    finish_answer(root)?;
    let looked = now_nanos();
    let project = Project::load(root)?;
    let named = project.function(&request.definition)?;
    overlook_traces(root);
    let opening = Opening {
        root,
        project: &project,
        named,
        request,
        looked,
    };
    let log = Log::of(&root.join(&named.module.folder), named.name);
    opening.open(place, &log).inspect_err(|failure| {
        let found = findings(&failure.diagnostics, "error");
        log.note("preflight", json!({"findings": found}));
    })
}

struct Opening<'o> {
    root: &'o Path,
    project: &'o Project,
    named: Named<'o>,
    request: &'o Request,
    looked: u128,
}

impl Opening<'_> {
    fn open(&self, place: Place, log: &Log) -> Result<String, Failure> {
        let name = self.named.name;
        let folder = self.root.join(&self.named.module.folder);
        preflight::surroundings(self.project, self.named)?;
        if Question::is_open(&folder, name) {
            let message = format!("`{name}.question.json` waits for its answer");
            return Err(Failure::new(Code::JobQuestionOpen, message));
        }
        let warnings = preflight::look(self.project, self.named)?;
        let basis = Basis::of(self.project, self.named)?;
        let hashes = basis
            .spec_hashes
            .ok_or_else(|| Failure::usage(&format!("`{}` has no spec", self.named.full_name())))?;
        let packed = Bundle::pack(self.project, self.named, self.request.budget)?;
        let record = Record {
            job_format: JOB_FORMAT,
            definition: self.named.full_name(),
            root: self.root.to_path_buf(),
            state: State::Running,
            budget: self.request.budget.tokens,
            caps: self.request.caps,
            limits: Limits::default(),
            spec_hashes: hashes,
            decisions: basis.decisions,
            callee_hashes: CalleeHashes::of(&basis.callee_hashes),
            previous_soil_hash: basis.soil_hash,
            bundle_digest: Hash(packed.digest()),
            provider: self.request.provider.clone(),
            model: self.request.model.clone(),
            opened: now_millis(),
            turns: 0,
            cost_micros: 0,
            plain: self.request.budget.is_plain,
            cap_untold: false,
        };
        let place = place.hold(self.root)?;
        let directory = self.write(&place, &record, &packed)?;
        note_opened(log, &record, &packed, &warnings);
        Ok(answer(&directory, &record, &packed, &warnings))
    }

    /// Writes all of a job under another name and gives it its own at the end.
    fn write(
        &self,
        place: &HeldPlace,
        record: &Record,
        packed: &Bundle,
    ) -> Result<Directory, Failure> {
        let path = place.free(&self.named.module.name, self.named.name);
        let begun = place.begin()?;
        let written = self.write_into(&begun, &path, record, packed);
        if written.is_err() {
            // The reason for which nothing is written may keep it from being removed; the next one who opens a job tries again.
            let _ = fs::remove_dir_all(begun.path());
        }
        written?;
        begun.rename(path)
    }

    fn write_into(
        &self,
        begun: &Directory,
        path: &Path,
        record: &Record,
        packed: &Bundle,
    ) -> Result<(), Failure> {
        write_bundle(packed, &begun.path().join(BUNDLE))?;
        Directory::create(begun.path().join("cache"))?;
        begun.replace("mcp.toml", exposure(path).as_bytes())?;
        Files::of(self.root, self.project, self.named, self.looked)?.store(begun)?;
        begun.set_record(record)
    }
}

/// Writes the files of a bundle below a folder that is not there yet, or empty.
///
/// # Errors
/// `io`, when they cannot be written.
pub(crate) fn write_bundle(bundle: &Bundle, folder: &Path) -> Result<(), Failure> {
    let mut last = None;
    for (path, bytes) in &bundle.files {
        let path = folder.join(path);
        let parent = path.parent().map(Path::to_path_buf);
        if let Some(parent) = parent.as_deref().filter(|_| parent != last) {
            fs::create_dir_all(parent).map_err(|error| Failure::io(parent, &error))?;
        }
        last = parent;
        create_file(&path, bytes, 0o600)?;
    }
    Ok(())
}

/// Logs that a job was opened.
fn note_opened(log: &Log, record: &Record, packed: &Bundle, warnings: &Warnings) {
    let fields = json!({
        "definition": record.definition,
        "spec_hashes": record.spec_hashes,
        "decisions": record.decisions,
        "provider": record.provider,
        "model": record.model,
        "caps": record.caps,
        "limits": record.limits,
    });
    log.note("job_started", fields);
    let found = findings(&warnings.found, "warning");
    log.note("preflight", json!({"findings": found}));
    let manifest: Value = serde_json::from_slice(packed.manifest()).unwrap_or_default();
    log.note("bundle_packed", json!({"manifest": manifest}));
}

fn findings(found: &Diagnostics, severity: &str) -> Vec<Value> {
    let found = found
        .iter()
        .map(|one| json!({"code": one.code.text(), "message": one.message, "severity": severity}));
    found.collect()
}

fn answer(directory: &Directory, record: &Record, packed: &Bundle, warnings: &Warnings) -> String {
    let mut writer = Writer::new();
    writer.object(|writer| {
        writer
            .key("job")
            .string(&directory.path().to_string_lossy());
        writer.key("definition").string(&record.definition);
        writer.key("budget").number(record.budget);
        writer.key("estimate").number(packed.estimate);
        writer.key("dropped").number(packed.dropped);
        let found = warnings.found.clone();
        let detail = if record.plain {
            Detail::Classified
        } else {
            Detail::Rich
        };
        // A spec with more warnings than are shown has its owner's attention anyway.
        let _ = list(writer.key("warnings"), found, &warnings.sources, detail);
    });
    writer.finish_document()
}
