//! What options are set on, and how that is named.

/// What an option is set on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    File,
    ExtensionRange,
    Message,
    Field,
    Oneof,
    Enum,
    EnumValue,
    Service,
    Method,
}

impl Target {
    /// The message that holds such options.
    pub(super) const fn message(self) -> &'static str {
        match self {
            Target::File => "google.protobuf.FileOptions",
            Target::ExtensionRange => "google.protobuf.ExtensionRangeOptions",
            Target::Message => "google.protobuf.MessageOptions",
            Target::Field => "google.protobuf.FieldOptions",
            Target::Oneof => "google.protobuf.OneofOptions",
            Target::Enum => "google.protobuf.EnumOptions",
            Target::EnumValue => "google.protobuf.EnumValueOptions",
            Target::Service => "google.protobuf.ServiceOptions",
            Target::Method => "google.protobuf.MethodOptions",
        }
    }

    /// The value of `FieldOptions.targets` that means it.
    pub(super) const fn target_type(self) -> &'static str {
        match self {
            Target::File => "TARGET_TYPE_FILE",
            Target::ExtensionRange => "TARGET_TYPE_EXTENSION_RANGE",
            Target::Message => "TARGET_TYPE_MESSAGE",
            Target::Field => "TARGET_TYPE_FIELD",
            Target::Oneof => "TARGET_TYPE_ONEOF",
            Target::Enum => "TARGET_TYPE_ENUM",
            Target::EnumValue => "TARGET_TYPE_ENUM_ENTRY",
            Target::Service => "TARGET_TYPE_SERVICE",
            Target::Method => "TARGET_TYPE_METHOD",
        }
    }

    /// The word for people.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Target::File => "a file",
            Target::ExtensionRange => "an extension range",
            Target::Message => "a message",
            Target::Field => "a field",
            Target::Oneof => "a oneof",
            Target::Enum => "an enum",
            Target::EnumValue => "an enum value",
            Target::Service => "a service",
            Target::Method => "a method",
        }
    }
}
