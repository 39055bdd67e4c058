use super::*;
use crate::ordered::InOrder;

/// Fields of a record, each with as many values as it says, in a record that has all of them always or never.
struct Toy {
    values: Vec<usize>,
    is_whole: bool,
}

impl Toy {
    fn base(&self) -> Record {
        let all = if self.is_whole { self.values.len() } else { 0 };
        (0..all).fold(Record::empty(0), |record, field| record.with(field as i32, Value::Int(-1)))
    }
}

impl Variations for Toy {
    fn count(&self) -> usize {
        self.values.len()
    }

    fn identities(&self, element: usize) -> Vec<Identity> {
        vec![Identity(format!("R#{element}"))]
    }

    fn width(&self) -> usize {
        1 + self.base().fields.len()
    }

    fn values(&self, element: usize) -> Vec<Value> {
        (0..self.values[element]).map(|number| Value::Int(number as i128)).collect()
    }

    fn alone(&self, element: usize, value: Value) -> Vec<Value> {
        vec![Value::Record(self.base().with(element as i32, value))]
    }

    fn together(&self, values: &mut dyn Iterator<Item = (usize, Value)>) -> (Value, Vec<usize>) {
        let (mut record, mut included) = (self.base(), Vec::new());
        for (element, value) in values {
            record.fields.insert(element as i32, value);
            included.push(element);
        }
        (Value::Record(record), included)
    }
}

/// What was written, whether every part of it was read or not, and what was left out.
fn written(toy: &Toy, budget: usize, is_read: impl Fn(&Record) -> bool) -> (Vec<Record>, LeftOut) {
    let mut all = Vec::new();
    let mut send = |value: &Rc<Value>| {
        let Value::Record(record) = &**value else { panic!("a toy writes records") };
        all.push(record.clone());
        is_read(record)
    };
    let mut outlet = Outlet::new((budget, 0), "R", &mut send);
    outlet.write_each(toy);
    let left_out = outlet.finish();
    (all, left_out)
}

fn cost(records: &[Record]) -> usize {
    records.iter().map(|record| MESSAGE + weight(&Value::Record(record.clone()))).sum()
}

/// The fields that stand alone in a record, or that differ from all others.
fn alone(records: &[Record], is_whole: bool) -> Vec<i32> {
    let telling = |record: &Record| -> Vec<i32> {
        let fields = record.fields.iter().filter(|(_, value)| !is_whole || **value != Value::Int(-1));
        fields.map(|(key, _)| *key).collect()
    };
    records.iter().map(telling).filter(|fields| fields.len() == 1).flatten().collect()
}

#[test]
fn all_is_written_in_order_as_long_as_the_budget_suffices() {
    let toy = Toy { values: vec![2, 3], is_whole: true };
    let (records, left_out) = written(&toy, BUDGET, |_| true);
    assert_eq!(alone(&records, true), [0, 0, 1, 1, 1]);
    assert!(left_out.words.is_empty() && left_out.partly.is_empty());
}

#[test]
fn wide_records_do_not_cost_the_square_of_their_width() {
    let toy = Toy { values: vec![12; 2000], is_whole: true };
    let (records, left_out) = written(&toy, BUDGET, |_| true);
    assert!(cost(&records) <= BUDGET, "{}", cost(&records));
    assert!(records.len() < 200, "{}", records.len());
    // Together every field has every value.
    for value in 0..12 {
        assert!(records.iter().any(|record| record.fields.values().all(|seen| *seen == Value::Int(value))), "{value}");
    }
    assert!(left_out.words.is_empty() && left_out.partly.is_empty());
}

#[test]
fn every_field_is_written_alone_before_any_has_all_its_values() {
    let toy = Toy { values: vec![12; 2500], is_whole: false };
    let (records, _) = written(&toy, BUDGET, |_| true);
    assert!(cost(&records) <= BUDGET, "{}", cost(&records));
    let mut fields = alone(&records, false);
    fields.dedup();
    let first: Vec<i32> = fields.iter().copied().take(2500).collect();
    assert_eq!(first, (0..2500).collect::<Vec<i32>>());
}

#[test]
fn what_was_not_read_in_company_nor_written_alone_is_told() {
    let toy = Toy { values: vec![12; 2000], is_whole: true };
    let (records, left_out) = written(&toy, BUDGET, |_| false);
    assert!(cost(&records) <= BUDGET, "{}", cost(&records));
    assert!(left_out.partly.len() > 1900, "{}", left_out.partly.len());
    let [words] = &left_out.words[..] else { panic!("one sentence, not {:?}", left_out.words) };
    assert!(words.contains("of 2,000 elements of `R`"), "{words}");
}

#[test]
fn an_element_with_many_values_does_not_take_them_from_others() {
    let toy = Toy { values: [vec![100_000], vec![3; 50]].concat(), is_whole: false };
    let (records, left_out) = written(&toy, 1 << 14, |_| true);
    assert!(cost(&records) <= 1 << 14);
    for field in 1..51 {
        assert!(records.iter().any(|record| record.fields.get(&field) == Some(&Value::Int(2))), "{field}");
    }
    assert_eq!(left_out.partly, [Identity("R#0".to_owned())]);
}

#[test]
fn things_that_exclude_each_other_are_paired_all_or_with_their_neighbours() {
    assert_eq!(pairs(3, 10).collect::<Vec<_>>(), [(0, 1), (0, 2), (1, 2)]);
    let many: Vec<(usize, usize)> = pairs(1000, 20).collect();
    assert!(many.len() < 1020, "{}", many.len());
    assert!((0..1000).all(|thing| many.iter().any(|(one, other)| *one == thing || *other == thing)));
    let mut once = many.clone();
    once.sort_in_order();
    once.dedup();
    assert_eq!(once.len(), many.len());
}

#[test]
fn what_cannot_be_made_is_said_and_written_in_part() {
    let toy = Toy { values: vec![2, 3], is_whole: true };
    let mut send = |_: &Rc<Value>| true;
    let mut outlet = Outlet::new((BUDGET, 0), "R", &mut send);
    outlet.write_each(&toy);
    outlet.lack(["Link"], toy.identities(1));
    let left_out = outlet.finish();
    assert_eq!(left_out.words, ["synthetic data of `Link`, because none can be written"]);
    assert_eq!(left_out.partly, toy.identities(1));
}
