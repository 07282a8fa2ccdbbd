//! Which file of a program needs which, and the order that follows.

use soil::check::{CheckOptions, Depth, check};
use soil::diagnostic::{Code, Diagnostic, Diagnostics};
use soil::names::Referent;
use soil::program::{Program, ProgramDefinition};

/// The files of a program with those that each one needs.
pub(crate) struct Graph {
    /// For each file the files that its definitions refer to, sorted, itself left out.
    needs: Vec<Vec<usize>>,
}

/// An order of files.
#[derive(Default)]
pub(crate) struct Order {
    /// The files, callee before caller.
    pub(crate) files: Vec<usize>,
    /// Files that need each other, one list for each circle that was met.
    pub(crate) circles: Vec<Vec<usize>>,
}

impl Graph {
    /// Looks up the names of a program whose files stand in any order.
    pub(crate) fn of(program: &Program) -> Self {
        let depth = Depth::Names;
        let checked = check(
            program,
            CheckOptions {
                depth,
                is_rich: false,
            },
        );
        let mut needs = vec![Vec::new(); program.files.len()];
        for definition in &checked.definitions {
            let file = program[definition.id].file;
            for (_, reference) in definition.references.sorted(&program.names) {
                if let Referent::Definition(id) = reference.referent {
                    needs[file].push(program[id].file);
                }
            }
        }
        for (file, needed) in needs.iter_mut().enumerate() {
            needed.sort_unstable();
            needed.dedup();
            needed.retain(|other| *other != file);
        }
        Self { needs }
    }

    /// Orders the files that these need, these included.
    pub(crate) fn order(&self, from: impl IntoIterator<Item = usize>) -> Order {
        let mut walk = Walk {
            graph: self,
            states: vec![State::New; self.needs.len()],
            path: Vec::new(),
            order: Order::default(),
        };
        for file in from {
            walk.visit(file);
        }
        walk.order
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// A walk in depth, with a stack of its own since files may form long chains.
struct Walk<'g> {
    graph: &'g Graph,
    states: Vec<State>,
    path: Vec<(usize, usize)>,
    order: Order,
}

impl Walk<'_> {
    fn visit(&mut self, start: usize) {
        if self.states[start] != State::New {
            return;
        }
        self.states[start] = State::Open;
        self.path.push((start, 0));
        while let Some((file, next)) = self.path.last_mut() {
            let file = *file;
            let Some(needed) = self.graph.needs[file].get(*next).copied() else {
                self.states[file] = State::Done;
                self.order.files.push(file);
                self.path.pop();
                continue;
            };
            *next += 1;
            match self.states[needed] {
                State::New => {
                    self.states[needed] = State::Open;
                    self.path.push((needed, 0));
                }
                State::Open => self.circle(needed),
                State::Done => {}
            }
        }
    }

    /// Notes that the files from here to the end of the path need each other.
    fn circle(&mut self, first: usize) {
        let start = self.path.iter().position(|(file, _)| *file == first);
        let start = start.unwrap_or_default();
        let mut circle: Vec<usize> = self.path[start..].iter().map(|(file, _)| *file).collect();
        circle.sort_unstable();
        let is_known = |known: &Vec<usize>| circle.iter().any(|file| known.contains(file));
        if !self.order.circles.iter().any(is_known) {
            self.order.circles.push(circle);
        }
    }
}

/// Reports files that need each other, by their paths.
pub(crate) fn circle(program: &Program, paths: &[&str]) -> Diagnostics {
    let mut places = paths.iter().filter_map(|path| {
        let mut definitions = program.definitions();
        let found = definitions.find(|(_, definition)| {
            let file = program.files[definition.file].id;
            let source = program.sources.get(file);
            source.is_some_and(|source| *source.path == **path)
        });
        found.map(|(_, definition)| *definition)
    });
    let Some(first) = places.next() else {
        return Diagnostics::new();
    };
    let full = |definition: &ProgramDefinition| {
        let module = &program.names[definition.module];
        format!("{module}/{}", &program.names[definition.name])
    };
    let message = format!("`{}` and others need each other", full(&first));
    let file = program.files[first.file].id;
    let diagnostic = Diagnostic::at(Code::StateCycle, file, first.name_span, message);
    let diagnostic = places.fold(diagnostic, |diagnostic, other| {
        let file = program.files[other.file].id;
        diagnostic.with_note_at(file, other.name_span, format!("so does `{}`", full(&other)))
    });
    diagnostic.into()
}
