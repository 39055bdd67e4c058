//! The words that a name is made of, however it is written: by underscores, by capitals, or by both.

/// The words of a name in lower case: `KIND_MAX`, `kind_max`, `kKindMax`, `oldHTTPServer`. A digit ends a word where a capital
/// follows, and of several capitals the last one begins a word where a small letter follows.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    let mut rest = name.chars().peekable();
    while let Some(char) = rest.next() {
        let is_after_small = before.is_lowercase() || before.is_ascii_digit();
        let is_before_small = rest.peek().is_some_and(|next| next.is_lowercase());
        if char == '_' || char.is_uppercase() && (is_after_small || is_before_small) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| char != '_') {
            word.extend(char.to_lowercase());
        }
        before = char;
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_cut_where_a_word_begins() {
        for (name, expected) in [
            ("goldPrice", "gold price"),
            ("obsoleteB", "obsolete b"),
            ("KIND_MAX", "kind max"),
            ("k_EKindMax", "k e kind max"),
            ("oldHTTPServer", "old http server"),
            ("v2Max", "v2 max"),
            ("household", "household"),
            ("__a__b", "a b"),
            ("", ""),
        ] {
            assert_eq!(words(name).join(" "), expected, "{name}");
        }
    }
}
