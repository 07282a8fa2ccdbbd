use std::fs;

use lonis_spawn::{Group, Isolation, Limit, Resource};

use crate::probe::{self, BACKENDS, Running};

fn start(backend: lonis_spawn::Backend, change: impl FnOnce(&mut Isolation)) -> Running {
    let mut isolation = Isolation::default();
    change(&mut isolation);
    let plan = probe::plan(&["stay"])
        .with_backend(backend)
        .with_isolation(isolation);
    let mut running = probe::run(&plan).unwrap();
    running.wait_here();
    running
}

/// Soft and hard limit as the system prints them.
fn limit(running: &Running, name: &str) -> (String, String) {
    let limits = running.file("limits");
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .unwrap();
    let mut words = line.split_whitespace().map(str::to_owned);
    (words.next().unwrap(), words.next().unwrap())
}

#[test]
fn limits_hold_soft_and_hard() {
    let rows = [
        (Resource::CoreBytes, 1, "Max core file size"),
        (Resource::CpuSeconds, 7, "Max cpu time"),
        (Resource::FileBytes, 12_345, "Max file size"),
        (Resource::OpenFiles, 64, "Max open files"),
        (Resource::AddressSpaceBytes, 1 << 32, "Max address space"),
    ];
    for backend in BACKENDS {
        let running = start(backend, |isolation| {
            isolation.limits = rows
                .iter()
                .map(|(resource, value, _)| Limit::at_most(*resource, *value))
                .collect();
        });
        for (resource, _, name) in rows {
            let value = Limit::at_most(
                resource,
                rows.iter().find(|row| row.0 == resource).unwrap().1,
            )
            .value();
            let expected = (value.to_string(), value.to_string());
            assert_eq!(limit(&running, name), expected, "{backend:?} {name}");
        }
        assert_eq!(running.finish().0, Some(0));
    }
}

#[test]
fn a_limit_is_never_above_the_hosts_own() {
    let own = fs::read_to_string("/proc/self/limits").unwrap();
    let own = own
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))
        .unwrap();
    let own: u64 = own.split_whitespace().nth(1).unwrap().parse().unwrap();
    for (asked, expected) in [
        (own - 1, own - 1),
        (own, own),
        (own + 1, own),
        (u64::MAX, own),
    ] {
        assert_eq!(Limit::at_most(Resource::OpenFiles, asked).value(), expected);
    }
}

#[test]
fn the_host_keeps_its_own_limits_scores_and_priority() {
    let own = || {
        let files = ["limits", "oom_score_adj"]
            .map(|name| fs::read_to_string(format!("/proc/self/{name}")).unwrap());
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        (
            files,
            stat.rsplit(')')
                .next()
                .unwrap()
                .split(' ')
                .nth(17)
                .unwrap()
                .to_owned(),
        )
    };
    let before = own();
    for backend in BACKENDS {
        let running = start(backend, |isolation| {
            isolation.oom_score = Some(777);
            isolation.nice = Some(11);
        });
        assert_eq!(running.file("oom_score_adj").trim(), "777");
        // The 19th member of the line, two of them before the closing bracket.
        assert_eq!(
            running
                .file("stat")
                .rsplit(')')
                .next()
                .unwrap()
                .split(' ')
                .nth(17),
            Some("11")
        );
        assert_eq!(running.finish().0, Some(0));
    }
    assert_eq!(own(), before);
}

#[test]
fn the_child_leads_a_session_or_a_group() {
    // SAFETY: takes no pointer.
    let own_session = unsafe { libc::getsid(0) }.to_string();
    for backend in BACKENDS {
        for group in [Group::Session, Group::SharedTerminal] {
            let running = start(backend, |isolation| isolation.group = group);
            let stat = running.file("stat");
            let members: Vec<_> = stat.rsplit(')').next().unwrap().split(' ').collect();
            let pid = running.started.pid().to_string();
            let session = if group == Group::Session {
                &pid
            } else {
                &own_session
            };
            assert_eq!(
                (members[3], members[4]),
                (pid.as_str(), session.as_str()),
                "{backend:?} {group:?}"
            );
            assert_eq!(running.finish().0, Some(0));
        }
    }
}
