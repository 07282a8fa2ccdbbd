use proptest::prelude::*;

use super::*;

const MILLI: Duration = Duration::from_millis(1);

/// A call under test, driven with made-up times in milliseconds since its start.
struct Course {
    machine: Machine,
    started: Moment,
}

impl Course {
    fn new(ceiling: Option<u32>) -> Self {
        let started = Moment::now();
        let rules = Rules {
            timeout: 1_000 * MILLI,
            ceiling: ceiling.map(|millis| millis * MILLI),
            kill_grace: 100 * MILLI,
            drain_grace: 50 * MILLI,
        };
        Self {
            machine: Machine::new(rules, started),
            started,
        }
    }

    fn at(&self, millis: u32) -> Moment {
        self.started.plus(millis * MILLI)
    }

    fn judge(&mut self, millis: u32) -> Order {
        self.machine.judge(self.at(millis))
    }

    fn next(&self) -> Option<u128> {
        let moment = self.machine.next_moment()?;
        Some(moment.since(self.started).as_millis())
    }

    /// Follows the last steps of a call whose leader has exited and that left nothing outside of its group.
    fn assert_reaped(&mut self, millis: u32) {
        assert_eq!(self.judge(millis), Order::Sweep);
        self.machine.swept();
        assert_eq!(self.judge(millis), Order::Reap);
        assert!(self.machine.is_over());
    }

    fn exit(&mut self) {
        self.machine.leader_exited();
    }

    fn end_streams(&mut self) {
        self.machine.stream_ended(Stream::Stdout);
        self.machine.stream_ended(Stream::Stderr);
    }

    fn hold(&mut self, from: u32, to: u32) {
        let (from, to) = (self.at(from), self.at(to));
        self.machine.clock_mut().pause(from);
        self.machine.clock_mut().resume(to);
    }
}

#[test]
fn a_call_that_ends_by_itself_is_killed_and_reaped_all_the_same() {
    let mut course = Course::new(None);
    assert_eq!(course.judge(1), Order::Wait);
    course.end_streams();
    assert_eq!(
        course.judge(2),
        Order::Wait,
        "the end of output is not the end of the call"
    );
    course.exit();
    assert_eq!(course.judge(3), Order::Kill);
    course.assert_reaped(3);
    assert!(course.machine.is_over() && course.machine.cause().is_none());
    assert_eq!((course.judge(4), course.next()), (Order::Wait, None));
}

#[test]
fn pipes_get_the_drain_grace_after_the_exit() {
    let mut course = Course::new(None);
    course.exit();
    assert_eq!(course.judge(10), Order::Wait);
    assert_eq!(course.next(), Some(60));
    assert_eq!(course.judge(59), Order::Wait);
    assert_eq!(course.judge(60), Order::Kill);
    assert!(course.machine.cause().is_none());
}

#[test]
fn the_drain_never_goes_past_the_deadline_and_is_no_timeout() {
    let mut course = Course::new(None);
    course.exit();
    assert_eq!(course.judge(980), Order::Wait);
    assert_eq!(course.next(), Some(1_000));
    assert_eq!(course.judge(1_000), Order::Kill);
    assert!(course.machine.cause().is_none());
}

#[test]
fn a_drain_is_prolonged_within_the_deadlines_of_the_call() {
    let prolong = |course: &mut Course, millis: u32| {
        let now = course.at(millis);
        course.machine.prolong_drain(now, 5 * MILLI)
    };
    let mut course = Course::new(Some(1_500));
    assert!(!prolong(&mut course, 5), "nothing drains");
    course.exit();
    assert_eq!(course.judge(10), Order::Wait);
    assert!(prolong(&mut course, 60));
    assert_eq!((course.judge(60), course.next()), (Order::Wait, Some(65)));
    assert!(prolong(&mut course, 998));
    assert_eq!(course.next(), Some(1_000));
    assert!(!prolong(&mut course, 1_000));
    assert_eq!(course.judge(1_000), Order::Kill);
}

#[test]
fn a_tool_found_exited_long_after_the_deadline_is_no_timeout() {
    let mut course = Course::new(Some(2_000));
    course.end_streams();
    course.exit();
    assert_eq!(course.judge(90_000), Order::Kill);
    assert!(course.machine.cause().is_none());
}

#[test]
fn the_deadline_gives_the_grace_and_no_more() {
    let mut course = Course::new(None);
    assert_eq!(course.next(), Some(1_000));
    assert_eq!(course.judge(999), Order::Wait);
    assert_eq!(course.judge(1_000), Order::Terminate);
    assert_eq!(course.machine.cause(), Some(&Cause::Timeout));
    assert_eq!(course.judge(1_050), Order::Wait);
    assert_eq!(course.next(), Some(1_100));
    assert_eq!(course.judge(1_100), Order::Kill);
    assert_eq!(course.judge(1_100), Order::Wait);
    course.exit();
    course.assert_reaped(1_101);
}

#[test]
fn a_tool_that_leaves_on_term_is_not_waited_for() {
    let mut course = Course::new(None);
    assert_eq!(course.judge(1_000), Order::Terminate);
    course.exit();
    assert_eq!(course.judge(1_001), Order::Kill);
    course.assert_reaped(1_001);
}

#[test]
fn a_reap_that_never_comes_is_not_waited_for() {
    let mut course = Course::new(None);
    course.judge(1_000);
    assert_eq!(course.judge(1_100), Order::Kill);
    assert_eq!(course.next(), Some(1_350));
    assert_eq!(course.judge(1_349), Order::Wait);
    assert_eq!(course.judge(1_350), Order::Reap);
    assert!(course.machine.is_over());
}

#[test]
fn a_sweep_goes_on_until_it_is_done_or_its_patience_is_over() {
    let swept = |moments: &[(u32, Order)]| {
        let mut course = Course::new(None);
        course.end_streams();
        course.exit();
        assert_eq!(course.judge(10), Order::Kill);
        for (millis, order) in moments {
            assert_eq!(course.judge(*millis), *order, "{millis}");
        }
        course
    };
    let mut course = swept(&[(10, Order::Sweep), (20, Order::Sweep), (259, Order::Sweep)]);
    assert_eq!(course.next(), Some(260));
    let again_at = course.at(250);
    course.machine.sweep_again(Some(again_at));
    assert_eq!(course.next(), Some(250));
    course.machine.sweep_again(None);
    assert_eq!(course.next(), Some(260));
    assert_eq!(course.judge(260), Order::Reap);
}

#[test]
fn what_lacks_a_core_to_end_on_is_waited_for_and_not_for_ever() {
    for has_exited in [false, true] {
        let mut course = Course::new(None);
        course.end_streams();
        course.machine.blame(Cause::Cancelled);
        assert_eq!(course.judge(0), Order::Terminate);
        assert_eq!(course.judge(100), Order::Kill);
        let mut now = 350;
        if has_exited {
            course.exit();
            assert_eq!(course.judge(150), Order::Sweep);
            now = 400;
        }
        let waiting = if has_exited {
            Order::Sweep
        } else {
            Order::Wait
        };
        let gives_up = |course: &Course, millis| course.machine.gives_up(course.at(millis));
        assert!(!gives_up(&course, now - 1) && gives_up(&course, now));
        // Each look gives it a little more, until ten seconds are over.
        let last = now + 10_000;
        while now < last {
            let moment = course.at(now);
            course.machine.prolong_end(moment);
            assert_eq!(course.judge(now), waiting, "{now}");
            assert!(!gives_up(&course, now + 49) && gives_up(&course, now + 50));
            now += 50;
        }
        let moment = course.at(now);
        course.machine.prolong_end(moment);
        assert_eq!(course.judge(now), Order::Reap);
    }
}

#[test]
fn held_time_moves_the_deadline_but_not_the_ceiling() {
    let mut course = Course::new(None);
    course.hold(100, 5_000);
    assert_eq!(course.judge(5_500), Order::Wait);
    assert_eq!(course.next(), Some(5_900));
    assert_eq!(course.judge(5_900), Order::Terminate);

    let mut course = Course::new(Some(2_000));
    course.hold(100, 1_900);
    assert_eq!(course.next(), Some(2_000));
    assert_eq!(course.judge(2_000), Order::Terminate);
    assert_eq!(course.machine.cause(), Some(&Cause::Ceiling));
}

#[test]
fn a_call_that_is_held_has_no_timer_but_its_ceiling() {
    for (ceiling, expected) in [(None, None), (Some(2_000), Some(2_000))] {
        let mut course = Course::new(ceiling);
        let now = course.at(10);
        course.machine.clock_mut().pause(now);
        assert_eq!(course.next(), expected);
        assert_eq!(course.judge(1_500), Order::Wait);
    }
}

#[test]
fn of_deadline_and_ceiling_the_earlier_is_the_reason() {
    for (ceiling, expected) in [
        (999, Cause::Ceiling),
        (1_000, Cause::Timeout),
        (1_001, Cause::Timeout),
    ] {
        let mut course = Course::new(Some(ceiling));
        assert_eq!(course.judge(60_000), Order::Terminate);
        assert_eq!(course.machine.cause(), Some(&expected), "{ceiling}");
    }
}

#[test]
fn a_ceiling_reached_after_the_exit_is_no_error() {
    let mut course = Course::new(Some(2_000));
    let now = course.at(10);
    course.machine.clock_mut().pause(now);
    course.exit();
    assert_eq!(course.judge(20), Order::Wait);
    assert_eq!(course.next(), Some(2_000));
    assert_eq!(course.judge(2_000), Order::Kill);
    course.assert_reaped(2_000);
    assert!(course.machine.cause().is_none());
}

#[test]
fn causes_seen_together_rank_and_later_ones_are_consequences() {
    let broken = Cause::Broken(SystemError::new("wait", 1));
    let mut course = Course::new(None);
    for cause in [
        broken.clone(),
        Cause::Dropped,
        Cause::Cancelled,
        Cause::Output(Stream::Stderr),
    ] {
        course.machine.blame(cause.clone());
        assert_eq!(course.machine.cause(), Some(&cause));
    }
    course.machine.blame(Cause::Cancelled);
    course.machine.blame(broken);
    assert_eq!(course.machine.cause(), Some(&Cause::Output(Stream::Stderr)));

    let mut course = Course::new(None);
    course.machine.blame(Cause::Cancelled);
    assert_eq!(course.judge(1), Order::Terminate);
    course.machine.blame(Cause::Output(Stream::Stdout));
    assert_eq!(course.machine.cause(), Some(&Cause::Cancelled));
}

#[test]
fn a_cause_after_the_exit_ends_the_drain() {
    let mut course = Course::new(None);
    course.exit();
    assert_eq!(course.judge(10), Order::Wait);
    course.machine.blame(Cause::Output(Stream::Stdout));
    assert_eq!(course.judge(11), Order::Kill);
    course.assert_reaped(11);
}

#[test]
fn without_grace_kill_is_first() {
    let mut course = Course::new(None);
    course.machine.forgo_grace(course.started);
    course.machine.blame(Cause::Dropped);
    assert_eq!(course.judge(1), Order::Kill);

    let mut course = Course::new(None);
    course.judge(1_000);
    let now = course.at(1_010);
    course.machine.forgo_grace(now);
    assert_eq!(course.judge(1_010), Order::Kill);
}

#[test]
fn an_abandoned_call_gets_the_drain_grace_to_say_why() {
    let mut course = Course::new(None);
    let now = course.at(100);
    course.machine.abandon(now);
    assert_eq!(course.next(), Some(150));
    assert_eq!(course.judge(149), Order::Wait);
    assert_eq!(course.judge(150), Order::Terminate);
    assert_eq!(course.machine.cause(), Some(&Cause::Dropped));
}

/// Something that a machine can be told, in any order.
#[derive(Clone, Copy, Debug)]
enum Event {
    Exit,
    StreamEnd(Stream),
    Blame(u8),
    Hold,
    Resume,
    Abandon,
    ForgoGrace,
    Swept,
    Pass(u16),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        Just(Event::Exit),
        Just(Event::StreamEnd(Stream::Stdout)),
        Just(Event::StreamEnd(Stream::Stderr)),
        (0..4_u8).prop_map(Event::Blame),
        Just(Event::Hold),
        Just(Event::Resume),
        Just(Event::Abandon),
        Just(Event::ForgoGrace),
        Just(Event::Swept),
        (0..600_u16).prop_map(Event::Pass),
    ];
    prop::collection::vec(event, 0..40)
}

fn tell(course: &mut Course, event: Event, millis: &mut u32) {
    let now = course.at(*millis);
    let machine = &mut course.machine;
    match event {
        Event::Exit => machine.leader_exited(),
        Event::StreamEnd(stream) => machine.stream_ended(stream),
        Event::Blame(0) => machine.blame(Cause::Output(Stream::Stdout)),
        Event::Blame(1) => machine.blame(Cause::Cancelled),
        Event::Blame(2) => machine.blame(Cause::Dropped),
        Event::Blame(_) => machine.blame(Cause::Broken(SystemError::new("wait", 1))),
        Event::Hold => machine.clock_mut().pause(now),
        Event::Resume => machine.clock_mut().resume(now),
        Event::Abandon => machine.abandon(now),
        Event::ForgoGrace => machine.forgo_grace(now),
        Event::Swept => machine.swept(),
        Event::Pass(passed) => *millis += u32::from(passed),
    }
}

proptest! {
    #[test]
    fn whatever_happens_the_tree_is_killed_once_and_reaped_once(events in events(), ceiling in prop::option::of(1..3_000_u32)) {
        let mut course = Course::new(ceiling);
        let mut millis = 0;
        let mut orders = Vec::new();
        let mut cause = None;
        // What is noted is judged each time; at last the clock runs on and every wait comes to its end.
        let end = [Event::Resume, Event::Pass(599), Event::Pass(599), Event::Pass(599)];
        let end = end.into_iter().cycle().take(80);
        for event in events.into_iter().chain(end) {
            tell(&mut course, event, &mut millis);
            loop {
                let order = course.judge(millis);
                if matches!(order, Order::Wait | Order::Sweep) || course.machine.is_over() && orders.last() == Some(&Order::Reap) {
                    break;
                }
                orders.push(order);
            }
            // Once the end is under way its reason stays.
            if course.machine.is_ending() {
                let now = course.machine.cause().cloned();
                prop_assert!(cause.is_none() || cause == Some(now.clone()), "{cause:?} {now:?}");
                cause = Some(now);
            }
        }
        prop_assert!(course.machine.is_over(), "{orders:?}");
        let expected: &[&[Order]] = &[
            &[Order::Kill, Order::Reap],
            &[Order::Terminate, Order::Kill, Order::Reap],
        ];
        prop_assert!(expected.contains(&&orders[..]), "{orders:?}");
    }
}
