//! How instances of JSON Schemas are used, which no schema says: what their writers write, whether readers assert formats,
//! and in which encodings they travel.

use crate::snapshot::is_under;
use crate::vocabulary::vocabulary;

vocabulary! {
    /// What writers write of what their schema allows.
    Writers {
        /// The members that some schema of the object names.
        Declared = "declared",
        /// Everything that is valid.
        Any = "any",
    }
}

vocabulary! {
    /// An encoding of JSON data.
    Encoding {
        /// The text (RFC 8259).
        Json = "json",
        /// MessagePack.
        MessagePack = "messagepack",
        /// CBOR (RFC 8949).
        Cbor = "cbor",
        /// BSON, as MongoDB stores documents.
        Bson = "bson",
    }
}

impl Encoding {
    /// What people call it.
    pub const fn title(self) -> &'static str {
        match self {
            Encoding::Json => "JSON",
            Encoding::MessagePack => "MessagePack",
            Encoding::Cbor => "CBOR",
            Encoding::Bson => "BSON",
        }
    }
}

/// How instances are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// What their writers write.
    pub writers: Writers,
    /// Whether readers reject what does not have the `format` that the schema names.
    pub asserts_formats: bool,
    /// In which encodings they travel, each once; empty where nobody said.
    pub encodings: Vec<Encoding>,
}

impl Default for Usage {
    fn default() -> Self {
        Usage { writers: Writers::Declared, asserts_formats: false, encodings: Vec::new() }
    }
}

/// How instances are used, by the folders of their schemas.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usages {
    /// Where no folder says otherwise.
    pub usual: Usage,
    /// Folders of the snapshots with a use of their own.
    pub folders: Vec<(String, Usage)>,
}

impl Usages {
    /// How instances of the schemas in a file are used: as the longest folder that holds it says.
    pub fn of(&self, path: &str) -> &Usage {
        let around = self.folders.iter().filter(|(folder, _)| is_under(path, folder));
        around.max_by_key(|(folder, _)| folder.len()).map_or(&self.usual, |(_, usage)| usage)
    }
}
