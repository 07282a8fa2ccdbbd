//! The record of a call as a document, for whoever keeps records.

use std::time::Duration;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::super::confinement::ConfinementReport;
use super::{BoundHeld, Containment, LeftBehind, Outcome};

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("wall_micros", &micros(self.wall))?;
        map.serialize_entry("tool_micros", &micros(self.tool_time))?;
        map.serialize_entry("held_micros", &micros(self.held_time))?;
        map.serialize_entry("cpu_micros", &self.cpu.map(micros))?;
        map.serialize_entry("peak_memory_bytes", &self.peak_memory_bytes)?;
        map.serialize_entry("peak_processes", &self.peak_processes)?;
        map.serialize_entry("stdin_bytes", &self.stdin_bytes)?;
        map.serialize_entry("stdout_bytes", &self.stdout_bytes)?;
        map.serialize_entry("stderr_bytes", &self.stderr_bytes)?;
        if let Some(status) = self.status {
            match status.signal() {
                None => map.serialize_entry("exit_code", &status.code())?,
                Some(signal) => {
                    map.serialize_entry("signal", &signal)?;
                    map.serialize_entry("signal_name", &status.signal_name())?;
                }
            }
        }
        map.serialize_entry("backend", &self.backend.map(super::Backend::word))?;
        map.serialize_entry("containment", &self.containment)?;
        if let Some(confinement) = &self.confinement {
            map.serialize_entry("confinement", confinement)?;
        }
        map.serialize_entry("bounds", &self.bounds)?;
        map.serialize_entry("descendants_ended", &self.descendants_ended)?;
        let streams: Vec<_> = self.drain_cut.iter().map(|stream| stream.word()).collect();
        map.serialize_entry("drain_cut", &streams)?;
        map.serialize_entry("left_behind", &self.left_behind)?;
        map.serialize_entry("environment", &Names(self))?;
        map.serialize_entry("notes", &self.notes)?;
        map.end()
    }
}

impl Serialize for ConfinementReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words = |parts: &[super::super::confinement::Confined]| -> Vec<&'static str> {
            parts.iter().map(|part| part.word()).collect()
        };
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("enforced", &words(&self.enforced))?;
        map.serialize_entry("unenforced", &words(&self.unenforced))?;
        map.end()
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// The names of variables, those that are no text shown escaped.
struct Names<'a>(&'a Outcome);

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = &self.0.environment;
        let mut list = serializer.serialize_seq(Some(names.len()))?;
        for name in names {
            list.serialize_element(&super::super::shown::Shown::new(name).to_string())?;
        }
        list.end()
    }
}

impl Serialize for Containment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("level", self.level.word())?;
        map.serialize_entry("mechanism", self.mechanism.word())?;
        map.serialize_entry("host_death", self.host_death.word())?;
        map.end()
    }
}

impl Serialize for BoundHeld {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("bound", self.bound.name())?;
        map.serialize_entry("limit", &self.limit)?;
        map.serialize_entry("enforced_by", self.enforced_by.word())?;
        map.serialize_entry("late", &self.late)?;
        map.end()
    }
}

impl Serialize for LeftBehind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("pid", &self.pid)?;
        map.serialize_entry("reason", self.reason.word())?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Backend, HostDeath, Level, Mechanism, Status};
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn what_was_not_measured_is_null_and_a_status_is_one_of_two() {
        let mut outcome = Outcome {
            wall: Duration::from_micros(12),
            status: Some(Status::Signaled(9)),
            backend: Some(Backend::Clone3),
            containment: Some(Containment {
                level: Level::Tree,
                mechanism: Mechanism::ChildSubreaper,
                host_death: HostDeath::Leader,
            }),
            environment: vec!["PATH".into()],
            ..Outcome::default()
        };
        let document = serde_json::to_value(&outcome).expect("writable");
        assert_eq!(document["wall_micros"], 12);
        assert_eq!(document["cpu_micros"], Value::Null);
        assert_eq!(
            (&document["signal"], &document["signal_name"]),
            (&json!(9), &json!("SIGKILL"))
        );
        assert_eq!(document.get("exit_code"), None);
        assert_eq!(
            document["containment"],
            json!({"level": "tree", "mechanism": "child-subreaper", "host_death": "leader"})
        );
        outcome.status = Some(Status::Exited(3));
        let document = serde_json::to_value(&outcome).expect("writable");
        assert_eq!(
            (&document["exit_code"], document.get("signal")),
            (&json!(3), None)
        );
    }
}
