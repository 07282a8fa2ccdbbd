//! What a start and a wait cost, beside the ways that others have: `cargo bench -p lonis-spawn`.
//!
//! All cases run once a round, in an order drawn anew, and each is compared with plain `posix_spawn` of the same round,
//! from a small host and from one with a gibibyte touched. The child is a program of a few instructions, since it hides
//! nothing.
#![cfg_attr(
    target_os = "linux",
    expect(clippy::print_stdout, reason = "a benchmark prints its results")
)]

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        ffi::CString,
        fs,
        hint::black_box,
        os::{
            fd::AsFd,
            unix::{ffi::OsStrExt, fs::PermissionsExt},
        },
        path::Path,
        process::{Command, Stdio},
        ptr,
        time::Instant,
    };

    use lonis_spawn::{Backend, Isolation, Limit, Plan, Request, Resource, Signal, spawn};

    const WARM_UP: usize = 30;
    const ROUNDS: usize = 400;
    const GIBIBYTE: usize = 1 << 30;

    struct Case<'a> {
        name: &'static str,
        run: Box<dyn Fn() + 'a>,
        nanos: Vec<u128>,
    }

    pub(super) fn main() {
        let folder = tempfile::tempdir().expect("a folder for the child");
        let program = folder.path().join("child");
        fs::write(&program, child()).expect("the child is written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).expect("it is ours");

        let mut cases = cases(&program, folder.path());
        println!(
            "backend chosen here: {:?}, load {}",
            Backend::chosen(),
            load()
        );
        let small = measure(&mut cases);
        report("small host", &cases, None);
        let mut memory = vec![0_u8; GIBIBYTE];
        memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        measure(&mut cases);
        black_box(&memory);
        report("host with 1 GiB touched", &cases, Some(&small));
        println!("load {}", load());
    }

    fn cases<'a>(program: &'a Path, folder: &Path) -> Vec<Case<'a>> {
        let none: [&str; 0] = [];
        let directory = CString::new(folder.as_os_str().as_bytes()).expect("no zero byte");
        let case = |name, run: Box<dyn Fn() + 'a>| Case {
            name,
            run,
            nanos: Vec::new(),
        };
        let ours = |name, backend, isolation: Isolation, tied: bool| {
            let plan = Plan::new(program, none, ["PATH=/usr/bin:/bin"]).expect("an absolute path");
            let plan = plan.with_backend(backend).with_isolation(isolation);
            let (null, directory) = (
                fs::File::open("/dev/null").expect("there is one"),
                directory.clone(),
            );
            case(
                name,
                Box::new(move || {
                    let mut request = Request::new(null.as_fd(), null.as_fd(), null.as_fd());
                    request.directory = Some(&directory);
                    request.parent_death = tied.then_some(Signal::KILL);
                    let reaped = spawn(&plan, &request)
                        .expect("it starts")
                        .reap()
                        .expect("it ends");
                    assert!(reaped.status.success());
                }),
            )
        };
        let mut bare = Isolation::default();
        bare.limits.clear();
        bare.no_new_privileges = false;
        let mut full = Isolation::default();
        full.limits.push(Limit::at_most(Resource::OpenFiles, 256));
        full.limits
            .push(Limit::at_most(Resource::FileBytes, 1 << 30));
        let mut scored = full.clone();
        scored.oom_score = Some(500);
        vec![
            case("posix_spawn, plain", Box::new(|| posix_spawn(program))),
            case("std Command, absolute path", Box::new(|| command(program))),
            ours("clone3, nothing optional", Backend::Clone3, bare, false),
            ours("clone3, full", Backend::Clone3, full.clone(), true),
            ours(
                "clone3, full and the oom score",
                Backend::Clone3,
                scored.clone(),
                true,
            ),
            ours("posix-spawn, full", Backend::PosixSpawn, full, false),
            ours(
                "posix-spawn, full and the oom score",
                Backend::PosixSpawn,
                scored,
                false,
            ),
        ]
    }

    #[expect(clippy::disallowed_methods, reason = "a peer to be compared with")]
    fn command(program: &Path) {
        let mut command = Command::new(program);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        assert!(command.status().expect("it starts").success());
    }

    fn posix_spawn(program: &Path) {
        let program = CString::new(program.as_os_str().as_bytes()).expect("no zero byte");
        let arguments = [program.as_ptr().cast_mut(), ptr::null_mut()];
        let environment = [ptr::null_mut()];
        let (mut pid, mut status) = (0, 0);
        // SAFETY: a C string and two lists that end in a null, all of them alive for the call.
        unsafe {
            let started = libc::posix_spawn(
                &raw mut pid,
                program.as_ptr(),
                ptr::null(),
                ptr::null(),
                arguments.as_ptr(),
                environment.as_ptr(),
            );
            assert_eq!(started, 0);
            assert_eq!(libc::waitpid(pid, &raw mut status, 0), pid);
        }
        assert_eq!(status, 0);
    }

    /// Runs every case and returns the medians.
    fn measure(cases: &mut [Case<'_>]) -> Vec<u128> {
        for case in cases.iter_mut() {
            case.nanos.clear();
        }
        let mut order: Vec<usize> = (0..cases.len()).collect();
        let mut state = 1_u64;
        for round in 0..WARM_UP + ROUNDS {
            for last in (1..order.len()).rev() {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let other = usize::try_from(state >> 33).expect("31 bits") % (last + 1);
                order.swap(last, other);
            }
            for index in &order {
                let start = Instant::now();
                (cases[*index].run)();
                let nanos = start.elapsed().as_nanos();
                if round >= WARM_UP {
                    cases[*index].nanos.push(nanos);
                }
            }
        }
        cases
            .iter()
            .map(|case| percentile(case.nanos.clone(), 50))
            .collect()
    }

    fn report(title: &str, cases: &[Case<'_>], small: Option<&[u128]>) {
        println!("\n{title}, {ROUNDS} rounds, plain posix_spawn = 1");
        let peer = &cases[0].nanos;
        for (index, case) in cases.iter().enumerate() {
            let ratios = case
                .nanos
                .iter()
                .zip(peer)
                .map(|(ours, peer)| ours * 1000 / peer);
            let median = percentile(ratios.collect(), 50);
            let low = percentile(case.nanos.clone(), 10) * 1000 / percentile(peer.clone(), 10);
            let micros = percentile(case.nanos.clone(), 50) / 1000;
            let grown = small.map(|small| percentile(case.nanos.clone(), 50) * 100 / small[index]);
            let grown = grown.map_or(String::new(), |grown| {
                format!(", {grown} % of the small host's")
            });
            println!(
                "  {:<36} {:>5} (p10 {:>5}) per mille, {micros} us{grown}",
                case.name, median, low
            );
        }
    }

    fn percentile(mut values: Vec<u128>, percent: usize) -> u128 {
        values.sort_unstable();
        values[values.len() * percent / 100]
    }

    fn load() -> String {
        fs::read_to_string("/proc/loadavg")
            .unwrap_or_default()
            .trim()
            .to_owned()
    }

    /// A static program that exits at once: an ELF header, one segment that is the whole file, and the code.
    fn child() -> Vec<u8> {
        const BASE: u64 = 0x40_0000;
        const HEADERS: u64 = 64 + 56;
        #[cfg(target_arch = "x86_64")]
        let (machine, code): (u16, &[u8]) = (62, &[0x31, 0xff, 0xb8, 60, 0, 0, 0, 0x0f, 0x05]);
        #[cfg(target_arch = "aarch64")]
        let (machine, code): (u16, &[u8]) = (
            183,
            &[0, 0, 0x80, 0xd2, 0xa8, 0x0b, 0x80, 0xd2, 1, 0, 0, 0xd4],
        );
        let size = HEADERS + code.len() as u64;
        let mut file = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for half in [2, machine] {
            file.extend(half.to_le_bytes());
        }
        file.extend(1_u32.to_le_bytes());
        for word in [BASE + HEADERS, 64, 0] {
            file.extend(word.to_le_bytes());
        }
        file.extend(0_u32.to_le_bytes());
        for half in [64_u16, 56, 1, 0, 0, 0] {
            file.extend(half.to_le_bytes());
        }
        // One segment, readable and executable.
        for half in [1_u32, 5] {
            file.extend(half.to_le_bytes());
        }
        for word in [0, BASE, BASE, size, size, 4096] {
            file.extend(word.to_le_bytes());
        }
        file.extend(code);
        file
    }
}
