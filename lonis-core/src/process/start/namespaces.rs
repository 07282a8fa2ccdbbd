//! Programs that get process numbers of their own or no network: namespaces, with privileges or through a user namespace.

use lonis_spawn::{Namespaces, Request, SpawnError, Step};
use rustix::io::Errno;

use super::super::failure::ProcessError;
use super::super::leader::Leader;
use super::super::outcome::Backend;
use super::super::program::Program;

/// What a machine lacks that starts no child in a namespace.
const NO_NAMESPACES: &str = "programs are started in a way that knows no namespaces";

/// What a machine lacks that refuses namespaces to this process.
const NOT_ALLOWED: &str =
    "this process may make neither a network namespace nor a user namespace with one";

/// Refuses a program that is to have no network where its backend could not close it off.
pub(super) fn refuse_unheld(program: &Program) -> Result<(), ProcessError> {
    if program.is_without_network() && program.backend() != Backend::Clone3 {
        return Err(ProcessError::NetworkNotClosed {
            missing: NO_NAMESPACES,
        });
    }
    Ok(())
}

/// Starts a program in the namespaces that it needs: that of a launcher, and one without a network.
pub(super) fn within(
    program: &Program,
    has_own_numbers: bool,
    request: &mut Request<'_>,
    spawn: impl Fn(&Request<'_>) -> Result<Leader, SpawnError>,
) -> Result<Leader, SpawnError> {
    if !has_own_numbers {
        return without_network(program, request, spawn);
    }
    request.namespaces = request.namespaces.and(Namespaces::PROCESSES);
    match without_network(program, request, &spawn) {
        Err(failure) if is_refused(failure) && !request.namespaces.contains(Namespaces::USER) => {
            request.namespaces = request.namespaces.and(Namespaces::USER);
            spawn(request)
        }
        result => result,
    }
}

fn without_network(
    program: &Program,
    request: &mut Request<'_>,
    spawn: impl Fn(&Request<'_>) -> Result<Leader, SpawnError>,
) -> Result<Leader, SpawnError> {
    if !program.wants_no_network() || program.backend() != Backend::Clone3 {
        return spawn(request);
    }
    let before = request.namespaces;
    // Privileges first: inside a user namespace a privileged process would lose its reach to other users' files.
    request.namespaces = request.namespaces.and(Namespaces::NETWORK);
    match spawn(request) {
        Err(failure) if is_refused(failure) => {
            request.namespaces = request.namespaces.and(Namespaces::USER);
            match spawn(request) {
                // It would be better without, and is started all the same: the outcome says so.
                Err(failure) if !program.is_without_network() && is_about_namespaces(failure) => {
                    request.namespaces = before;
                    spawn(request)
                }
                result => result,
            }
        }
        result => result,
    }
}

/// Tells whether a child starts where there is no network.
pub(super) fn is_closed(request: &Request<'_>) -> bool {
    request.namespaces.contains(Namespaces::NETWORK)
}

/// Explains a start that failed because the machine gives no namespace.
pub(super) fn explain(program: &Program, failure: SpawnError) -> Option<ProcessError> {
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
