//! Programs in namespaces of their own: with process numbers of their own, without a network, or with mounts that nobody else
//! sees; with privileges, or through a user namespace.

use lonis_spawn::{Namespaces, Request, SpawnError, Step};
use rustix::io::Errno;

use super::super::failure::ProcessError;
use super::super::leader::Leader;
use super::super::outcome::Backend;
use super::super::program::Program;
use super::super::view;

/// What a machine lacks that starts no child in a namespace.
const NO_NAMESPACES: &str = "programs are started in a way that knows no namespaces";

/// What a machine lacks that refuses namespaces to this process.
const NOT_ALLOWED: &str =
    "this process may make neither a network namespace nor a user namespace with one";

/// Refuses a program that needs a namespace where its backend could not give it one.
pub(super) fn refuse_unheld(program: &Program) -> Result<(), ProcessError> {
    if program.backend() == Backend::Clone3 {
        return Ok(());
    }
    if program.is_without_network() {
        return Err(ProcessError::NetworkNotClosed {
            missing: NO_NAMESPACES,
        });
    }
    if program.view().is_some() {
        return Err(ProcessError::ConfinementNotHeld {
            missing: view::NO_MOUNTS,
        });
    }
    Ok(())
}

/// Starts a program in the namespaces that it needs: that of a launcher, one without a network, one for its mounts.
pub(super) fn within(
    program: &Program,
    has_own_numbers: bool,
    request: &mut Request<'_>,
    spawn: impl Fn(&Request<'_>) -> Result<Leader, SpawnError>,
) -> Result<Leader, SpawnError> {
    let mut needed = request.namespaces;
    if has_own_numbers {
        needed = needed.and(Namespaces::PROCESSES);
    }
    if program.view().is_some() {
        needed = needed.and(Namespaces::MOUNTS);
    }
    if !program.wants_no_network() || program.backend() != Backend::Clone3 {
        return started(request, needed, &spawn);
    }
    match started(request, needed.and(Namespaces::NETWORK), &spawn) {
        // It would be better without, and is started all the same: the outcome says so.
        Err(failure) if !program.is_without_network() && is_about_namespaces(failure) => {
            started(request, needed, &spawn)
        }
        result => result,
    }
}

/// Starts a program in namespaces, through a user namespace where this process has no privileges.
fn started(
    request: &mut Request<'_>,
    needed: Namespaces,
    spawn: &impl Fn(&Request<'_>) -> Result<Leader, SpawnError>,
) -> Result<Leader, SpawnError> {
    // Privileges first: inside a user namespace a privileged process would lose its reach to other users' files.
    request.namespaces = needed;
    match spawn(request) {
        Err(failure) if needed != Namespaces::default() && is_refused(failure) => {
            request.namespaces = needed.and(Namespaces::USER);
            spawn(request)
        }
        result => result,
    }
}

/// Tells whether a child starts where there is no network.
pub(super) fn is_network_closed(request: &Request<'_>) -> bool {
    request.namespaces.contains(Namespaces::NETWORK)
}

/// Explains a start that failed because the machine gives no namespace.
pub(super) fn explain(program: &Program, failure: SpawnError) -> Option<ProcessError> {
    if program.view().is_some() && (failure.step() == Step::View || is_about_namespaces(failure)) {
        return Some(ProcessError::ConfinementNotHeld {
            missing: view::NOT_MOUNTED,
        });
    }
    let is_about_it = program.is_without_network() && is_about_namespaces(failure);
    is_about_it.then_some(ProcessError::NetworkNotClosed {
        missing: NOT_ALLOWED,
    })
}

fn is_about_namespaces(failure: SpawnError) -> bool {
    is_refused(failure) || failure.step() == Step::IdentityMap
}

/// Tells whether the system refused the namespace itself, and not for want of memory or processes.
fn is_refused(failure: SpawnError) -> bool {
    let refusals = [
        Errno::PERM,
        Errno::ACCESS,
        Errno::INVAL,
        Errno::NOSPC,
        Errno::NOSYS,
        Errno::USERS,
    ];
    failure.step() == Step::Start && refusals.contains(&Errno::from_raw_os_error(failure.errno()))
}
