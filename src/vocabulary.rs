//! The closed vocabularies of the report: every word that a rule claims, a round trip observes and a verdict decides.
//!
//! Each is declared once, here, below everything that speaks of it: rules, round trips, verdicts, the report, its
//! renderers and the sentences of `text`. What only one module speaks of is declared there, with the same macro.

/// Declares a closed vocabulary: an enum with a kebab-case name and a doc comment per member.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[doc = $doc])+ $variant,)+ }

        impl $name {
            /// Every member, in the order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The name used in rule files and reports.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// What the member means.
            pub const fn meaning(self) -> &'static str {
                match self { $($name::$variant => concat!($($doc, "\n",)+),)+ }
            }

            /// The member of that name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|member| member.name() == name)
            }
        }

        impl $crate::vocabulary::Vocabulary for $name {
            const ALL: &'static [$name] = $name::ALL;
            const TITLE: &'static str = stringify!($name);

            fn name(self) -> &'static str {
                self.name()
            }

            fn meaning(self) -> &'static str {
                self.meaning()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <String as serde::Deserialize>::deserialize(deserializer)?;
                Self::from_name(&name).ok_or_else(|| serde::de::Error::custom(format!(
                    concat!("unknown ", stringify!($name), " `{}`"), name)))
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}
pub(crate) use vocabulary;

/// What all vocabularies have.
pub trait Vocabulary: Copy + Ord + std::fmt::Debug + 'static {
    /// Every member, in the order of declaration.
    const ALL: &'static [Self];
    /// The name of the vocabulary itself.
    const TITLE: &'static str;

    /// The name used in rule files and reports.
    fn name(self) -> &'static str;

    /// What the member means.
    fn meaning(self) -> &'static str;

    /// The member of that name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|member| member.name() == name)
    }
}

/// A word of a vocabulary in a report that another version may have written. What this version does not know stays what
/// it is, and ranks after every member.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Open<T> {
    /// A member.
    Known(T),
    /// A word that only another version knows.
    Unknown(String),
}

impl<T: Vocabulary> Open<T> {
    /// The word of that name.
    pub fn of_name(name: &str) -> Self {
        let known = T::ALL.iter().copied().find(|member| member.name() == name);
        known.map_or_else(|| Open::Unknown(name.to_owned()), Open::Known)
    }

    /// The word as reports spell it.
    pub fn as_str(&self) -> &str {
        match self {
            Open::Known(member) => member.name(),
            Open::Unknown(word) => word,
        }
    }
}

impl<T> From<T> for Open<T> {
    fn from(member: T) -> Self {
        Open::Known(member)
    }
}

impl<T: PartialEq> PartialEq<T> for Open<T> {
    fn eq(&self, member: &T) -> bool {
        matches!(self, Open::Known(known) if known == member)
    }
}

impl<T: PartialOrd> PartialOrd<T> for Open<T> {
    fn partial_cmp(&self, member: &T) -> Option<std::cmp::Ordering> {
        match self {
            Open::Known(known) => known.partial_cmp(member),
            Open::Unknown(_) => Some(std::cmp::Ordering::Greater),
        }
    }
}

impl<T: Vocabulary> std::fmt::Display for Open<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The runtime whose observations decide; the others illustrate. Runtimes are no closed vocabulary.
pub const SPEC: &str = "spec";

/// What stands where others name their format, in rules and findings about the safeguards.
pub const POLICY: &str = "policy";

vocabulary! {
    /// Which of the two versions.
    Side {
        /// The base.
        Old = "old",
        /// The version under review.
        New = "new",
    }
}

vocabulary! {
    /// On which side a problem is.
    ProblemSide {
        /// On both, in the same place.
        Both = "both",
        /// In the version under review.
        New = "new",
        /// In the base.
        Old = "old",
    }
}

impl From<Side> for ProblemSide {
    fn from(side: Side) -> Self {
        match side {
            Side::Old => ProblemSide::Old,
            Side::New => ProblemSide::New,
        }
    }
}

vocabulary! {
    /// Where a difference can be felt.
    Surface {
        /// The binary encoding.
        Wire = "wire",
        /// The format's JSON mapping.
        Json = "json",
        /// Generated code and the shape of the API.
        Source = "source",
    }
}

vocabulary! {
    /// Who reads whose data.
    Direction {
        /// A new reader reads old data.
        Backward = "backward",
        /// An old reader reads new data.
        Forward = "forward",
    }
}

vocabulary! {
    /// What a reader experiences, from best to worst. `wrong` ranks above `fails`: nobody notices it.
    Outcome {
        /// Every shared value arrives unchanged; what only the writer knows is skipped.
        Safe = "safe",
        /// The reader has a field that the writer lacks; its documented default is used.
        Defaulted = "defaulted",
        /// The reader is told of a value it has no name for, or applies a documented fallback.
        Unrecognized = "unrecognized",
        /// A shared value is dropped, or its presence is lost where both sides track presence.
        Lossy = "lossy",
        /// The reader rejects the message.
        Fails = "fails",
        /// The reader accepts the message and sees a value nobody wrote.
        Wrong = "wrong",
    }
}

vocabulary! {
    /// What a finding of the rule is judged by.
    Class {
        /// By what readers experience: severity follows from the impact.
        Compatibility = "compatibility",
        /// By the guard that is gone although today's bytes are safe: the rule states its severity.
        Hygiene = "hygiene",
    }
}

vocabulary! {
    /// How much a finding matters.
    Severity {
        /// It breaks, unless it lies below the threshold in force.
        Error = "error",
        /// It deserves a look.
        Warning = "warning",
        /// It is worth knowing.
        Note = "note",
    }
}

vocabulary! {
    /// How much a problem in an input matters.
    ProblemSeverity {
        /// The verdict cannot be established.
        Error = "error",
        /// Said, and the verdict stands.
        Warning = "warning",
    }
}

vocabulary! {
    /// What an observation says about a claim.
    Status {
        /// The reader experienced what the rules claim.
        Agrees = "agrees",
        /// The reader experienced something else.
        Contradicts = "contradicts",
        /// There are no bytes to look at, or none were written.
        NotObservable = "not-observable",
    }
}

vocabulary! {
    /// Which directions must hold, and with which versions, from the loosest to the strictest.
    Mode {
        /// None: everything passes.
        None = "none",
        /// New readers can read old data.
        Backward = "backward",
        /// Old readers can read new data.
        Forward = "forward",
        /// Both.
        Full = "full",
        /// New readers can read data of every earlier version.
        BackwardTransitive = "backward-transitive",
        /// Readers of every earlier version can read new data.
        ForwardTransitive = "forward-transitive",
        /// Both, with every earlier version.
        FullTransitive = "full-transitive",
    }
}

vocabulary! {
    /// The answer.
    Verdict {
        /// Nothing breaks under the policy in force.
        Compatible = "compatible",
        /// At least one finding breaks.
        Breaking = "breaking",
        /// It could not be told.
        Unknown = "unknown",
    }
}

vocabulary! {
    /// In which order to upgrade so that nobody breaks.
    UpgradeOrder {
        /// Any.
        Any = "any",
        /// Old readers cannot read new data: upgrade readers before writers.
        ReadersFirst = "readers-first",
        /// New readers cannot read old data: upgrade writers before readers.
        WritersFirst = "writers-first",
        /// No order helps, or none is known to.
        None = "none",
    }
}

vocabulary! {
    /// What a step of a plan is.
    StepKind {
        /// The new comes beside the old.
        Expand = "expand",
        /// Writers and readers move; the schema stays.
        Migrate = "migrate",
        /// The old goes.
        Contract = "contract",
    }
}

impl Mode {
    /// The modes that two versions can tell of, from the loosest to the strictest.
    pub const OF_TWO: &'static [Mode] = &[Mode::None, Mode::Backward, Mode::Forward, Mode::Full];

    /// The directions that must hold.
    pub const fn directions(self) -> &'static [Direction] {
        match self {
            Mode::None => &[],
            Mode::Backward | Mode::BackwardTransitive => &[Direction::Backward],
            Mode::Forward | Mode::ForwardTransitive => &[Direction::Forward],
            Mode::Full | Mode::FullTransitive => Direction::ALL,
        }
    }

    /// The same demand on every earlier version; `None` where it is made of every version already, or of none.
    pub const fn transitive(self) -> Option<Mode> {
        match self {
            Mode::Backward => Some(Mode::BackwardTransitive),
            Mode::Forward => Some(Mode::ForwardTransitive),
            Mode::Full => Some(Mode::FullTransitive),
            Mode::None | Mode::BackwardTransitive | Mode::ForwardTransitive | Mode::FullTransitive => None,
        }
    }

    /// Whether every earlier version counts, and not the last one alone.
    pub const fn is_transitive(self) -> bool {
        match self {
            Mode::BackwardTransitive | Mode::ForwardTransitive | Mode::FullTransitive => true,
            Mode::None | Mode::Backward | Mode::Forward | Mode::Full => false,
        }
    }

    /// The mode of that name, also as registries write it: `BACKWARD_TRANSITIVE`.
    pub fn of_registry(name: &str) -> Option<Mode> {
        Mode::from_name(&name.to_lowercase().replace('_', "-"))
    }
}
