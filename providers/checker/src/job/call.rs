//! One call of a tool: what is judged before any work, and what holds for the whole of it.

use soil::diagnostic::{Code, Diagnostic};

use super::asking;
use super::basis::Basis;
use super::directory::Directory;
use super::draft::Draft;
use super::files::{Files, Look, now_millis, now_nanos};
use super::hold::Hold;
use super::log::Log;
use super::record::{Record, State};
use crate::failure::Failure;
use crate::project::{Named, Others, Project, Reacher};

/// A job that a call has to itself.
#[derive(Debug)]
pub(crate) struct JobCall {
    pub(crate) directory: Directory,
    pub(crate) record: Record,
    project: Option<Project>,
    /// What was seen of the files of the project, which all of them still say; what came since is no part of the job.
    seen: Option<Files>,
    _hold: Hold,
}

impl JobCall {
    /// Takes a job for one command of the host.
    ///
    /// # Errors
    /// `job-not-running`, when the reference is no job; `io`.
    pub(crate) fn take(reference: &str) -> Result<Self, Failure> {
        let directory = Directory::find(reference)?;
        let hold = directory.hold()?;
        let mut record = directory.record()?.ok_or_else(|| {
            let message = format!("`{reference}` is no job any more");
            Failure::new(Code::JobNotRunning, message)
        })?;
        asking::finish(&directory, &mut record)?;
        Ok(Self {
            directory,
            record,
            project: None,
            seen: None,
            _hold: hold,
        })
    }

    /// Gives the log of a job that cannot be taken; none where the reference is no job.
    pub(crate) fn log_of(reference: &str) -> Option<Log> {
        let record = Directory::find(reference).ok()?.record().ok()??;
        Some(record.log())
    }

    /// Counts a call of a tool, also where it is refused below, and says whether there is anything to be done for it.
    ///
    /// # Errors
    /// `job-not-running`, `job-cap-exceeded`, `job-invalidated`, `io`.
    pub(crate) fn admit(&mut self) -> Result<(), Failure> {
        // The first call behind a charge that reached the cap is told so, as that behind any other cap.
        let is_untold = std::mem::take(&mut self.record.cap_untold);
        if self.record.state != State::Running && !is_untold {
            let message = format!(
                "the job of `{}` is {}",
                self.record.definition,
                self.record.state.text()
            );
            return Err(Failure::new(Code::JobNotRunning, message));
        }
        self.record.turns += 1;
        self.save()?;
        if let Some(cap) = self.broken_cap() {
            self.end(State::Capped)?;
            return Err(Failure::new(Code::JobCapExceeded, cap));
        }
        let moved = self.moved()?;
        if !moved.is_empty() {
            self.end(State::Invalidated)?;
            return Err(invalidated(&self.record, &moved));
        }
        Ok(())
    }

    /// Writes `job.json`.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn save(&self) -> Result<(), Failure> {
        self.directory.set_record(&self.record)
    }

    /// Sets the state and writes it.
    ///
    /// # Errors
    /// `io`, when it cannot be written.
    pub(crate) fn end(&mut self, state: State) -> Result<(), Failure> {
        self.record.state = state;
        self.save()
    }

    /// Says which cap is reached, if one is.
    pub(crate) fn broken_cap(&self) -> Option<String> {
        let Record {
            caps,
            turns,
            opened,
            cost_micros,
            ..
        } = &self.record;
        let definition = &self.record.definition;
        if *turns > caps.turns {
            let max = caps.turns;
            return Some(format!(
                "the job of `{definition}` is over: {max} calls were served"
            ));
        }
        let spent = now_millis().saturating_sub(*opened);
        if spent > caps.wall_ms {
            let max = caps.wall_ms;
            return Some(format!(
                "the job of `{definition}` is over: it may take {max} ms, {spent} ms have passed"
            ));
        }
        let max = caps.cost_micros.filter(|max| cost_micros >= max)?;
        Some(format!(
            "the job of `{definition}` is over: it may cost {max} micros, {cost_micros} are charged"
        ))
    }

    /// Names what changed of all that the job was made from; files that were not touched are not read.
    ///
    /// # Errors
    /// `io`, when a file of the project cannot be read.
    pub(crate) fn moved(&mut self) -> Result<Vec<String>, Failure> {
        self.seen = None;
        let mut seen = Files::read(&self.directory)?;
        if let Some(mut same) = seen.take() {
            match same.look_again(&self.record.root) {
                Look::Changed => seen = Some(same),
                look => {
                    if look != Look::Untouched {
                        same.store(&self.directory)?;
                    }
                    self.seen = Some(same);
                    return Ok(Vec::new());
                }
            }
        }
        let looked = now_nanos();
        let mut project = match Project::load(&self.record.root) {
            Ok(project) => project,
            Err(failure) if failure.has(Code::Io) => return Err(failure),
            Err(failure) => return Ok(vec![failure.first_message()]),
        };
        if let Some(seen) = &seen {
            seen.keep_in(&mut project);
        }
        let Ok(named) = project.function(&self.record.definition) else {
            return Ok(vec![format!("`{}` is gone", self.record.definition)]);
        };
        let mut moved = Basis::of(&project, named)?.changes(&self.record);
        let mut now = Files::of(&self.record.root, &project, named, looked)?;
        if let Some(seen) = seen {
            if seen.body != now.body {
                moved.push(format!("`{}.soil`", self.record.definition));
            }
            if seen.lock != now.lock {
                moved.push(format!("`{}.lock`", self.record.definition));
            }
            (now.body, now.lock) = (seen.body, seen.lock);
        }
        if moved.is_empty() {
            now.store(&self.directory)?;
            self.seen = Some(now);
            self.project = Some(project);
        }
        Ok(moved)
    }

    /// Gives the project, read when it is first asked for.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(crate) fn project(&mut self) -> Result<&Project, Failure> {
        if self.project.is_none() {
            let mut project = Project::load(&self.record.root)?;
            if let Some(seen) = &self.seen {
                seen.keep_in(&mut project);
            }
            self.project = Some(project);
        }
        Ok(self.project.as_ref().expect("it was read above"))
    }

    /// Lets the project be read again when it is asked for next.
    pub(crate) fn forget_project(&mut self) {
        self.project = None;
    }

    /// Gives the project and the definition in it.
    ///
    /// # Errors
    /// When the project cannot be read, or has no such definition any more.
    pub(crate) fn target(&mut self) -> Result<(&Project, Named<'_>), Failure> {
        let definition = self.record.definition.clone();
        let project = self.project()?;
        let named = project.function(&definition)?;
        Ok((project, named))
    }

    /// Judges a draft within as much of the project as that needs.
    ///
    /// What a draft does not reach is left out first. Where the judgement is not settled by that, because it is a refusal or
    /// could name more of the project, it is made again with the signatures of all.
    ///
    /// # Errors
    /// When the project cannot be read, has no such definition any more, and as the judgement.
    pub(crate) fn judge<T>(
        &mut self,
        draft: &str,
        judge: impl Fn(&Project, Named<'_>) -> Result<T, Failure>,
        is_settled: impl FnOnce(&T) -> bool,
    ) -> Result<T, Failure> {
        if self.project.is_none()
            && let Some(seen) = &self.seen
        {
            let reached = |others| self.reached(seen, draft, others);
            let project = reached(Others::Absent)?;
            let first = judge(&project, project.function(&self.record.definition)?);
            if first.as_ref().is_ok_and(is_settled) {
                return first;
            }
            let project = reached(Others::Signatures)?;
            return judge(&project, project.function(&self.record.definition)?);
        }
        let (project, named) = self.target()?;
        judge(project, named)
    }

    fn reached(&self, seen: &Files, draft: &str, others: Others) -> Result<Project, Failure> {
        let reacher = Reacher {
            module: self.record.module(),
            name: self.record.name(),
            draft,
        };
        Project::load_reached(&self.record.root, &seen.known(), reacher, others)
    }

    /// Gives the draft.
    ///
    /// # Errors
    /// `no-draft` before the first; `io`.
    pub(crate) fn draft(&self) -> Result<Draft, Failure> {
        Draft::read(&self.directory)?.ok_or_else(|| {
            let message = format!("no draft of `{}` was written yet", self.record.definition);
            Failure::new(Code::NoDraft, message)
        })
    }

    /// Gives the log of the definition.
    pub(crate) fn log(&self) -> Log {
        self.record.log()
    }
}

/// Makes the failure that a job is made from what is no more.
pub(crate) fn invalidated(record: &Record, moved: &[String]) -> Failure {
    let message = format!(
        "the job of `{}` is over: since it was opened {} changed",
        record.definition,
        moved.join(", ")
    );
    Diagnostic::new(Code::JobInvalidated, message).into()
}
