//! Rows 37 to 39: who may end a call, share its tool or listen to it.

use std::sync::mpsc;
use std::time::Duration;

use lonis::limits::{Bound, Limits};
use lonis::{Call, Tool, ToolId, ToolRegistry};
use misbehave::Handshake;
use serde_json::{Value, json};

use super::host::{Ends, GRACE_MILLIS, MEMORY_MIB, WAYS, cancelled_when, case, output, tool};

const LIMIT: Duration = Duration::from_mins(1);

#[test]
fn case_37_dropping_a_stream_ends_and_reaps_its_group() {
    case(MEMORY_MIB, |host| {
        let mut handshake = Handshake::new().unwrap();
        let endless = tool(&["endless", "children=1", &handshake.argument()]);
        let mut stream = endless.start(Call::new(Value::Null)).unwrap();
        host.does(Ends::well(), || stream.next().expect("endless"))
            .unwrap();
        handshake.wait_for("leader", "ready", LIMIT).unwrap();
        host.takes(GRACE_MILLIS, || drop(stream));
    });
}

#[test]
fn case_38_eight_threads_share_one_registry() {
    fn shared<T: Send + Sync>(value: T) -> T {
        value
    }
    case(MEMORY_MIB, |host| {
        let id = ToolId::new("misbehave:tool").unwrap();
        let mut registry = ToolRegistry::new();
        registry
            .register(Box::new(tool(&["echo", "millis=5000"])))
            .unwrap();
        let registry = shared(registry);
        // One after the other they would take longer than any machine is allowed to.
        host.takes(5_000, || {
            std::thread::scope(|scope| {
                for number in 0..8 {
                    let (registry, id) = (&registry, &id);
                    scope.spawn(move || {
                        let called = || registry.invoke(id, json!({ "number": number }));
                        let blocks = host.does(Ends::well(), called).unwrap();
                        assert_eq!(output(&blocks[0]), json!({ "number": number }));
                    });
                }
            });
        });
    });
}

#[test]
fn case_39_a_call_may_be_cancelled_held_to_less_and_heard() {
    case(MEMORY_MIB, |host| {
        for way in WAYS {
            let mut handshake = Handshake::new().unwrap();
            let quiet =
                tool(&["quiet", "millis=60000", &handshake.argument()]).with_timeout_millis(60_000);
            let token = cancelled_when(move || {
                handshake.wait_for("leader", "started", LIMIT).unwrap();
            });
            let call = Call::new(Value::Null).with_cancel(token);
            let ends = Ends::with("cancelled", 1).within(5_000 + GRACE_MILLIS);
            host.call(&quiet, way, call, ends);

            let less = Limits::new().with(Bound::TimeoutMillis, 300).unwrap();
            let call = Call::new(Value::Null).with_limits(less);
            host.call(
                &tool(&["quiet", "millis=60000"]).with_timeout_millis(60_000),
                way,
                call,
                Ends::timeout(300),
            );

            let (heard, lines) = mpsc::channel();
            let token = cancelled_when(move || {
                assert_eq!(lines.recv().unwrap(), b"working on it\n");
            });
            let call = Call::new(Value::Null)
                .with_cancel(token)
                .on_stderr(move |bytes| heard.send(bytes.to_vec()).unwrap());
            let waiting = tool(&["log-then-wait", "millis=60000"]).with_timeout_millis(60_000);
            host.call(&waiting, way, call, ends);
        }
    });
}
