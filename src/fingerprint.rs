//! The id of a finding: a digest over what makes the change this change, and nothing else.
//!
//! Ids stand in waiver files and in the alert lists of other systems, so they must outlive everything that is not the
//! change itself: other files, a merge, a release. Hence a list of facts that may count, per kind of change
//! ([`identifying`]); what is not listed never counts: what another tool says, wording, outcomes, and whatever another
//! file decides. The rule is left out as well, because facts of other files may choose it; waivers match it beside the
//! id. The list, the form of identities and `VERSION` are pinned by a test over one finding of each rule.

use std::borrow::Cow;

use crate::change::{Change, ChangeKind, FactKey, HASHED_LETTERS};
use crate::text;

/// Stands in front of everything that is hashed. A new form of ids gets a new version.
const VERSION: &str = "wireproof finding 2";

/// Hexadecimal digits of an id: 64 bits.
pub const DIGITS: usize = text::DIGEST_DIGITS;

/// The id of a change in schemas of a format. Two changes that are alike in all of this have the same id; `apart` tells
/// them apart and is empty where that is not needed.
pub fn id(format: &str, change: &Change, apart: &str) -> String {
    let facts = identifying(change.kind).iter();
    let facts = facts.filter_map(|key| change.facts.get(*key).map(|value| format!("{key}={}", hashed(change, value))));
    let head = [VERSION, format, change.kind.name(), &change.identity.0].map(str::to_owned);
    let apart = (!apart.is_empty()).then(|| format!("apart {apart}"));
    text::digest(head.into_iter().chain(facts).chain(apart))
}

/// As much of a fact as is hashed.
fn hashed<'v>(change: &Change, value: &'v str) -> Cow<'v, str> {
    match change.kind {
        ChangeKind::KeywordChanged => text::shorten(value, HASHED_LETTERS),
        _ => Cow::Borrowed(value),
    }
}

/// The facts that tell one change of an element from another change of the same kind and element. The identity names
/// the element and is always hashed.
pub const fn identifying(kind: ChangeKind) -> &'static [FactKey] {
    use ChangeKind as K;
    use FactKey as F;
    match kind {
        // A new or removed element is the element: its number identifies, and its name and type say which one it was.
        K::FieldAdded => &[F::NewName, F::NewType, F::Content],
        K::FieldRemoved => &[F::OldName, F::OldType],
        K::EnumValueAdded => &[F::Name, F::NewName],
        K::EnumValueRemoved => &[F::Name, F::OldName],
        K::UnionBranchAdded => &[F::Name, F::NewType, F::Content],
        K::UnionBranchRemoved => &[F::Name, F::OldType, F::Content],
        // Who had it before, and who has it now.
        K::NumberReused => &[F::Role, F::Number, F::OldName, F::NewName, F::NewType],
        // From one name to another.
        K::FieldRenamed
        | K::UnionBranchRenamed
        | K::EnumValueRenamed
        | K::OneofRenamed
        | K::MessageRenamed
        | K::EnumRenamed
        | K::FixedRenamed
        | K::ServiceRenamed
        | K::MethodRenamed
        | K::PackageChanged
        | K::TypeMoved => &[F::OldName, F::NewName],
        // From one number to another.
        K::FieldRenumbered | K::EnumValueRenumbered | K::UnionBranchRenumbered | K::MethodRenumbered => {
            &[F::OldNumber, F::NewNumber]
        }
        // From one type to another.
        K::FieldReused => &[F::OldName, F::NewName, F::OldType, F::NewType, F::OldCardinality, F::NewCardinality],
        K::FieldTypeChanged | K::FieldCardinalityChanged => {
            &[F::OldType, F::NewType, F::OldCardinality, F::NewCardinality]
        }
        K::LogicalTypeChanged
        | K::UnionBranchTypeChanged
        | K::EnumUnderlyingChanged
        | K::MethodTypeChanged
        | K::TypedefChanged => &[F::OldType, F::NewType],
        // From one value to another.
        K::FieldDefaultChanged
        | K::FieldJsonNameChanged
        | K::FieldNestedChanged
        | K::FixedSizeChanged
        | K::TypeSortChanged
        | K::EnumDefaultChanged
        | K::ExtensionMoved
        | K::RootTypeChanged
        | K::FileIdentifierChanged
        | K::ConstantChanged
        | K::SyntaxChanged
        | K::VisibilityChanged
        | K::FileMoved
        | K::LanguageChanged
        | K::ConfigurationLoosened
        | K::NotSeen => &[F::OldValue, F::NewValue],
        // From one of several that look the same from afar to another.
        K::StructLayoutChanged => &[F::OldValue, F::NewValue, F::Content],
        K::SubschemaAdded | K::SubschemaRemoved => &[F::Content],
        // Something of the element that is there or not, or that has a value on each side.
        K::FieldRequiredChanged
        | K::FieldPresenceChanged
        | K::MethodOnewayChanged
        | K::MethodStreamingChanged
        | K::ServiceExtendsChanged => &[F::Direction, F::OldValue, F::NewValue],
        // What else is in it says which one it is, where it may be without a name.
        K::FieldOneofChanged => &[F::Direction, F::OldValue, F::NewValue, F::Content],
        K::FieldPackedChanged
        | K::FieldUtf8Changed
        | K::FieldDeprecatedChanged
        | K::FieldKeyChanged
        | K::FieldOffsetWidthChanged
        | K::EnumOpennessChanged
        | K::EnumBitFlagsChanged => &[F::Direction],
        // Something named at the element.
        K::AliasChanged | K::EnumAliasChanged => &[F::Direction, F::Name],
        K::FieldOptionChanged
        | K::TypeOptionChanged
        | K::FileOptionChanged
        | K::MethodIdempotencyChanged
        | K::KeywordChanged
        | K::AnnotationChanged
        | K::ImportChanged => &[F::Name, F::OldValue, F::NewValue],
        K::ExtensionRangeAdded | K::ExtensionRangeRemoved | K::ReservedNumberRemoved => &[F::Number],
        K::ReservedNameRemoved | K::ReservedAdded => &[F::Name],
        K::SubschemaChanged => &[F::Relation],
        // The identity says it all.
        K::OrderChanged
        | K::EncodingAffected
        | K::PeerRefused
        | K::OneofAdded
        | K::OneofRemoved
        | K::MessageAdded
        | K::MessageRemoved
        | K::EnumAdded
        | K::EnumRemoved
        | K::ServiceAdded
        | K::ServiceRemoved
        | K::MethodAdded
        | K::MethodRemoved
        | K::FileAdded
        | K::FileRemoved
        | K::WaiverAdded
        | K::WaiverExpired
        | K::WaiverSpent
        | K::WaiverStale
        | K::WaiverUnused
        | K::WaiverOutdated => &[],
    }
}

/// Ids as they were before they had a version: twelve digits over the rule and nearly all facts. Waiver files may still
/// hold them.
pub mod earlier {
    use crate::change::{Change, FactKey};

    /// Hexadecimal digits of such an id.
    pub const DIGITS: usize = 12;

    /// The id that a finding of a rule had, where no other finding was alike.
    pub fn id(rule: &str, change: &Change) -> String {
        let mut words = format!("{rule}\n{}", change.identity);
        for (key, value) in change.facts.iter() {
            if let Some(word) = word(rule, key) {
                words.push_str(&format!("\n{word}={}", super::hashed(change, value)));
            }
        }
        let hash = words
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        format!("{:012x}", (hash >> 48) ^ (hash & 0xffff_ffff_ffff))
    }

    /// What a fact was called then; nothing for one that did not count.
    fn word(rule: &str, key: FactKey) -> Option<&'static str> {
        match key {
            FactKey::Through | FactKey::OldSort | FactKey::NewSort | FactKey::Became | FactKey::Content => None,
            FactKey::PeerReports if rule.starts_with("protobuf/") => None,
            FactKey::Reason if rule == "json-schema/property-added" => None,
            FactKey::Default if matches!(rule, "protobuf/field-default-changed" | "flatbuffers/default-changed") => {
                None
            }
            FactKey::PeerReports => Some("audit-fails"),
            FactKey::PeerReadsOld => Some("registry-reads-old"),
            FactKey::PeerReadsNew => Some("registry-reads-new"),
            _ => Some(key.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::earlier;
    use crate::change::{Change, ChangeKind, FactKey, Facts, Identity, Pair};

    /// Waiver files hold ids of this form, so it never changes.
    #[test]
    fn the_earlier_form_is_pinned() {
        let facts = Facts::none().with(FactKey::Number, "4").with(FactKey::NewName, "total");
        let change = Change {
            kind: ChangeKind::FieldAdded,
            path: "shop.Order.total".to_owned(),
            identity: Identity("shop.Order#4".to_owned()),
            at: Pair::new(None, None),
            facts,
            suggestion: None,
            reports: Vec::new(),
            members: std::sync::Arc::default(),
            left_out: Default::default(),
            heading: None,
        };
        let id = earlier::id("protobuf/field-added", &change);
        assert_eq!(id, "3b102ccafdac");
        let through = Change { facts: change.facts.clone().with(FactKey::Through, "shop.Cart"), ..change.clone() };
        assert_eq!(earlier::id("protobuf/field-added", &through), id, "what is left out");
        // A fact that is called otherwise today; in Protobuf it did not count.
        let told =
            Change { facts: change.facts.clone().with(FactKey::PeerReports, "required-added"), ..change.clone() };
        assert_eq!(earlier::id("thrift/field-added", &told), "3f6ee48c2a59");
        assert_eq!(earlier::id("protobuf/field-added", &told), id);
        let other = Change { facts: change.facts.clone().with(FactKey::OldName, "sum"), ..change };
        assert_ne!(earlier::id("protobuf/field-added", &other), id, "any other fact");
    }
}
