//! Where data can start: messages at the top of a file, unless a field, an extension or a method uses them.

use super::model::{FileId, Kind, MessageId, Schema};
use crate::formats::frame::{Start, Starts};

/// What a schema says of where data can start.
pub(super) fn starts<'s>(schema: &'s Schema<'_>) -> Starts<'s> {
    let path = |file: FileId| &*schema.file(file).path;
    let start = |id: MessageId| -> Start<'s> {
        let message = schema.message(id);
        (&message.full_name, path(message.file))
    };
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
                starts.refers((&outer.full_name, path(outer.file)), start(used));
            }
        }
    }
    for extension in &schema.extensions {
        if let Kind::Message(used) = extension.kind {
            starts.leads(start(used));
        }
    }
    for service in &schema.services {
        starts.declares_in_package(&service.full_name, path(service.file));
        let carried = service.methods.iter().flat_map(|method| [method.input, method.output]).flatten();
        carried.for_each(|id| starts.leads(start(id)));
    }
    starts
}
