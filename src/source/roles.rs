//! Which files are judged, and which only supply types: decided once both sides are read.

use std::sync::Arc;

use super::select::{Selection, is_under};
use crate::change::Pair;
use crate::formats::{Format, formats_of};
use crate::ordered::OrderedSet;
use crate::snapshot::{Lent, Snapshot, SnapshotFile};

/// Files that are not selected supply types to those that are, each side its own.
pub(super) fn leave_out(snapshots: &mut Pair<Snapshot>, selection: &Selection) {
    if selection.selects_everything() {
        return;
    }
    for snapshot in [&mut snapshots.new, &mut snapshots.old] {
        let schemas = snapshot.iter().map(|(path, _)| path).filter(|path| !formats_of(snapshot, path).is_empty());
        // Globs may select by the names that schemas have.
        let is_selected = |path: &str| {
            let is_kept = |name: &str| selection.selects(name);
            is_kept(path) || selection.may_select_by_name(path) && snapshot.names(path).any(is_kept)
        };
        let outside: Vec<Arc<str>> = schemas.filter(|path| !is_selected(path)).cloned().collect();
        outside.into_iter().for_each(|path| snapshot.lend(path, Lent::Unselected));
        let hidden: Vec<Arc<str>> =
            snapshot.unseen().keys().filter(|path| !may_select(selection, path)).cloned().collect();
        for path in hidden {
            if let Some(unseen) = snapshot.reveal(&path) {
                snapshot.hide(path, crate::snapshot::Unseen { is_selected: false, ..unseen });
            }
        }
    }
}

/// Whether a file, or some file of a folder, is judged.
fn may_select(selection: &Selection, path: &str) -> bool {
    let holds = |wanted: &String| is_under(wanted, path);
    let name = |format: &Format| format!("{path}/schema.{}", format.extensions()[0]);
    selection.selects(path)
        || selection.paths.iter().any(holds)
        || Format::of_path(path).is_none() && Format::ALL.iter().any(|format| selection.selects(&name(format)))
}

/// What both sides say of a path decides. Behind a link nothing is judged twice; what lies in a submodule is judged where
/// it differs; and what one side cannot see is taken to be what the other side sees, so that all else can be judged.
pub(super) fn settle(snapshots: &mut Pair<Snapshot>) {
    let lent = [&snapshots.old, &snapshots.new].into_iter().flat_map(|side| side.lent_paths());
    let paths: OrderedSet<Arc<str>> = lent.cloned().collect();
    for path in paths {
        if !stays_lent(Pair::new(&snapshots.old, &snapshots.new), &path) {
            snapshots.old.claim(&path);
            snapshots.new.claim(&path);
        }
    }
    let Pair { old, new } = snapshots;
    stand_in(old, new);
    stand_in(new, old);
}

fn stays_lent(sides: Pair<&Snapshot>, path: &str) -> bool {
    let there: Vec<&Snapshot> = [sides.old, sides.new].into_iter().filter(|side| side.get(path).is_some()).collect();
    let Some(whys) = there.iter().map(|side| side.lent(path)).collect::<Option<Vec<&Lent>>>() else { return false };
    let has_one_word = whys.windows(2).all(|two| two[0] == two[1]);
    has_one_word
        && whys.iter().zip(&there).all(|(why, side)| match why {
            Lent::Link(real) => side.get(real).is_some() && side.judges(real),
            Lent::Submodule(_) => {
                there.len() == 2 && sides.old.get(path).map(|file| file.id) == sides.new.get(path).map(|file| file.id)
            }
            Lent::Unselected | Lent::StandIn | Lent::Opposite => true,
        })
}

/// Lends one side what the other sees in its place.
fn stand_in(blind: &mut Snapshot, seeing: &mut Snapshot) {
    let hidden: Vec<Arc<str>> = blind.unseen().keys().cloned().collect();
    for place in hidden {
        let from = seeing.iter().filter(|(path, _)| is_under(path, &place) && blind.get(path).is_none());
        let lent: Vec<(Arc<str>, SnapshotFile)> = from.map(|(path, file)| (path.clone(), file.clone())).collect();
        for (path, file) in lent {
            blind.insert(path.clone(), file);
            blind.lend(path.clone(), Lent::StandIn);
            seeing.lend(path, Lent::Opposite);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_judged_still_supplies_types_each_side_its_own() {
        let side = |money: &str| {
            let files =
                [("proto/shop/order.proto", "o"), ("third_party/google/type/money.proto", money), ("buf.yaml", "b")];
            Snapshot::from_files(files.map(|(path, text)| (path, text.as_bytes().to_vec())))
        };
        let mut snapshots = Pair::new(side("old"), side("new"));
        leave_out(&mut snapshots, &Selection { paths: vec!["proto".into()], ..Selection::default() });
        settle(&mut snapshots);
        let money = "third_party/google/type/money.proto";
        assert!(snapshots.new.judges("proto/shop/order.proto") && !snapshots.new.judges(money));
        assert_eq!(snapshots.old.get(money).map(|file| &*file.bytes), Some("old".as_bytes()));
    }
}
