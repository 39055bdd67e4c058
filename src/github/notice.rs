//! What is said in the log of a run: as a workflow command where GitHub Actions reads it, else as a plain line.

use crate::text;

/// A notice that GitHub shows on the run's page. `%`, line ends and what acts on a screen are escaped, so a name from a schema
/// is never a command of its own.
pub fn command(level: Level, message: &str) -> String {
    let level = match level {
        Level::Notice => "notice",
        Level::Warning => "warning",
    };
    let message: Vec<String> = message.lines().map(|line| text::visible(line).into_owned()).collect();
    let message = message.join("\n").replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    format!("::{level} title=wireproof::{message}")
}

/// How much a notice matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Good to know.
    Notice,
    /// Somebody should look.
    Warning,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_no_command() {
        assert_eq!(
            command(Level::Notice, "100%\n::error::no\r\u{1b}[31m"),
            "::notice title=wireproof::100%25%0A::error::no\\r\\u{1b}[31m"
        );
    }
}
