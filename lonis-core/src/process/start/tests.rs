use lonis_schema::ErrorKind;

use super::super::failure::StartPart;
use super::super::outcome::Status;
use super::super::program::Program;
use super::super::run::run;
use super::*;

const STEPS: [Step; 14] = [
    Step::Start,
    Step::Signals,
    Step::Group,
    Step::Stdio,
    Step::ParentDeath,
    Step::Descriptors,
    Step::Directory,
    Step::OomScore,
    Step::Nice,
    Step::Limits,
    Step::NoNewPrivileges,
    Step::Landlock,
    Step::Mask,
    Step::Exec,
];

fn failing(step: Step, errnos: &[Errno]) -> Result<Outcome, ProcessError> {
    let program = Program::new("sh").with_args(["-c", "exit 7"]);
    let prepared = program.prepare().expect("the shell is there");
    let errnos: Vec<i32> = errnos.iter().map(|errno| errno.raw_os_error()).collect();
    prepared.plan.inject_failures(step, &errnos);
    run(&program, [])
        .into_result()
        .map(|captured| captured.outcome)
}

#[test]
fn what_is_exhausted_is_named() {
    for (step, errno, part) in [
        (Step::Exec, Errno::TOOBIG, StartPart::ArgumentsTooLong),
        (Step::Exec, Errno::MFILE, StartPart::TooManyFiles),
        (Step::Exec, Errno::NFILE, StartPart::TooManyFiles),
        (Step::Exec, Errno::NOMEM, StartPart::OutOfMemory),
        (Step::Exec, Errno::IO, StartPart::Other),
        (Step::Start, Errno::AGAIN, StartPart::ProcessLimit),
        (Step::Start, Errno::NOMEM, StartPart::OutOfMemory),
        (Step::Directory, Errno::ACCESS, StartPart::WorkingDirectory),
        (Step::Limits, Errno::PERM, StartPart::Setting),
    ] {
        let error = failing(step, &[errno]).expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        let ProcessError::Start {
            part: found, error, ..
        } = error
        else {
            panic!("{error:?}")
        };
        assert_eq!(
            (found, error.errno()),
            (part, errno.raw_os_error()),
            "{step:?} {errno}"
        );
    }
}

#[test]
fn each_step_is_reported_as_that_step() {
    // Steps that this start does not take cannot fail, and a score that cannot be set is done without.
    let taken = |step: Step| !matches!(step, Step::Nice | Step::Landlock | Step::OomScore);
    for step in STEPS.into_iter().filter(|step| taken(*step)) {
        let error = failing(step, &[Errno::IO]).expect_err("refused");
        let text = error.to_string();
        assert!(
            text.starts_with("cannot ") && text.contains(refusal::operation(step)),
            "{step:?}: {text}"
        );
    }
    let outcome = failing(Step::OomScore, &[Errno::ACCESS]).expect("started without the score");
    assert_eq!(outcome.status.map(Status::code), Some(7));
}

#[test]
fn a_file_that_is_busy_is_tried_again() {
    let busy = [Errno::TXTBSY; 5];
    let outcome = failing(Step::Exec, &busy).expect("the sixth attempt succeeds");
    assert_eq!(outcome.status.map(Status::code), Some(7));
    let busy = [Errno::TXTBSY; 6];
    let error = failing(Step::Exec, &busy).expect_err("busy for too long");
    assert!(
        matches!(
            error,
            ProcessError::Start {
                part: StartPart::TextBusy,
                ..
            }
        ),
        "{error:?}"
    );
}
