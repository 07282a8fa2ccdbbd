//! Jobs: one definition, one model, one directory that holds all there is to know.
//!
//! Each call is a process of its own, so the directory is the state. It is locked for the whole of a call and its files are
//! replaced whole, so that a killed call leaves a job that the next one can read. A host opens, charges and closes jobs
//! ([`commands`]); what happens between is told by the tools of [`crate::tools`].

mod answered;
mod answering;
mod asking;
mod assembly;
mod basis;
mod bundle_files;
mod cache;
mod call;
mod charge;
mod close;
pub(crate) mod commands;
mod difference;
mod directory;
mod draft;
mod evidence;
mod exposure;
mod files;
mod found;
mod hold;
mod journal;
mod listed;
mod lock_file;
mod log;
mod open;
mod outcome;
mod place;
pub(crate) mod preflight;
mod question;
mod record;
mod refreshing;
mod tested;

pub(crate) use answered::finish_answer;
pub(crate) use answering::{Scope, answer, scopes};
pub(crate) use asking::ask;
pub(crate) use assembly::Assembly;
pub(crate) use bundle_files::{Entry, open_in_bundle};
pub(crate) use cache::{Said, Slot};
pub(crate) use call::JobCall;
pub(crate) use draft::{Citation, CitedScope, Draft};
pub(crate) use evidence::{evidence, keep_evidence};
pub(crate) use found::FoundValues;
pub(crate) use lock_file::with_stored;
pub(crate) use log::Log;
pub(crate) use open::write_bundle;
pub(crate) use place::hold_for_writing;
pub(crate) use preflight::surroundings;
pub(crate) use question::{Asked, Hole, Kind, Question, Seen};
pub(crate) use record::Hash;
pub(crate) use refreshing::{Refreshed, accept, refresh, test_body};
pub(crate) use tested::Tested;
