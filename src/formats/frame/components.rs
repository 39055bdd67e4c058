//! What leads to each other.

/// Which nodes lead to each other, by a number for each, and the nodes of each number: those that others lead to come first.
/// (Tarjan's components, without recursion: schemas nest as deep as they like.)
pub(super) fn together(edges: &[&[usize]]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut walk = Walk {
        order: vec![0; edges.len()],
        low: vec![0; edges.len()],
        number: vec![None; edges.len()],
        count: 0,
        waiting: Vec::new(),
        way: Vec::new(),
    };
    let mut each = Vec::new();
    for start in 0..edges.len() {
        if walk.order[start] == 0 {
            walk.enter(start);
        }
        while let Some((node, next)) = walk.way.last_mut() {
            let (node, to) = (*node, edges[*node].get(*next).copied());
            *next += 1;
            match to {
                Some(to) if walk.order[to] == 0 => walk.enter(to),
                Some(to) if walk.number[to].is_none() => walk.low[node] = walk.low[node].min(walk.order[to]),
                Some(_) => {}
                None => each.extend(walk.leave(node, each.len())),
            }
        }
    }
    (walk.number.into_iter().map(|number| number.expect("every node was left")).collect(), each)
}

/// The state of the search.
struct Walk {
    /// When each node was met, from 1.
    order: Vec<usize>,
    /// The first met node that each leads back to.
    low: Vec<usize>,
    number: Vec<Option<usize>>,
    count: usize,
    /// Nodes without a number.
    waiting: Vec<usize>,
    /// The nodes on the way here, each with which of its edges is next.
    way: Vec<(usize, usize)>,
}

impl Walk {
    fn enter(&mut self, node: usize) {
        self.count += 1;
        (self.order[node], self.low[node]) = (self.count, self.count);
        self.waiting.push(node);
        self.way.push((node, 0));
    }

    /// Leaves a node all of whose edges are known; those that lead to each other, if it is the first of them.
    fn leave(&mut self, node: usize, number: usize) -> Option<Vec<usize>> {
        self.way.pop();
        if let Some((parent, _)) = self.way.last() {
            self.low[*parent] = self.low[*parent].min(self.low[node]);
        }
        if self.low[node] != self.order[node] {
            return None;
        }
        let first = self.waiting.iter().rposition(|waiting| *waiting == node)?;
        let members = self.waiting.split_off(first);
        members.iter().for_each(|member| self.number[*member] = Some(number));
        Some(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_to_each_other_is_one_behind_what_it_leads_to() {
        let edges: [&[usize]; 6] = [&[1], &[2, 3], &[0], &[4, 3], &[], &[0, 4]];
        let (number, each) = together(&edges);
        assert_eq!(each, [vec![4], vec![3], vec![0, 1, 2], vec![5]]);
        assert_eq!(number, [2, 2, 2, 1, 0, 3]);
    }
}
