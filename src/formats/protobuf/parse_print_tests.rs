//! A random file, printed, is read back as it was; random bytes and random tokens never make the parser panic.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;

/// A small generator of numbers: the same seed makes the same file.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn times(&mut self, most: u64) -> std::ops::Range<u64> {
        0..self.below(most + 1)
    }
}

const NAMES: &[&str] =
    &["a", "B", "_", "message", "optional", "to", "max", "syntax", "group", "int32", "x9", "stream", "map"];
const TYPES: &[&str] = &["int32", "string", "bytes", "double", "Foo", ".a.Foo", "a.b.C", "sint64"];

fn name(dice: &mut Dice) -> &'static str {
    dice.pick(NAMES)
}

fn value(dice: &mut Dice, depth: u64) -> String {
    match dice.below(if depth == 0 { 5 } else { 7 }) {
        0 => dice.pick(&["true", "SPEED", "inf", "-inf", "-nan", "max"]).to_owned(),
        1 => dice.pick(&["0", "1", "-1", "18446744073709551615", "-9223372036854775808"]).to_owned(),
        2 => dice.pick(&["0.5", "-2.25", "1e100"]).to_owned(),
        3 => dice.pick(&["\"\"", "\"a b\"", "\"\\\"\\n\\000\\377\""]).to_owned(),
        4 => "{ }".to_owned(),
        _ => literal_text(dice, depth),
    }
}

fn literal_text(dice: &mut Dice, depth: u64) -> String {
    let mut out = "{ ".to_owned();
    for _ in dice.times(3) {
        out += dice.pick(&["a", "message", "[a.b]", "[t.co/x.Y]"]);
        out += ": ";
        if dice.below(3) == 0 {
            let items: Vec<String> = dice.times(3).map(|_| value(dice, depth - 1)).collect();
            let _ = write!(out, "[{}] ", items.join(", "));
        } else {
            out += &value(dice, depth - 1);
            out.push(' ');
        }
    }
    out + "}"
}

fn option_text(dice: &mut Dice) -> String {
    let depth = dice.below(3);
    format!("{} = {}", dice.pick(&["deprecated", "(a.b).c", "features.x", "(.a)", "default"]), value(dice, depth))
}

fn brackets(dice: &mut Dice) -> String {
    let options: Vec<String> = dice.times(2).map(|_| option_text(dice)).collect();
    if options.is_empty() { String::new() } else { format!(" [{}]", options.join(", ")) }
}

fn statements(dice: &mut Dice, out: &mut String) {
    for _ in dice.times(2) {
        let _ = writeln!(out, "option {};", option_text(dice));
    }
}

#[derive(Clone, Copy, PartialEq)]
enum In {
    Message,
    Oneof,
    Extend,
}

fn field_text(dice: &mut Dice, dialect: Dialect, place: In, depth: u64, out: &mut String) {
    let labels: &[&str] = match (dialect, place) {
        (_, In::Oneof) => &[""],
        (Dialect::Proto2, _) => &["optional ", "required ", "repeated "],
        (Dialect::Proto3, _) => &["", "optional ", "repeated "],
        (Dialect::Edition2023 | Dialect::Edition2024, _) => &["", "repeated "],
    };
    let number = 1 + dice.below(1000);
    if depth > 0 && !dialect.is_edition() && dice.below(4) == 0 {
        let _ = write!(out, "{}group G{number} = {number}{} ", dice.pick(labels), brackets(dice));
        body_text(dice, dialect, depth - 1, out);
        out.push('\n');
        return;
    }
    let ty = match place {
        In::Message if dice.below(5) == 0 => format!("map<string, {}>", dice.pick(TYPES)),
        In::Message | In::Oneof | In::Extend => format!("{}{}", dice.pick(labels), dice.pick(TYPES)),
    };
    let _ = writeln!(out, "{ty} {} = {number}{};", name(dice), brackets(dice));
}

fn ranges(dice: &mut Dice, max: &str) -> String {
    let one = |dice: &mut Dice| match dice.below(3) {
        0 => format!("{}", 1 + dice.below(99)),
        1 => format!("{} to {}", 1 + dice.below(99), 100 + dice.below(99)),
        _ => format!("{} to {max}", 1 + dice.below(99)),
    };
    let list: Vec<String> = (0..=dice.below(2)).map(|_| one(dice)).collect();
    list.join(", ")
}

fn reserved_text(dice: &mut Dice, dialect: Dialect, out: &mut String) {
    let quote = if dialect.is_edition() { "" } else { "\"" };
    for _ in dice.times(2) {
        if dice.below(2) == 0 {
            let _ = writeln!(out, "reserved {};", ranges(dice, "max"));
        } else {
            let _ = writeln!(out, "reserved {quote}{}{quote}, {quote}b{quote};", name(dice));
        }
    }
}

fn extend_text(dice: &mut Dice, dialect: Dialect, depth: u64, out: &mut String) {
    let _ = writeln!(out, "extend {} {{", dice.pick(&["Foo", ".a.Foo", "a.B"]));
    for _ in 0..=dice.below(2) {
        field_text(dice, dialect, In::Extend, depth, out);
    }
    out.push_str("}\n");
}

fn enum_text(dice: &mut Dice, dialect: Dialect, out: &mut String) {
    let _ = writeln!(out, "{}enum {} {{", visibility_text(dice, dialect), name(dice));
    statements(dice, out);
    reserved_text(dice, dialect, out);
    for _ in 0..=dice.below(3) {
        let number = dice.pick(&["0", "-1", "7", "2147483647", "-2147483648"]);
        let _ = writeln!(out, "{} = {number}{};", name(dice), brackets(dice));
    }
    out.push_str("}\n");
}

fn visibility_text(dice: &mut Dice, dialect: Dialect) -> &'static str {
    if dialect == Dialect::Edition2024 { dice.pick(&["", "export ", "local "]) } else { "" }
}

fn message_text(dice: &mut Dice, dialect: Dialect, depth: u64, out: &mut String) {
    let _ = write!(out, "{}message {} ", visibility_text(dice, dialect), name(dice));
    body_text(dice, dialect, depth, out);
    out.push('\n');
}

fn body_text(dice: &mut Dice, dialect: Dialect, depth: u64, out: &mut String) {
    out.push_str("{\n");
    statements(dice, out);
    for _ in dice.times(if depth == 0 { 0 } else { 2 }) {
        message_text(dice, dialect, depth - 1, out);
    }
    for _ in dice.times(1) {
        enum_text(dice, dialect, out);
    }
    for _ in dice.times(1) {
        extend_text(dice, dialect, 0, out);
    }
    for _ in dice.times(1) {
        let _ = writeln!(out, "extensions {}{};", ranges(dice, "max"), brackets(dice));
    }
    reserved_text(dice, dialect, out);
    for _ in dice.times(4) {
        field_text(dice, dialect, In::Message, depth, out);
    }
    for _ in dice.times(2) {
        let _ = writeln!(out, "oneof {} {{", name(dice));
        statements(dice, out);
        for _ in 0..=dice.below(2) {
            field_text(dice, dialect, In::Oneof, depth, out);
        }
        out.push_str("}\n");
    }
    out.push('}');
}

fn service_text(dice: &mut Dice, out: &mut String) {
    let _ = writeln!(out, "service {} {{", name(dice));
    statements(dice, out);
    for _ in dice.times(3) {
        let stream = ["", "stream "];
        let (input, output) = (dice.pick(&stream), dice.pick(&stream));
        let _ = write!(out, "rpc {}({input}Foo) returns ({output}.a.B)", name(dice));
        if dice.below(2) == 0 {
            out.push_str(";\n");
        } else {
            let _ = writeln!(out, " {{\noption {};\n}}", option_text(dice));
        }
    }
    out.push_str("}\n");
}

fn file_text(seed: u64) -> String {
    let dice = &mut Dice(seed);
    let choices = [
        ("syntax = \"proto2\";\n", Dialect::Proto2),
        ("syntax = \"proto3\";\n", Dialect::Proto3),
        ("edition = \"2023\";\n", Dialect::Edition2023),
        ("edition = \"2024\";\n", Dialect::Edition2024),
    ];
    let (first, dialect) = choices[dice.below(4) as usize];
    let mut out = first.to_owned();
    for _ in dice.times(1) {
        let _ = writeln!(out, "package {};", dice.pick(&["a", "a.b", "message.enum"]));
    }
    for _ in dice.times(2) {
        let _ = writeln!(out, "import {}\"{}.proto\";", dice.pick(&["", "public "]), name(dice));
    }
    statements(dice, &mut out);
    for _ in dice.times(2) {
        message_text(dice, dialect, 3, &mut out);
    }
    for _ in dice.times(2) {
        enum_text(dice, dialect, &mut out);
    }
    for _ in dice.times(1) {
        service_text(dice, &mut out);
    }
    for _ in dice.times(1) {
        extend_text(dice, dialect, 2, &mut out);
    }
    out
}

/// Prints a tree in the form of the generator above.
struct Printer<'p> {
    out: String,
    file: &'p File<'p>,
}

impl<'p> Printer<'p> {
    fn file(file: &'p File<'p>) -> String {
        let mut this = Printer { out: String::new(), file };
        if let Some(syntax) = &file.syntax {
            let word = if syntax.is_edition { "edition" } else { "syntax" };
            let _ = writeln!(this.out, "{word} = \"{}\";", syntax.value);
        }
        if let Some(package) = &file.package {
            let _ = writeln!(this.out, "package {};", package.text);
        }
        for import in &file.imports {
            let modifier = if import.modifier == ImportModifier::Public { "public " } else { "" };
            let _ = writeln!(this.out, "import {modifier}\"{}\";", import.path);
        }
        this.options(&file.options);
        for message in file.messages.iter().filter(|message| !message.is_group) {
            this.message(message);
        }
        file.enums.iter().for_each(|item| this.enumeration(item));
        file.services.iter().for_each(|item| this.service(item));
        file.extends.iter().for_each(|item| this.extend(item, &this.file.messages));
        this.out
    }

    fn options(&mut self, options: &[OptionNode<'_>]) {
        for option in options {
            let _ = writeln!(self.out, "option {};", spell_option(option));
        }
    }

    fn brackets(&mut self, options: &[OptionNode<'_>]) {
        if !options.is_empty() {
            let options: Vec<String> = options.iter().map(spell_option).collect();
            let _ = write!(self.out, " [{}]", options.join(", "));
        }
    }

    fn visibility(&mut self, visibility: Option<(Visibility, Span)>) {
        self.out += match visibility {
            None => "",
            Some((Visibility::Export, _)) => "export ",
            Some((Visibility::Local, _)) => "local ",
        };
    }

    fn message(&mut self, message: &'p Message<'p>) {
        self.visibility(message.visibility);
        let _ = write!(self.out, "message {} ", message.name.text);
        self.body(message);
        self.out.push('\n');
    }

    fn body(&mut self, message: &'p Message<'p>) {
        self.out += "{\n";
        self.options(&message.options);
        for inner in message.messages.iter().filter(|inner| !inner.is_group) {
            self.message(inner);
        }
        message.enums.iter().for_each(|item| self.enumeration(item));
        message.extends.iter().for_each(|item| self.extend(item, &message.messages));
        for statement in &message.extension_ranges {
            let _ = write!(self.out, "extensions {}", spell_ranges(&statement.ranges));
            self.brackets(&statement.options);
            self.out += ";\n";
        }
        self.reserved(&message.reserved);
        for field in message.fields.iter().filter(|field| field.oneof.is_none()) {
            self.field(field, &message.messages);
        }
        for (index, oneof) in message.oneofs.iter().enumerate() {
            let _ = writeln!(self.out, "oneof {} {{", oneof.name.text);
            self.options(&oneof.options);
            for field in message.fields.iter().filter(|field| field.oneof == Some(index as u32)) {
                self.field(field, &message.messages);
            }
            self.out += "}\n";
        }
        self.out.push('}');
    }

    fn field(&mut self, field: &Field<'p>, messages: &'p [Message<'p>]) {
        self.out += match field.label {
            None => "",
            Some((Label::Optional, _)) => "optional ",
            Some((Label::Required, _)) => "required ",
            Some((Label::Repeated, _)) => "repeated ",
        };
        let ty = match &field.ty {
            Type::Named(name) => name.text.to_string(),
            Type::Map { key, value } => format!("map<{}, {}>", key.text, value.text),
            Type::Group(_) => "group".to_owned(),
        };
        let _ = write!(self.out, "{ty} {} = {}", field.name.text, field.number);
        self.brackets(&field.options);
        if let Type::Group(index) = field.ty {
            self.out.push(' ');
            self.body(&messages[index as usize]);
            self.out.push('\n');
        } else {
            self.out += ";\n";
        }
    }

    fn extend(&mut self, extend: &Extend<'p>, messages: &'p [Message<'p>]) {
        let _ = writeln!(self.out, "extend {} {{", extend.extendee.text);
        extend.fields.iter().for_each(|field| self.field(field, messages));
        self.out += "}\n";
    }

    fn reserved(&mut self, statements: &[Reserved<'_>]) {
        for reserved in statements {
            let spell = |name: &ReservedName<'_>| match name.quoted {
                true => format!("\"{}\"", name.name.text),
                false => name.name.text.to_string(),
            };
            let names: Vec<String> = reserved.names.iter().map(spell).collect();
            let _ = writeln!(self.out, "reserved {}{};", spell_ranges(&reserved.ranges), names.join(", "));
        }
    }

    fn enumeration(&mut self, this: &Enum<'_>) {
        self.visibility(this.visibility);
        let _ = writeln!(self.out, "enum {} {{", this.name.text);
        self.options(&this.options);
        self.reserved(&this.reserved);
        for value in &this.values {
            let _ = write!(self.out, "{} = {}", value.name.text, value.number);
            self.brackets(&value.options);
            self.out += ";\n";
        }
        self.out += "}\n";
    }

    fn service(&mut self, service: &Service<'_>) {
        let _ = writeln!(self.out, "service {} {{", service.name.text);
        self.options(&service.options);
        for method in &service.methods {
            let stream = |span: Option<Span>| if span.is_some() { "stream " } else { "" };
            let (input, output) = (stream(method.client_streaming), stream(method.server_streaming));
            let (request, response) = (&method.input.text, &method.output.text);
            let _ = write!(self.out, "rpc {}({input}{request}) returns ({output}{response})", method.name.text);
            if method.options.is_empty() {
                self.out += ";\n";
            } else {
                self.out += " {\n";
                self.options(&method.options);
                self.out += "}\n";
            }
        }
        self.out += "}\n";
    }
}

fn spell_ranges(ranges: &[NumberRange]) -> String {
    let spell = |range: &NumberRange| match range {
        range if range.to_max => format!("{} to max", range.start),
        range if range.start == range.end => range.start.to_string(),
        range => format!("{} to {}", range.start, range.end),
    };
    ranges.iter().map(spell).collect::<Vec<_>>().join(", ")
}

fn spell_option(option: &OptionNode<'_>) -> String {
    let spell = |part: &OptionNamePart<'_>| match part.is_extension {
        true => format!("({})", part.name.text),
        false => part.name.text.to_string(),
    };
    let parts: Vec<String> = option.name.iter().map(spell).collect();
    format!("{} = {}", parts.join("."), spell_value(&option.value))
}

fn spell_value(value: &OptionValue<'_>) -> String {
    let sign = |negative: bool| if negative { "-" } else { "" };
    match &value.kind {
        OptionValueKind::Identifier { text, negative } => format!("{}{text}", sign(*negative)),
        OptionValueKind::Integer { magnitude, negative } => format!("{}{magnitude}", sign(*negative)),
        OptionValueKind::Float(number) => format!("{number:?}"),
        OptionValueKind::Bytes(bytes) => {
            let spell = |&byte: &u8| match byte {
                b'"' => "\\\"".to_owned(),
                b'\n' => "\\n".to_owned(),
                b' '..=b'~' => (byte as char).to_string(),
                _ => format!("\\{byte:03o}"),
            };
            format!("\"{}\"", bytes.iter().map(spell).collect::<String>())
        }
        OptionValueKind::Message(fields) => {
            let spell = |field: &LiteralField<'_>| {
                let (open, close) = if field.is_bracketed { ("[", "]") } else { ("", "") };
                format!("{open}{}{close}: {} ", field.name.text, spell_value(&field.value))
            };
            format!("{{ {}}}", fields.iter().map(spell).collect::<String>())
        }
        OptionValueKind::List(items) => {
            format!("[{}]", items.iter().map(spell_value).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The same tokens with other white space and comments between them.
fn loosened(text: &str, seed: u64) -> String {
    let dice = &mut Dice(seed);
    let mut cursor = Cursor::new(text.as_bytes(), STYLE, Problems::new(&Arc::from("")));
    let mut out = String::new();
    while !cursor.at_end() {
        out += dice.pick(&[" ", "\n\t", " // }\n", "\t/* \" */", "\r\n", " /**/ ", " /* * / ; */"]);
        let span = cursor.bump().span;
        out += cursor.text(span);
    }
    out
}

fn read(text: &str) -> (File<'_>, Vec<Problem>) {
    parse(&Arc::from("p.proto"), text.as_bytes())
}

/// Whatever is read, places lie inside the file and between its characters.
fn check_places(bytes: &[u8]) {
    let (_, problems) = parse(&Arc::from("p.proto"), bytes);
    let text = std::str::from_utf8(bytes);
    for problem in problems {
        let span = problem.site.expect("the parser knows places").span;
        assert!(span.start <= span.end && span.end as usize <= bytes.len(), "{span:?}");
        if let Ok(text) = text {
            assert!(text.get(span.range()).is_some(), "{span:?} cuts a character");
        }
    }
}

const SOUP: &[&str] = &[
    "message",
    "enum",
    "service",
    "rpc",
    "returns",
    "stream",
    "extend",
    "extensions",
    "reserved",
    "oneof",
    "option",
    "map",
    "group",
    "optional",
    "repeated",
    "required",
    "import",
    "public",
    "package",
    "syntax",
    "edition",
    "to",
    "max",
    "export",
    "local",
    "A",
    "b.c",
    ".d",
    "int32",
    "string",
    "1",
    "0x7f",
    "08",
    "-",
    "1.5",
    "1e",
    "\"x\"",
    "'",
    "\"\\u12\"",
    "{",
    "}",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "=",
    ";",
    ";",
    ",",
    ":",
    "/",
    "/*",
    "*/",
    "//",
    "\n",
    "#",
    "é",
    "\0",
    "\u{1}",
    "\"proto3\"",
    "\"2024\"",
    "inf",
    "default",
    "json_name",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_printed_file_is_read_back(seed in any::<u64>()) {
        let text = file_text(seed);
        let (file, problems) = read(&text);
        prop_assert_eq!(&problems, &[], "{}", text);
        prop_assert_eq!(&Printer::file(&file), &text);
        let loose = loosened(&text, seed);
        let (file, problems) = read(&loose);
        prop_assert_eq!(&problems, &[], "{}", loose);
        prop_assert_eq!(&Printer::file(&file), &text);
    }

    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        check_places(&bytes);
    }

    #[test]
    fn random_tokens_never_panic(tokens in proptest::collection::vec(proptest::sample::select(SOUP), 0..200)) {
        check_places(tokens.join(" ").as_bytes());
        check_places(tokens.concat().as_bytes());
    }
}
