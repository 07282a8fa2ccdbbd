//! Types that need each other.

use super::{Body, DeclaredType, Environment, Payload, Shape, TypeId};

/// The state of the search for groups, after Tarjan; its stacks are tables, since types may form long chains.
struct Search<'a> {
    environment: &'a Environment,
    /// The order in which each type was met, from 1.
    met: Vec<u32>,
    /// The earliest type of the open ones that each one leads back to.
    low: Vec<u32>,
    groups: Vec<u32>,
    stack: Vec<usize>,
    next: u32,
    next_group: u32,
}

impl Environment {
    /// Lists the types that the declaration of a type names, in the order of its text; one that is named twice comes twice.
    pub fn named_types(&self, id: TypeId) -> Vec<TypeId> {
        needed(&self[id])
    }

    /// Gives for each type the number of its group: two types of one group need each other.
    pub(crate) fn groups(&self) -> Vec<u32> {
        let count = self.types.len();
        let mut search = Search {
            environment: self,
            met: vec![0; count],
            low: vec![0; count],
            groups: vec![0; count],
            stack: Vec::new(),
            next: 1,
            next_group: 1,
        };
        for index in 0..count {
            if search.met[index] == 0 {
                search.visit(index);
            }
        }
        search.groups
    }
}

impl Search<'_> {
    fn visit(&mut self, start: usize) {
        let mut open = vec![(start, self.enter(start))];
        while let Some((index, needed)) = open.last_mut() {
            let index = *index;
            if let Some(target) = needed.pop() {
                let target = target.index();
                if self.met[target] == 0 {
                    let needed = self.enter(target);
                    open.push((target, needed));
                } else if self.groups[target] == 0 {
                    self.low[index] = self.low[index].min(self.met[target]);
                }
                continue;
            }
            open.pop();
            if let Some((parent, _)) = open.last() {
                self.low[*parent] = self.low[*parent].min(self.low[index]);
            }
            if self.low[index] == self.met[index] {
                self.close(index);
            }
        }
    }

    /// Meets a type and gives the types that its declaration names.
    fn enter(&mut self, index: usize) -> Vec<TypeId> {
        self.met[index] = self.next;
        self.low[index] = self.next;
        self.next += 1;
        self.stack.push(index);
        needed(&self.environment.types[index])
    }

    /// Makes a group of a type and all met behind it.
    fn close(&mut self, index: usize) {
        while let Some(member) = self.stack.pop() {
            self.groups[member] = self.next_group;
            if member == index {
                break;
            }
        }
        self.next_group += 1;
    }
}

/// Lists the types that a declaration names.
fn needed(declared: &DeclaredType) -> Vec<TypeId> {
    let mut found = Vec::new();
    let mut add = |shape: &Shape| shape.for_each_type(&mut |id| found.push(id));
    let fields = match &declared.body {
        Body::Primitive | Body::Opaque => &[],
        Body::Record(fields) => &fields[..],
        Body::Alias(shape) => {
            add(shape);
            &[]
        }
        Body::Sum { variants, .. } => {
            for variant in variants {
                match &variant.payload {
                    Payload::Empty => {}
                    Payload::Value(shape) => add(shape),
                    Payload::Record(fields) => fields.iter().for_each(|field| add(&field.shape)),
                }
            }
            &[]
        }
    };
    for field in fields {
        add(&field.shape);
    }
    found
}
