//! The waist of the program: what differs between the old and the new schema, without an opinion.
//!
//! Formats produce [`Change`]s with exact [`Facts`]; rules judge them; nothing downstream looks at a schema again.
//! This module does not know any format, any rule or any report.

use std::fmt;
use std::sync::Arc;

use crate::ordered::OrderedMap;
pub use crate::vocabulary::Side;
use crate::vocabulary::{Direction, vocabulary};

/// The old and the new version of something. Never two adjacent parameters of one type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair<T> {
    /// The base of the comparison.
    pub old: T,
    /// The version under review.
    pub new: T,
}

impl<T> Pair<T> {
    /// Puts the two versions side by side.
    pub const fn new(old: T, new: T) -> Self {
        Self { old, new }
    }

    /// Borrows both sides.
    pub const fn as_ref(&self) -> Pair<&T> {
        Pair { old: &self.old, new: &self.new }
    }

    /// Applies one function to both sides.
    pub fn map<U>(self, mut change: impl FnMut(T) -> U) -> Pair<U> {
        Pair { old: change(self.old), new: change(self.new) }
    }

    /// Applies one function to both sides, each with what belongs to it.
    pub fn zip<U, V>(self, other: Pair<U>, mut join: impl FnMut(T, U) -> V) -> Pair<V> {
        Pair { old: join(self.old, other.old), new: join(self.new, other.new) }
    }

    /// Swaps the two versions: what was new becomes old.
    pub fn mirrored(self) -> Pair<T> {
        Pair { old: self.new, new: self.old }
    }

    /// The version on one side.
    pub fn side(&self, side: Side) -> &T {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }
}

/// A range of bytes in a file, half open. Positions are offsets into the file as it was read, byte-order mark included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span from its two ends.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The bytes of the span as indices.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A place in one version of a file. Lines and columns are computed by renderers only.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// Path of the file inside its snapshot, with `/` between components.
    pub file: Arc<str>,
    /// The bytes meant.
    pub span: Span,
}

/// What identifies the thing that changed, equal for the change and for every observation of it.
///
/// Opaque to everything but the format that made it; compared for equality and used in the fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(pub String);

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Something differs between the two versions.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What sort of thing happened.
    pub kind: ChangeKind,
    /// Full name on the new side, else on the old: `shop.v1.Order.total`; a method ends in `()`.
    pub path: String,
    /// What identifies the element that changed; observations carry the same identity.
    pub identity: Identity,
    /// Where it stands on each side; `None` on a side where it does not exist.
    pub at: Pair<Option<Site>>,
    /// Everything exact that rules may ask about or messages may name.
    pub facts: Facts,
    /// Text edits on the new side that mend what can be mended mechanically.
    pub suggestion: Option<Suggestion>,
    /// What other tools report of it in their own words, where that is modelled.
    pub reports: Vec<PeerReport>,
    /// Where a type took the place of another: what differs inside the two. Where a file moved: what only follows from
    /// that. It is judged together with this and told nowhere else.
    pub members: Arc<[Change]>,
    /// What is not among the members.
    pub left_out: LeftOut,
    /// Where its own lines are the same on both sides and stand under another heading now: that.
    pub heading: Option<Heading>,
}

/// What of the members of a change is left out, where there are more than anybody reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Whether there are more that no rule tells apart from those that are there.
    pub alike: bool,
    /// Whether more may differ inside, at which nobody looked.
    pub unknown: bool,
}

impl Change {
    /// A change that nothing more is said of than what happened, where, and its facts.
    pub fn new(kind: ChangeKind, path: String, identity: Identity, at: Pair<Option<Site>>, facts: Facts) -> Self {
        Change {
            kind,
            path,
            identity,
            at,
            facts,
            suggestion: None,
            reports: Vec::new(),
            members: Arc::default(),
            left_out: Default::default(),
            heading: None,
        }
    }
}

/// A declaration on the side where an element does not exist, which took over its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The side that it stands on.
    pub side: Side,
    /// Where its name is written.
    pub at: Site,
    /// Its full name.
    pub name: String,
}

/// What another tool reports of a change.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PeerReport {
    /// The tool.
    pub tool: &'static str,
    /// Its name for the change.
    pub id: &'static str,
    /// Where it points on the new side, if at a file at all, and what it compares that with.
    pub at: Pair<Option<Site>>,
    /// What it says.
    pub message: String,
    /// Whose reading of whose data it speaks of; `None` where it knows no direction.
    pub direction: Option<Direction>,
    /// The JSON pointer into the reader's schema, of a tool that prints one.
    pub pointer: Option<String>,
}

impl Change {
    /// What identifies it, and all that it is made of.
    pub fn identities(&self) -> impl Iterator<Item = &Identity> {
        let mut waiting = vec![self];
        std::iter::from_fn(move || {
            let next = waiting.pop()?;
            waiting.extend(&*next.members);
            Some(&next.identity)
        })
    }

    /// What only follows from this, a file that moved: each is told with it, and judged as it would be by itself.
    pub fn following(&self) -> &[Change] {
        if self.kind == ChangeKind::FileMoved { &self.members } else { &[] }
    }

    /// The same change with one more fact.
    #[must_use]
    pub fn stating(mut self, key: FactKey, value: impl Into<String>) -> Self {
        self.facts = self.facts.with(key, value);
        self
    }
}

/// Text edits in one file of the new side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Path of the file inside the new snapshot.
    pub file: Arc<str>,
    /// The edits, in ascending order of position, not overlapping.
    pub edits: Vec<Edit>,
}

/// Replace the bytes of `span` by `insert`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// What is replaced; empty for an insertion.
    pub span: Span,
    /// The text that stands there afterwards.
    pub insert: String,
}

/// Facts of one change, sorted by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts(OrderedMap<FactKey, String>);

impl Facts {
    /// No facts yet.
    pub fn none() -> Self {
        Self::default()
    }

    /// The same facts and one more.
    #[must_use]
    pub fn with(mut self, key: FactKey, value: impl Into<String>) -> Self {
        self.0.insert(key, value.into());
        self
    }

    /// The value of a fact, if the format stated it.
    pub fn get(&self, key: FactKey) -> Option<&str> {
        self.0.get(&key).map(String::as_str)
    }

    /// All facts in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = (FactKey, &str)> {
        self.0.iter().map(|(key, value)| (*key, value.as_str()))
    }
}

vocabulary! {
    /// What sort of thing happened. Closed: a new kind is a compile error wherever kinds are listed.
    ChangeKind {
        /// A field the old side does not have.
        FieldAdded = "field-added",
        /// A field the new side does not have.
        FieldRemoved = "field-removed",
        /// The same number under another name, the type being the same.
        FieldRenamed = "field-renamed",
        /// The same number under another name and with another type.
        FieldReused = "field-reused",
        /// The same name at another number.
        FieldRenumbered = "field-renumbered",
        /// The same field with another type, alone or together with its cardinality.
        FieldTypeChanged = "field-type-changed",
        /// The same field and type with another cardinality: singular, repeated or map.
        FieldCardinalityChanged = "field-cardinality-changed",
        /// The field is required on one side only.
        FieldRequiredChanged = "field-required-changed",
        /// Presence is tracked on one side only.
        FieldPresenceChanged = "field-presence-changed",
        /// The field moved into, out of or between oneofs.
        FieldOneofChanged = "field-oneof-changed",
        /// The value a reader sees when the field is absent.
        FieldDefaultChanged = "field-default-changed",
        /// The name in the JSON mapping, the field's name being the same.
        FieldJsonNameChanged = "field-json-name-changed",
        /// Packed or expanded encoding of a repeated number.
        FieldPackedChanged = "field-packed-changed",
        /// Whether a text must be valid UTF-8.
        FieldUtf8Changed = "field-utf8-changed",
        /// The field is marked as no longer used on one side only.
        FieldDeprecatedChanged = "field-deprecated-changed",
        /// The field by which entries of a list are sorted and found.
        FieldKeyChanged = "field-key-changed",
        /// The type of the data that the bytes of a field hold.
        FieldNestedChanged = "field-nested-changed",
        /// How wide the reference to a field's value is.
        FieldOffsetWidthChanged = "field-offset-width-changed",
        /// What the bytes of a type mean beyond it: a logical type came, went or is another.
        LogicalTypeChanged = "logical-type-changed",
        /// A branch of a union that the old side does not have.
        UnionBranchAdded = "union-branch-added",
        /// A branch of a union that the new side does not have.
        UnionBranchRemoved = "union-branch-removed",
        /// The same branch of a union under another name.
        UnionBranchRenamed = "union-branch-renamed",
        /// The same branch of a union under another number.
        UnionBranchRenumbered = "union-branch-renumbered",
        /// The same branch of a union with another type.
        UnionBranchTypeChanged = "union-branch-type-changed",
        /// The size of a type of fixed length.
        FixedSizeChanged = "fixed-size-changed",
        /// A type of fixed length continues under another full name.
        FixedRenamed = "fixed-renamed",
        /// Where the fields of a type of fixed layout lie, or how large or aligned it is.
        StructLayoutChanged = "struct-layout-changed",
        /// One more or one fewer other name by which readers find something.
        AliasChanged = "alias-changed",
        /// The same elements in another order.
        OrderChanged = "order-changed",
        /// What the format's peer refuses without any change at the place it names. Ids hold the word, which is older than
        /// most peers.
        PeerRefused = "registry-refused",
        /// Whether callers of a method wait for an answer.
        MethodOnewayChanged = "method-oneway-changed",
        /// An option of a field that concerns generated code or tools only.
        FieldOptionChanged = "field-option-changed",
        /// An extension keeps its full name and extends another message.
        ExtensionMoved = "extension-moved",
        /// A number kept free for third-party extensions no longer is.
        ExtensionRangeRemoved = "extension-range-removed",
        /// A number newly kept free for third-party extensions.
        ExtensionRangeAdded = "extension-range-added",
        /// A oneof the new side does not have.
        OneofRemoved = "oneof-removed",
        /// A oneof the old side does not have.
        OneofAdded = "oneof-added",
        /// The same members under another oneof name.
        OneofRenamed = "oneof-renamed",
        /// A reserved number is free again.
        ReservedNumberRemoved = "reserved-number-removed",
        /// A reserved name is free again.
        ReservedNameRemoved = "reserved-name-removed",
        /// A number or a name was newly reserved.
        ReservedAdded = "reserved-added",
        /// A message the old side does not have.
        MessageAdded = "message-added",
        /// A message the new side does not have.
        MessageRemoved = "message-removed",
        /// A message continues under another full name.
        MessageRenamed = "message-renamed",
        /// A file is written in another schema language.
        LanguageChanged = "language-changed",
        /// A declaration moved to another file, its full name being the same.
        TypeMoved = "type-moved",
        /// A type became a struct, a union or an exception.
        TypeSortChanged = "type-sort-changed",
        /// An option of a message, an enum, a value, a oneof, a service or a method that concerns generated code or tools only.
        TypeOptionChanged = "type-option-changed",
        /// An enum the old side does not have.
        EnumAdded = "enum-added",
        /// An enum the new side does not have.
        EnumRemoved = "enum-removed",
        /// An enum continues under another full name.
        EnumRenamed = "enum-renamed",
        /// The enum became open or closed to unknown numbers.
        EnumOpennessChanged = "enum-openness-changed",
        /// The value an absent field of this enum has.
        EnumDefaultChanged = "enum-default-changed",
        /// The type of number as which values of the enum are stored.
        EnumUnderlyingChanged = "enum-underlying-changed",
        /// Whether values of the enum are sets of bits.
        EnumBitFlagsChanged = "enum-bit-flags-changed",
        /// A value the old side does not have.
        EnumValueAdded = "enum-value-added",
        /// A value the new side does not have.
        EnumValueRemoved = "enum-value-removed",
        /// The same number under another name.
        EnumValueRenamed = "enum-value-renamed",
        /// The same name at another number.
        EnumValueRenumbered = "enum-value-renumbered",
        /// One more or one fewer name for a number that keeps another.
        EnumAliasChanged = "enum-alias-changed",
        /// A service the old side does not have.
        ServiceAdded = "service-added",
        /// A service the new side does not have.
        ServiceRemoved = "service-removed",
        /// A service continues under another full name, and so under another route.
        ServiceRenamed = "service-renamed",
        /// The service from which a service inherits methods.
        ServiceExtendsChanged = "service-extends-changed",
        /// A method the old side does not have.
        MethodAdded = "method-added",
        /// A method the new side does not have.
        MethodRemoved = "method-removed",
        /// The same number of a method under another name.
        MethodRenamed = "method-renamed",
        /// The same name of a method under another number.
        MethodRenumbered = "method-renumbered",
        /// The request or response type of a method.
        MethodTypeChanged = "method-type-changed",
        /// Whether requests or responses are streamed.
        MethodStreamingChanged = "method-streaming-changed",
        /// The promise that a call may be repeated.
        MethodIdempotencyChanged = "method-idempotency-changed",
        /// A keyword that limits which data are valid came, went or has another value.
        KeywordChanged = "keyword-changed",
        /// A schema inside of another that the old side does not have.
        SubschemaAdded = "subschema-added",
        /// A schema inside of another that the new side does not have.
        SubschemaRemoved = "subschema-removed",
        /// A schema as a whole became another: `false`, or a meta-schema.
        SubschemaChanged = "subschema-changed",
        /// Something that validation does not look at came, went or has another value.
        AnnotationChanged = "annotation-changed",
        /// Instances may have what an encoding they travel in cannot hold, or has a type of its own for.
        EncodingAffected = "encoding-affected",
        /// A schema file the old side does not have.
        FileAdded = "file-added",
        /// A schema file the new side does not have.
        FileRemoved = "file-removed",
        /// A schema file with another path, or another name.
        FileMoved = "file-moved",
        /// The type from which the data of a file starts.
        RootTypeChanged = "root-type-changed",
        /// The bytes by which readers know the data of a file.
        FileIdentifierChanged = "file-identifier-changed",
        /// The package of a file.
        PackageChanged = "package-changed",
        /// A name for another type came, went or stands for another one.
        TypedefChanged = "typedef-changed",
        /// A constant came, went or has another type or value.
        ConstantChanged = "constant-changed",
        /// The syntax or edition of a file.
        SyntaxChanged = "syntax-changed",
        /// An option of a file that concerns generated code only.
        FileOptionChanged = "file-option-changed",
        /// An import was added, removed or changed its modifier.
        ImportChanged = "import-changed",
        /// Whether other files may use a declaration.
        VisibilityChanged = "visibility-changed",
        /// Something in the configuration became looser, or a break passes through that.
        ConfigurationLoosened = "configuration-loosened",
        /// A waiver came with the change whose break it covers.
        WaiverAdded = "waiver-added",
        /// A waiver ended before its finding went.
        WaiverExpired = "waiver-expired",
        /// A waiver was there before the change whose break it would cover.
        WaiverSpent = "waiver-spent",
        /// A waiver that was there before matches nothing any more.
        WaiverStale = "waiver-stale",
        /// A waiver covers nothing although it means to.
        WaiverUnused = "waiver-unused",
        /// A waiver has an id of an earlier form.
        WaiverOutdated = "waiver-outdated",
        /// Something that matters could not be seen on some side.
        NotSeen = "not-seen",
        /// What data know a part by was freed long ago, and something else takes it now.
        NumberReused = "number-reused",
    }
}

/// As many letters of the value of a keyword count for the id of a finding: values are told at greater length than they were when
/// ids were fixed. Where more are written, the identity of the change has a digest of all of them.
pub const HASHED_LETTERS: usize = 60;

impl ChangeKind {
    /// Whether its path names a part of a declaration, such as a field, and not the declaration itself. Where it names now the
    /// one and now the other, it counts as a part.
    pub const fn is_of_member(self) -> bool {
        use ChangeKind as K;
        matches!(
            self,
            K::FieldAdded
                | K::FieldRemoved
                | K::FieldRenamed
                | K::FieldReused
                | K::FieldRenumbered
                | K::FieldTypeChanged
                | K::FieldCardinalityChanged
                | K::FieldRequiredChanged
                | K::FieldPresenceChanged
                | K::FieldOneofChanged
                | K::FieldDefaultChanged
                | K::FieldJsonNameChanged
                | K::FieldPackedChanged
                | K::FieldUtf8Changed
                | K::FieldDeprecatedChanged
                | K::FieldKeyChanged
                | K::FieldNestedChanged
                | K::FieldOffsetWidthChanged
                | K::FieldOptionChanged
                | K::ExtensionMoved
                | K::LogicalTypeChanged
                | K::UnionBranchAdded
                | K::UnionBranchRemoved
                | K::UnionBranchRenamed
                | K::UnionBranchRenumbered
                | K::UnionBranchTypeChanged
                | K::AliasChanged
                | K::OrderChanged
                | K::OneofAdded
                | K::OneofRemoved
                | K::OneofRenamed
                | K::EnumValueAdded
                | K::EnumValueRemoved
                | K::EnumValueRenamed
                | K::EnumValueRenumbered
                | K::EnumAliasChanged
                | K::MethodAdded
                | K::MethodRemoved
                | K::MethodRenamed
                | K::MethodRenumbered
                | K::MethodTypeChanged
                | K::MethodOnewayChanged
                | K::MethodStreamingChanged
                | K::MethodIdempotencyChanged
                | K::NumberReused
                | K::PeerRefused
        )
    }
}

/// What is said of a declaration that is not where or what it was.
pub const MOVES: [ChangeKind; 5] = [
    ChangeKind::TypeMoved,
    ChangeKind::MessageRenamed,
    ChangeKind::EnumRenamed,
    ChangeKind::FixedRenamed,
    ChangeKind::ServiceRenamed,
];

vocabulary! {
    /// What a rule may ask about a change, and what its message may name. Closed.
    FactKey {
        /// How values of one type come out when read as the other.
        Relation = "relation",
        /// What a new reader sees of values the old side wrote, on the wire: an outcome.
        ReadsOld = "reads-old",
        /// What an old reader sees of values the new side wrote, on the wire: an outcome.
        ReadsNew = "reads-new",
        /// What a new reader sees of values the old side wrote, in JSON: an outcome.
        JsonReadsOld = "json-reads-old",
        /// What an old reader sees of values the new side wrote, in JSON: an outcome.
        JsonReadsNew = "json-reads-new",
        /// Whether the removed element's number is reserved on the new side.
        NumberReserved = "number-reserved",
        /// Whether the removed element's name is reserved on the new side.
        NameReserved = "name-reserved",
        /// Whether the struct stands, at whatever depth, in a key of a map or in an item of a set.
        InKeys = "in-keys",
        /// What the number was on the old side: `free`, `reserved`, `used` or `extension`.
        NumberWas = "number-was",
        /// What stands at the element's old number now: `free`, `reserved`, `used` or `extension`.
        NumberNow = "number-now",
        /// Whether the element is an extension field.
        Extension = "extension",
        /// Whether the element is one arm of a oneof that both sides have.
        OneofArm = "oneof-arm",
        /// Up to which whole number every one arrives unchanged, where larger ones are rounded.
        ExactUpTo = "exact-up-to",
        /// Whether the field is required: on the side that has it, or the change of it.
        Required = "required",
        /// Sixteen digits for all that an element says, where no other fact tells two apart that come or go at one place.
        Content = "content",
        /// The way something went: `added`, `removed`, `into`, `out-of`, `between`, `opened`, `closed`, `gained`, `lost`.
        Direction = "direction",
        /// The cardinality on the old side: `singular`, `repeated` or `map`.
        OldCardinality = "old-cardinality",
        /// The cardinality on the new side.
        NewCardinality = "new-cardinality",
        /// Whether an alias of the reader bridges another name: `old` readers have one, `new` readers, `both` or `none`.
        Alias = "alias",
        /// Whether only the namespace of a name differs.
        NamespaceOnly = "namespace-only",
        /// Whether the field has a default: on the side that has it, or the change of it.
        Default = "default",
        /// Which side can decode which, by the rules for promotions and unions, branch by branch, in words.
        Branches = "branches",
        /// The way from a root to the element, as a sentence; empty for what stands in a root.
        Through = "through",
        /// What the peer that reads for a registry reports of this for new readers of old data, by its own ids.
        PeerReadsOld = "peer-reads-old",
        /// What the peer that reads for a registry reports of this for old readers of new data, by its own ids.
        PeerReadsNew = "peer-reads-new",
        /// The same for new readers of old data where nobody writes members without a schema.
        PeerLenientReadsOld = "peer-lenient-reads-old",
        /// The same for old readers of new data where nobody writes members without a schema.
        PeerLenientReadsNew = "peer-lenient-reads-new",
        /// Which rules or checks of the format's peer fail here, by their own ids.
        PeerReports = "peer-reports",
        /// Which role of a method, or which kind of declaration.
        Role = "role",
        /// Whether the two types have the same structure.
        Structure = "structure",
        /// Whether the element stands in a type that replaced another one, so that no guard was ever there.
        Replaced = "replaced",
        /// Whether the type is nested in a removed one, or is the parent.
        Nested = "nested",
        /// Whether the last declaration of its package went.
        LastOfPackage = "last-of-package",
        /// Whether an own root or a method needs the element.
        Needed = "needed",
        /// The old type as written.
        OldType = "old-type",
        /// The new type as written.
        NewType = "new-type",
        /// What the old type is, `a struct` or the like, where the new one is called the same and is something else.
        OldSort = "old-sort",
        /// What the new type is, where the old one is called the same and is something else.
        NewSort = "new-sort",
        /// The old name.
        OldName = "old-name",
        /// The new name.
        NewName = "new-name",
        /// The number that identifies.
        Number = "number",
        /// The number on the old side.
        OldNumber = "old-number",
        /// The number on the new side.
        NewNumber = "new-number",
        /// The old value of something.
        OldValue = "old-value",
        /// The new value of something.
        NewValue = "new-value",
        /// What an option is for: `generated-code`, `metadata` or `message-set`.
        Effect = "effect",
        /// What became of something, in words: `was added`, `moved from a.fbs to b.fbs`. Of a file that moved what went with
        /// it, if anything did.
        Became = "became",
        /// The name of an option, an import or a oneof.
        Name = "name",
        /// The container of the element.
        Container = "container",
        /// The id in a waiver.
        Waiver = "waiver",
        /// Why a break was waived.
        Reason = "reason",
        /// The rule of the finding that a waiver is about.
        Rule = "rule",
        /// Who answers for a waiver, and how long it counts, in words.
        Terms = "terms",
        /// The last day on which a waiver counts.
        Until = "until",
        /// How long ago something ended, in words.
        Since = "since",
        /// What was most likely meant, as a sentence.
        Hint = "hint",
        /// What became looser, or what passes through that, as a sentence.
        Looser = "looser",
        /// How severe that is: a severity.
        Weight = "weight",
    }
}
