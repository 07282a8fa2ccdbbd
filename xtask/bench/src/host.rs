//! Host processes: cases that start children are measured in processes of their own, small ones and large ones.

use std::env;
use std::hint::black_box;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::case::Case;

/// What a host is, besides a process that runs cases.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    /// Memory that is touched before the first case.
    pub(crate) bytes: usize,
    /// Whether orphans come to it, which holds for a whole process.
    pub(crate) adopts: bool,
}

/// A process that runs cases of one group on request.
#[derive(Debug)]
pub(crate) struct Host {
    process: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Host {
    /// Starts this program again as a host.
    pub(crate) fn start(group: &str, manner: Manner, arguments: &[String]) -> io::Result<Self> {
        let mut process = Command::new(env::current_exe()?)
            .args(["host", group, &manner.bytes.to_string()])
            .arg(if manner.adopts { "adopts" } else { "plain" })
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let requests = process.stdin.take();
        let answers = process.stdout.take();
        let (Some(requests), Some(answers)) = (requests, answers) else {
            return Err(io::Error::other("a host without pipes"));
        };
        Ok(Self {
            process,
            requests,
            answers: BufReader::new(answers),
        })
    }

    /// Runs the case of this number once.
    pub(crate) fn run(&mut self, number: usize) -> Result<f64, String> {
        let answer = self.ask(number).map_err(|error| error.to_string())?;
        match answer.strip_prefix('!') {
            Some(problem) => Err(problem.to_owned()),
            None => answer
                .parse()
                .map_err(|_| format!("the host answered `{answer}`")),
        }
    }

    fn ask(&mut self, number: usize) -> io::Result<String> {
        writeln!(self.requests, "{number}")?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer.trim_end().to_owned())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // The end of its input is what ends a host; one that is stuck in a case is ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The other side: runs cases until nothing is asked any more.
pub(crate) fn serve(manner: Manner, mut cases: Vec<Case>) -> io::Result<()> {
    let mut memory = vec![0_u8; manner.bytes];
    memory.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    let mut stdout = io::stdout();
    for request in io::stdin().lines() {
        let request = request?;
        let case = request
            .parse()
            .ok()
            .and_then(|number: usize| cases.get_mut(number));
        let answer = match case.map(Case::run) {
            Some(Ok(nanos)) => nanos.to_string(),
            Some(Err(error)) => format!("!{}", error.problem.replace('\n', " ")),
            None => format!("!no case `{request}`"),
        };
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    black_box(memory);
    Ok(())
}
