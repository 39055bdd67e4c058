//! Where things stand in a list, by what they are called: found out once, so that no list is searched for each of another.

use std::hash::Hash;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::meanings::Called;

/// Where each key stands first.
pub(crate) fn first_places<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> FxHashMap<K, usize> {
    let mut places = FxHashMap::default();
    for (at, key) in keys.enumerate() {
        places.entry(key).or_insert(at);
    }
    places
}

/// Where the values of an enum stand, by name and by number. It is found out when it is first asked.
#[derive(Debug, Default)]
pub(crate) struct ValuePlaces {
    known: OnceLock<Known>,
    called: OnceLock<Box<Called>>,
}

#[derive(Debug)]
struct Known {
    by_name: FxHashMap<Box<str>, usize>,
    by_number: FxHashMap<i128, Vec<usize>>,
}

impl ValuePlaces {
    fn known<'n>(&self, values: impl Iterator<Item = (&'n str, i128)>) -> &Known {
        self.known.get_or_init(|| {
            let mut known = Known { by_name: FxHashMap::default(), by_number: FxHashMap::default() };
            for (at, (name, number)) in values.enumerate() {
                known.by_name.entry(name.into()).or_insert(at);
                known.by_number.entry(number).or_default().push(at);
            }
            known
        })
    }

    /// What the values of an enum of some full name are called.
    pub(crate) fn called<'n>(
        &self,
        enumeration: &str,
        values: impl Iterator<Item = (&'n str, i128)> + Clone,
    ) -> &Called {
        self.called.get_or_init(|| Box::new(Called::of_enum(enumeration, values)))
    }

    /// The place of a name.
    pub(crate) fn of_name<'n>(&self, values: impl Iterator<Item = (&'n str, i128)>, name: &str) -> Option<usize> {
        self.known(values).by_name.get(name).copied()
    }

    /// The places of a number, in their order.
    pub(crate) fn of_number<'n>(&self, values: impl Iterator<Item = (&'n str, i128)>, number: i128) -> &[usize] {
        self.known(values).by_number.get(&number).map_or(&[], Vec::as_slice)
    }
}

/// Where the fields of a record are, by number, and which of them must be there. It is found out when it is first asked,
/// which is not before all fields are known: messages are written and read by the thousand.
#[derive(Debug, Default)]
pub(crate) struct FieldPlaces {
    by_number: OnceLock<FxHashMap<i32, usize>>,
    required: OnceLock<Vec<usize>>,
}

impl FieldPlaces {
    /// The place of a number; of several fields of one number the first.
    pub(crate) fn of_number(&self, numbers: impl Iterator<Item = i32>, number: i32) -> Option<usize> {
        self.by_number.get_or_init(|| first_places(numbers)).get(&number).copied()
    }

    /// The places of those that must be there, in their order.
    pub(crate) fn required(&self, are_required: impl Iterator<Item = bool>) -> &[usize] {
        self.required.get_or_init(|| {
            are_required.enumerate().filter_map(|(at, is_required)| is_required.then_some(at)).collect()
        })
    }
}
