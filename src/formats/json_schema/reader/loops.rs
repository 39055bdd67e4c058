//! Schemas that lead back to themselves at the same value.
//!
//! The specification leaves open what such a schema says. Here it says as little as agrees with all that it says beside that.

use super::node::{Beside, Id, Node};

/// Longer chains of schemas that look at one value are not followed.
const LONGEST: usize = 20_000;

/// Where one schema stands in the search.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// When it was met, from 1; 0 where it was not.
    met: usize,
    /// The earliest one met that it leads back to.
    low: usize,
    is_open: bool,
    /// How long the chain is that starts here.
    length: usize,
}

/// Those that lead back to themselves, each with the number of its loop; `None` where a chain is too long.
pub(super) fn looked_at(nodes: &[Node]) -> Option<Vec<(Id, usize)>> {
    let edges: Vec<Vec<Id>> = nodes.iter().map(|node| node.beside.iter().flat_map(Beside::schemas).collect()).collect();
    let mut search =
        Search { states: vec![State::default(); nodes.len()], count: 0, group: Vec::new(), found: Vec::new() };
    for index in 0..nodes.len() {
        if search.states[index].met == 0 && !edges[index].is_empty() {
            search.from(index, &edges);
        }
    }
    let longest = search.states.iter().map(|state| state.length).max().unwrap_or(0);
    (longest <= LONGEST).then_some(search.found)
}

/// A search for strongly connected components (Tarjan 1972), with what is open in a list.
struct Search {
    states: Vec<State>,
    count: usize,
    /// Met, and not yet known to which loop they belong.
    group: Vec<usize>,
    found: Vec<(Id, usize)>,
}

impl Search {
    fn meet(&mut self, index: usize) {
        self.count += 1;
        self.states[index] = State { met: self.count, low: self.count, is_open: true, length: 1 };
        self.group.push(index);
    }

    fn from(&mut self, start: usize, edges: &[Vec<Id>]) {
        self.meet(start);
        let mut open = vec![(start, 0)];
        while let Some((index, next)) = open.last_mut() {
            let index = *index;
            if let Some(target) = edges[index].get(*next) {
                *next += 1;
                let target = target.0 as usize;
                if self.states[target].met == 0 {
                    self.meet(target);
                    open.push((target, 0));
                } else {
                    self.led(index, target);
                }
                continue;
            }
            open.pop();
            if self.states[index].low == self.states[index].met {
                self.close(index, edges);
            }
            if let Some((before, _)) = open.last() {
                self.led(*before, index);
            }
        }
    }

    fn led(&mut self, from: usize, to: usize) {
        let target = self.states[to];
        let state = &mut self.states[from];
        if target.is_open {
            state.low = state.low.min(target.low);
        }
        state.length = state.length.max(target.length + 1);
    }

    /// What was met since is one loop, or one schema by itself.
    fn close(&mut self, index: usize, edges: &[Vec<Id>]) {
        let start = self.group.iter().rposition(|one| *one == index).unwrap_or(0);
        let group = self.group.split_off(start);
        let is_loop = group.len() > 1 || edges[index].iter().any(|target| target.0 as usize == index);
        let number = self.states[index].met;
        for one in group {
            self.states[one].is_open = false;
            if is_loop {
                self.found.push((Id(u32::try_from(one).unwrap_or(u32::MAX)), number));
            }
        }
    }
}
