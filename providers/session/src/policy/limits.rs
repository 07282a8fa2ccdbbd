//! The bounds of an obligation, as the execution layer takes them and as evidence tells them.

use lonis::limits::{Bound, Limits};
use serde_json::{Map, Value};

use super::{Limit, Obligation};

impl Obligation {
    /// Every bound that is set, with its value in the unit of its name.
    pub fn bounds(&self) -> Vec<(Bound, u64)> {
        let optional = [
            (Bound::MaxCpuMillis, self.max_cpu_millis.map(Limit::get)),
            (Bound::MaxMemoryBytes, self.max_memory_bytes.map(Limit::get)),
            (Bound::MaxProcesses, self.max_processes.map(Limit::get)),
            (Bound::MaxFileBytes, self.max_file_bytes.map(Limit::get)),
        ];
        let mut all = vec![
            (Bound::TimeoutMillis, self.timeout_millis.get()),
            (Bound::MaxStdoutBytes, self.max_stdout_bytes.get()),
            (Bound::MaxStderrBytes, self.max_stderr_bytes.get()),
        ];
        let set = optional
            .into_iter()
            .filter_map(|(bound, limit)| Some((bound, limit?)));
        all.extend(set);
        all
    }

    /// The bounds for the execution layer.
    pub fn limits(&self) -> Limits {
        self.bounds()
            .into_iter()
            .fold(Limits::new(), |limits, (bound, value)| {
                limits.with_nearest(bound, value)
            })
    }

    /// The bounds by name, as evidence holds them.
    pub fn shown_limits(&self) -> Value {
        let pairs = self
            .bounds()
            .into_iter()
            .map(|(bound, value)| (bound.to_string(), value.into()));
        Value::Object(pairs.collect::<Map<String, Value>>())
    }
}
