//! Where data can start: messages at the top of a file, unless a field, an extension or a method uses them.

use super::model::{FileId, Kind, Schema};
use crate::formats::frame::Starts;

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let path = |file: FileId| &*schema.file(file).path;
    let is_own = |file: FileId| !schema.file(file).is_builtin;
    let mut starts = Starts::default();
    for message in &schema.messages {
        // What only holds extensions or other types is no data.
        let is_data = !message.fields.is_empty() || message.messages.is_empty() && message.extensions.is_empty();
        if message.parent.is_none() && is_own(message.file) && is_data {
            starts.types.push((&message.full_name, path(message.file)));
        }
        // A field in a nested message is a use by the outermost one, which uses itself only for its own parts.
        let mut outer = message;
        while let Some(parent) = outer.parent {
            outer = schema.message(parent);
        }
        for field in &message.fields {
            if let Kind::Message(used) = field.kind
                && schema.message(used).full_name != outer.full_name
            {
                starts.used.insert(&schema.message(used).full_name);
            }
        }
    }
    for extension in &schema.extensions {
        if let Kind::Message(used) = extension.kind {
            starts.used.insert(&schema.message(used).full_name);
        }
    }
    for service in &schema.services {
        starts.declaring.push((&service.full_name, path(service.file)));
        let carried = service.methods.iter().flat_map(|method| [method.input, method.output]).flatten();
        starts.used.extend(carried.map(|used| &*schema.message(used).full_name));
    }
    starts
}
