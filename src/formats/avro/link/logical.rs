//! Logical types (specification, *Logical Types*). One that does not apply is ignored, as specified, and here also said.

use crate::syntax::json::JsonKind;

use super::super::ast::{self, Attribute};
use super::super::model::{Kind, Logical, Primitive, Unit};
use super::Linker;

/// What a logical type may stand on.
#[derive(Debug, Clone, Copy)]
enum Base {
    Of(Primitive),
    /// A fixed of that many bytes.
    Fixed(u32),
}

const INT: &[Base] = &[Base::Of(Primitive::Int)];
const LONG: &[Base] = &[Base::Of(Primitive::Long)];

/// The logical types without parameters, with what they may stand on.
const PLAIN: &[(&str, Logical, &[Base])] = &[
    ("date", Logical::Date, INT),
    ("time-millis", Logical::TimeMillis, INT),
    ("time-micros", Logical::TimeMicros, LONG),
    ("timestamp-millis", Logical::Timestamp(Unit::Millis), LONG),
    ("timestamp-micros", Logical::Timestamp(Unit::Micros), LONG),
    ("timestamp-nanos", Logical::Timestamp(Unit::Nanos), LONG),
    ("local-timestamp-millis", Logical::LocalTimestamp(Unit::Millis), LONG),
    ("local-timestamp-micros", Logical::LocalTimestamp(Unit::Micros), LONG),
    ("local-timestamp-nanos", Logical::LocalTimestamp(Unit::Nanos), LONG),
    ("uuid", Logical::Uuid, &[Base::Of(Primitive::String), Base::Fixed(16)]),
    ("big-decimal", Logical::BigDecimal, &[Base::Of(Primitive::Bytes)]),
    ("duration", Logical::Duration, &[Base::Fixed(12)]),
];

impl Base {
    fn is(self, kind: &Kind<'_>) -> bool {
        match (self, kind) {
            (Base::Of(base), Kind::Primitive(primitive)) => base == *primitive,
            (Base::Fixed(size), Kind::Fixed(fixed)) => size == fixed.size,
            _ => false,
        }
    }

    fn described(self) -> String {
        match self {
            Base::Of(primitive) => primitive.name().to_owned(),
            Base::Fixed(size) => format!("a fixed of {size} bytes"),
        }
    }
}

/// Whether Avro has a logical type of that name.
pub(in crate::formats::avro) fn is_known_logical(name: &str) -> bool {
    name == "decimal" || PLAIN.iter().any(|(known, ..)| *known == name)
}

/// The last attribute of that name.
fn attribute<'s, 't>(attributes: &'s [Attribute<'t>], name: &str) -> Option<&'s Attribute<'t>> {
    attributes.iter().rev().find(|attribute| attribute.name.text == name)
}

impl<'t> Linker<'t> {
    /// The logical type that the attributes of a type give it.
    pub(super) fn logical(&mut self, kind: &Kind<'_>, attributes: &[Attribute<'_>]) -> Option<Logical> {
        let stated = attribute(attributes, "logicalType")?;
        let name = stated.value.as_text()?;
        if name == "decimal" {
            return self.decimal(kind, stated, attributes);
        }
        let (_, logical, bases) = PLAIN.iter().find(|(known, ..)| *known == name)?;
        if bases.iter().any(|base| base.is(kind)) {
            return Some(*logical);
        }
        let bases: Vec<String> = bases.iter().map(|base| base.described()).collect();
        self.warn_of_logical(stated, &format!("it stands on {} only", bases.join(" or ")));
        None
    }

    fn decimal(&mut self, kind: &Kind<'_>, stated: &Attribute<'_>, attributes: &[Attribute<'_>]) -> Option<Logical> {
        // The largest number of digits of which every number fits.
        let most = match kind {
            Kind::Primitive(Primitive::Bytes) => i64::from(i32::MAX),
            Kind::Fixed(fixed) => ((f64::from(fixed.size) * 8.0 - 1.0) * 2f64.log10()) as i64,
            _ => {
                self.warn_of_logical(stated, "it stands on bytes or a fixed only");
                return None;
            }
        };
        let number = |name: &str| match attribute(attributes, name) {
            None => Ok(None),
            Some(Attribute { value, .. }) => match &value.kind {
                JsonKind::Number(digits) => digits.parse::<i64>().map(Some).map_err(|_| ()),
                _ => Err(()),
            },
        };
        let why = match (number("precision"), number("scale")) {
            (Ok(None), _) => "it needs a `precision`".to_owned(),
            (Err(()), _) | (_, Err(())) => "`precision` and `scale` must be whole numbers".to_owned(),
            (Ok(Some(precision)), _) if precision < 1 => "its precision must be 1 or more".to_owned(),
            (Ok(Some(precision)), _) if precision > most => {
                format!("this type has room for {most} digits, and its precision is {precision}")
            }
            (Ok(Some(precision)), Ok(scale)) => {
                let scale = scale.unwrap_or(0);
                if (0..=precision).contains(&scale) {
                    return Some(Logical::Decimal { precision: precision as u32, scale: scale as u32 });
                }
                format!("its scale must be from 0 to the precision, {precision}, and is {scale}")
            }
        };
        self.warn_of_logical(stated, &why);
        None
    }

    fn warn_of_logical(&mut self, stated: &Attribute<'_>, why: &str) {
        let name = stated.value.as_text().unwrap_or("that is stated");
        let message = format_args!("the logical type {name} is ignored here: {why}");
        self.log().warning(stated.value.span, message, "readers see the plain type; mend it or remove `logicalType`");
    }

    /// Says where a logical type stands on a reference to a type instead of on its definition.
    pub(super) fn check_reference(&mut self, node: &ast::Node<'_>) {
        if let Some(stated) = attribute(&node.attributes, "logicalType") {
            self.warn_of_logical(stated, "this is a reference, and only the definition of the type can have it");
        }
    }

    /// Says where a logical type stands beside the type of a field instead of in it.
    pub(super) fn check_misplaced(&mut self, field: &ast::Field<'_>) {
        let stated = attribute(&field.attributes, "logicalType");
        if let Some(stated) = stated.filter(|_| attribute(&field.schema.attributes, "logicalType").is_none()) {
            let message = format_args!("`logicalType` stands beside the type of the field, so it is ignored");
            let help = "write `\"type\": {\"type\": …, \"logicalType\": …}`";
            self.log().warning(stated.name.span, message, help);
        }
    }
}
