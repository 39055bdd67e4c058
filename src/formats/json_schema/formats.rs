//! The formats that readers may assert (Validation §7.3), with texts that have them.

/// Each format and texts of it, the shortest first. What is not here is an annotation, the
/// internationalized ones of hosts and mail among it.
const FORMATS: [(&str, &[&str]); 17] = [
    ("date", &["2024-02-29", "1999-12-31"]),
    ("date-time", &["2024-02-29T12:00:00Z", "1999-12-31T23:59:59.5+01:00"]),
    ("duration", &["P1D", "PT1H30M"]),
    ("email", &["a@b.c", "ann.lee@example.org"]),
    ("hostname", &["a", "www.example.org"]),
    ("ipv4", &["1.2.3.4", "192.168.0.1"]),
    ("ipv6", &["::1", "2001:db8::ff00:42:8329"]),
    ("iri", &["a:b", "https://例え.jp/é"]),
    ("iri-reference", &["", "a", "/é#x"]),
    ("json-pointer", &["", "/a/0"]),
    ("regex", &["", "^a+$"]),
    ("relative-json-pointer", &["0", "1/a"]),
    ("time", &["12:00:00Z", "23:59:59.5+01:00"]),
    ("uri", &["a:b", "https://example.org/a?b#c"]),
    ("uri-reference", &["", "a", "/a?b#c"]),
    ("uri-template", &["", "/a/{id}"]),
    ("uuid", &["2eb8aa08-aa98-11ea-b4aa-73b441d16380"]),
];

/// Texts that have a format; `None` where no validator knows it.
pub(super) fn texts(name: &str) -> Option<&'static [&'static str]> {
    FORMATS.iter().find(|(known, _)| *known == name).map(|(_, texts)| *texts)
}

#[cfg(test)]
mod tests {
    use super::super::reader::Reader;
    use super::*;
    use serde_json::json;

    #[test]
    fn readers_take_the_texts_of_each_format_and_refuse_others() {
        for (name, texts) in FORMATS {
            let reader = Reader::new(&json!({ "format": name })).expect("a schema");
            for text in texts {
                assert!(reader.takes(&json!(text)), "{name}: {text}");
            }
            assert!(["a b{", "\u{0}(", "-", "/~"].iter().any(|text| !reader.takes(&json!(text))), "{name} is asserted");
            assert!(reader.takes(&json!(1)), "{name} is of texts only");
        }
    }
}
