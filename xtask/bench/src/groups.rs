//! The groups of cases, and how the cases of one come to their host processes.

mod call;
mod checker;
mod cli;
mod data;
mod discovery;
mod many;
mod session;
mod soil;
mod spawn;
mod stream;

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use crate::case::{Case, Claim, ClaimKind, Place};
use crate::host::{Host, Manner};
use crate::kit::Kit;
use crate::report::Fact;
pub(crate) use many::hold_live;
pub(crate) use session::peak_of_begin;
pub(crate) use soil::check_generated;
pub(crate) use stream::peak_of;

/// What the name of a case in a large host ends with.
pub(crate) const LARGE: &str = ", 1 GiB host";

const GIBIBYTE: usize = 1 << 30;

/// Cases that are measured together.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    /// Makes the cases; those of peers that are not installed are left out and named.
    pub(crate) cases: fn(&Kit, &mut Vec<String>) -> Vec<Case>,
    /// Measures what is no time of a case.
    pub(crate) facts: fn(&Kit) -> Result<Vec<Fact>, String>,
}

/// All groups, in the order in which they are run.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        name: "spawn",
        cases: spawn::cases,
        facts: no_facts,
    },
    Group {
        name: "call",
        cases: call::cases,
        facts: no_facts,
    },
    Group {
        name: "cli",
        cases: cli::cases,
        facts: no_facts,
    },
    Group {
        name: "stream",
        cases: stream::cases,
        facts: stream::facts,
    },
    Group {
        name: "many",
        cases: many::cases,
        facts: many::facts,
    },
    Group {
        name: "discovery",
        cases: discovery::cases,
        facts: no_facts,
    },
    Group {
        name: "data",
        cases: data::cases,
        facts: no_facts,
    },
    Group {
        name: "session-edits",
        cases: session::edits,
        facts: no_facts,
    },
    Group {
        name: "session-readers",
        cases: session::readers,
        facts: no_facts,
    },
    Group {
        name: "session-small",
        cases: session::small,
        facts: no_facts,
    },
    Group {
        name: "session-begin",
        cases: session::ordinary,
        facts: no_facts,
    },
    Group {
        name: "session-stage",
        cases: session::stages,
        facts: no_facts,
    },
    Group {
        name: "session-test",
        cases: session::tests,
        facts: no_facts,
    },
    Group {
        name: "session-apply",
        cases: session::applies,
        facts: no_facts,
    },
    Group {
        name: "session-large",
        cases: no_cases,
        facts: session::facts,
    },
    Group {
        name: "soil",
        cases: soil::cases,
        facts: soil::facts,
    },
    Group {
        name: "checker",
        cases: checker::cases,
        facts: no_facts,
    },
];

impl Group {
    /// Says whether a name means this group: its own, or the word before its first hyphen, which several groups share.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let shared = self.name.split('-').next();
        self.name == name || shared == Some(name)
    }
}

/// The cases whose names hold one of the asked texts, and the peers that they are compared with; each with its number, by which a
/// host knows it. Without a text these are all.
pub(crate) fn asked(cases: Vec<Case>, texts: &[String]) -> Vec<(usize, Case)> {
    let is_asked =
        |case: &Case| texts.is_empty() || texts.iter().any(|text| case.name.contains(text));
    let peers: Vec<String> = cases
        .iter()
        .filter(|case| is_asked(case))
        .flat_map(|case| &case.claims)
        .filter_map(|claim| match &claim.kind {
            ClaimKind::TimeOver(peer) | ClaimKind::RateOver(peer) => Some(peer.clone()),
            ClaimKind::LargeOverSmall | ClaimKind::Micros => None,
        })
        .collect();
    let numbered = cases.into_iter().enumerate();
    numbered
        .filter(|(_, case)| is_asked(case) || peers.contains(&case.name))
        .collect()
}

fn no_cases(_kit: &Kit, _absent: &mut Vec<String>) -> Vec<Case> {
    Vec::new()
}

fn no_facts(_kit: &Kit) -> Result<Vec<Fact>, String> {
    Ok(Vec::new())
}

/// Puts the cases that belong into host processes there; `arguments` tell a host where its programs are.
pub(crate) fn in_hosts(
    group: &Group,
    cases: Vec<(usize, Case)>,
    arguments: &[String],
) -> io::Result<Vec<Case>> {
    let start = |is_needed: bool, manner: Manner| {
        is_needed
            .then(|| Host::start(group.name, manner, arguments))
            .transpose()
            .map(|host| host.map(|host| Rc::new(RefCell::new(host))))
    };
    let any = |place: Place| cases.iter().any(|(_, case)| case.place == place);
    let small = start(
        any(Place::Small) || any(Place::SmallAndLarge),
        Manner::default(),
    )?;
    let large = start(
        any(Place::SmallAndLarge),
        Manner {
            bytes: GIBIBYTE,
            ..Manner::default()
        },
    )?;
    let adopting = start(
        any(Place::Adopting),
        Manner {
            adopts: true,
            ..Manner::default()
        },
    )?;
    let mut placed = Vec::new();
    for (number, mut case) in cases {
        let place = case.place;
        let host = match place {
            Place::Here => None,
            Place::Small | Place::SmallAndLarge => small.clone(),
            Place::Adopting => adopting.clone(),
        };
        let Some(host) = host else {
            placed.push(case);
            continue;
        };
        let is_large = |claim: &Claim| matches!(claim.kind, ClaimKind::LargeOverSmall);
        let (large_claims, claims) = std::mem::take(&mut case.claims)
            .into_iter()
            .partition(is_large);
        placed.push(remote(case.name.clone(), claims, host, number));
        if let (Place::SmallAndLarge, Some(large)) = (place, &large) {
            let name = format!("{}{LARGE}", case.name);
            placed.push(remote(name, large_claims, Rc::clone(large), number));
        }
    }
    Ok(placed)
}

fn remote(name: String, claims: Vec<Claim>, host: Rc<RefCell<Host>>, number: usize) -> Case {
    let mut case = Case::of_samples(name, move || host.borrow_mut().run(number));
    case.claims = claims;
    case
}
