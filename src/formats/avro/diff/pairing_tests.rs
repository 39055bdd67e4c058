use super::*;
use crate::ordered::InOrder;

/// A root as `path name`, or as `path` alone; in front of it, with a `:` behind, what its file says.
fn key(text: &str) -> Key<'_> {
    let (content, rest) = text.split_once(':').map_or((None, text), |(content, rest)| (content.parse().ok(), rest));
    match rest.split_once(' ') {
        Some((path, name)) => Key { name: Some(name), path, content },
        None => Key { name: None, path: rest, content },
    }
}

/// What becomes of each root, in words.
fn paired(old: &[&str], new: &[&str]) -> Vec<String> {
    let keys = Pair::new(old, new).map(|list| list.iter().map(|text| key(text)).collect::<Vec<_>>());
    let known = |keys: &[Key<'_>], name: &str| keys.iter().any(|key| key.name == Some(name));
    let is_known = keys.as_ref().map(|keys| move |name: &str| known(keys, name));
    // What a root says stands behind its name, where it is said.
    let shape = |keys: &[Key<'_>], at: usize| Some(keys[at].name?.split_once('=')?.1.to_owned());
    let shape = keys.as_ref().map(|keys| move |at: usize| shape(keys, at));
    let is_known = Pair::<&dyn Fn(&str) -> bool>::new(&is_known.old, &is_known.new);
    let shape = Pair::<&dyn Fn(usize) -> Option<String>>::new(&shape.old, &shape.new);
    let found = pair(keys.as_ref().map(Vec::as_slice), is_known, true, shape);
    let tie = |(places, tie): &(Pair<usize>, Tie)| {
        let sign = match tie {
            Tie::Continues => "=",
            Tie::Beside => "<",
        };
        format!("{} {sign} {}", keys.old[places.old].path, keys.new[places.new].path)
    };
    let mut all: Vec<String> = found.ties.iter().map(tie).collect();
    let outlived = |places: &Pair<usize>| format!("{} - {}", keys.old[places.old].path, keys.new[places.new].path);
    all.extend(found.outlived.iter().map(outlived));
    all.extend(found.gone.iter().map(|old| format!("{} gone", keys.old[*old].path)));
    all.extend(found.added.iter().map(|new| format!("{} added", keys.new[*new].path)));
    all.extend(found.earliest.iter().map(|new| format!("{} earliest", keys.new[*new].path)));
    all.sort_in_order();
    all
}

#[test]
fn the_same_name_in_the_same_file_comes_before_any_other() {
    assert_eq!(
        paired(&["v1/a A", "v2/a A"], &["v0/a A", "v2/a A", "v1/a A"]),
        ["v0/a earliest", "v1/a = v1/a", "v2/a = v2/a"]
    );
}

#[test]
fn a_file_that_says_what_another_said_is_what_became_of_that() {
    assert_eq!(paired(&["1:one/a A", "2:two/a A"], &["2:aa/a A", "3:xx/a A"]), ["one/a = xx/a", "two/a = aa/a"]);
    assert_eq!(paired(&["1:one/a A", "2:two/a A"], &["1:idl/two/a A", "2:idl/one/a A"])[0], "one/a = idl/two/a");
}

#[test]
fn a_file_that_moves_with_its_folder_is_the_same_whatever_it_is_called_now() {
    assert_eq!(paired(&["one/a A", "two/a A"], &["z/one/a B", "z/two/a A"])[0], "one/a = z/one/a");
    assert_eq!(paired(&["a A"], &["z/a B", "a C"]).len(), 2, "a file without a folder says nothing");
}

#[test]
fn a_new_version_is_compared_with_the_newest_before_it() {
    assert_eq!(
        paired(&["v9/a A", "v10/a A", "v1/a A"], &["v1/a A", "v9/a A", "v10/a A", "v11/a A"])[1],
        "v10/a < v11/a"
    );
    assert_eq!(paired(&["1/0/a A", "1/1/a A"], &["1/0/a A", "1/1/a A", "2/0/a A"])[1], "1/1/a < 2/0/a");
    assert_eq!(
        paired(&["u-v1.avsc x.U", "u-v2.avsc x.U"], &["u-v2.avsc x.U", "u-v3.avsc x.U"]),
        ["u-v1.avsc - u-v3.avsc", "u-v2.avsc < u-v3.avsc", "u-v2.avsc = u-v2.avsc"]
    );
    assert_eq!(
        paired(&["x/v1/a x.v1.A", "x/v2/a x.v2.A"], &["x/v1/a x.v1.A", "x/v2/a x.v2.A", "x/v3/a x.v3.A"])[1],
        "x/v2/a < x/v3/a"
    );
    assert_eq!(paired(&["a.v10_0.avsc l.v10_0.A"], &["b/a.v11_0.avsc l.v11_0.A"]), ["a.v10_0.avsc = b/a.v11_0.avsc"]);
}

#[test]
fn what_is_replaced_by_its_next_version_continues_in_it() {
    assert_eq!(
        paired(&["v1/a x.v1.A", "v1/b x.v1.B"], &["v2/a x.v2.A", "v2/b x.v2.B"]),
        ["v1/a = v2/a", "v1/b = v2/b"]
    );
    assert_eq!(paired(&["v1/a", "v1/b"], &["v2/a", "v2/b"]), ["v1/a = v2/a", "v1/b = v2/b"]);
}

#[test]
fn a_version_that_goes_takes_no_type_away() {
    assert_eq!(
        paired(&["v1/a A", "v67/a A", "v7/a A"], &["v1/a A", "v7/a A"]),
        ["v1/a = v1/a", "v67/a - v7/a", "v7/a = v7/a"]
    );
}

#[test]
fn what_moves_is_found_again_by_its_name() {
    assert_eq!(paired(&["s/v1/a A", "s/v2/a A"], &["t/v2/a A", "t/v1/a A"]), ["s/v1/a = t/v1/a", "s/v2/a = t/v2/a"]);
    assert_eq!(paired(&["a A", "b B"], &["c/b A", "b B"]), ["a = c/b", "b = b"]);
    assert_eq!(
        paired(&["a x.A", "b x.B", "c x.C"], &["n/a y.A", "n/b y.B", "n/c y.C"]),
        ["a = n/a", "b = n/b", "c = n/c"]
    );
}

#[test]
fn another_file_with_the_name_is_no_version_unless_a_number_says_so() {
    assert_eq!(paired(&["m/s/a A", "n/s/a A"], &["m/s/a A", "n/s/a A", "n/t/a A"])[2], "n/t/a added");
    assert_eq!(paired(&["data/nested A"], &["data/nested A", "odd/other A"])[1], "odd/other added");
    assert_eq!(paired(&["s/v1/a A"], &["s/v1/a A", "t/v2/a A"])[1], "t/v2/a added", "another folder");
    assert_eq!(paired(&["2/0/l.alert A"], &["2/0/l.alert A", "3/0/alert A"])[0], "2/0/l.alert < 3/0/alert");
    assert_eq!(paired(&["a x.v1.A"], &["a x.v1.A", "b/other x.v2.A"])[0], "a < b/other");
    assert_eq!(paired(&["a x.v2.A"], &["a x.v2.A", "b/other x.v1.A"])[1], "b/other added");
}

#[test]
fn names_that_the_other_side_has_elsewhere_do_not_pair_by_their_last_part() {
    assert_eq!(paired(&["a x.A", "b y.A"], &["a x.A", "c z.A"]), ["a = a", "b = c"]);
    assert_eq!(paired(&["a x.A", "b y.B"], &["c z.C", "d z.D"]), ["a gone", "b gone", "c added", "d added"]);
}

#[test]
fn versions_are_told_from_other_numbers_in_names() {
    let versions = |name: &str| {
        let mut numbers = Vec::new();
        (without_versions(name, &mut numbers), numbers)
    };
    assert_eq!(versions("lsst.v10_0.alert"), ("lsst.v#.alert".to_owned(), vec![10, 0]));
    assert_eq!(versions("a.events_v2.s3.A"), ("a.events_v#.s3.A".to_owned(), vec![2]));
    assert_eq!(versions("a.client1.User2"), ("a.client1.User2".to_owned(), vec![]));
    assert_eq!(without_numbers("a/1.2.3/x_10-v2.avsc"), ("a/#/x_#-v#.avsc".to_owned(), vec![1, 2, 3, 10, 2]));
}

#[test]
fn versions_whose_names_get_a_version_continue_in_the_nearest() {
    assert_eq!(
        paired(&["1/0/alert l.Alert", "2/0/alert l.Alert", "3/0/alert l.Alert"], &["3/0/v3_0.alert l.v3_0.Alert"]),
        ["1/0/alert - 3/0/v3_0.alert", "2/0/alert - 3/0/v3_0.alert", "3/0/alert = 3/0/v3_0.alert"]
    );
    assert_eq!(
        paired(&["a/alert l.Alert", "b/alert l.Alert"], &["b/v3_0.alert l.v3_0.Alert"])[2],
        "b/v3_0.alert added",
        "two that are no versions of one are not told apart"
    );
}

#[test]
fn what_comes_before_all_versions_is_compared_with_none_whatever_its_file_is_called() {
    let old = ["2/0/l.alert A", "examples/simple A"];
    assert_eq!(paired(&old, &["1/0/alert A", old[0], old[1]])[0], "1/0/alert earliest");
    assert_eq!(paired(&old, &["3/0/alert A", old[0], old[1]])[0], "2/0/l.alert < 3/0/alert");
}

#[test]
fn what_says_the_same_under_another_name_is_the_same() {
    assert_eq!(paired(&["a A=x", "k K"], &["b B=x", "c C=y", "k K"]), ["a = b", "c added", "k = k"]);
    assert_eq!(paired(&["a A=x", "k K"], &["b B=x", "c C=x", "k K"]), ["a gone", "b added", "c added", "k = k"]);
    assert_eq!(paired(&["a A=x", "d D=x", "k K"], &["b B=x", "k K"]), ["a gone", "b added", "d gone", "k = k"]);
    assert_eq!(paired(&["a A", "k K"], &["b B", "k K"]), ["a gone", "b added", "k = k"]);
}
