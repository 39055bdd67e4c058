//! Two texts in, a report out.
#![no_main]

wireproof_fuzz::pipeline!(JsonSchema);
