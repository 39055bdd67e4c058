//! Text that grows statement by statement, each on the line where it should stand.

/// A line further down than this is not believed: a set of a few bytes must not fill the memory.
const LAST_LINE: u32 = 2_000_000;

/// Nor is a column further right than this.
const LAST_COLUMN: u32 = 400;

/// The text so far.
#[derive(Debug, Default)]
pub(super) struct Page {
    text: String,
    line: u32,
    column: u32,
    depth: usize,
}

impl Page {
    /// Goes to where a statement should start. Without a place it starts a line of its own.
    pub(super) fn start(&mut self, place: Option<(u32, u32)>) {
        match place {
            Some((line, column)) => {
                while self.line < line.min(LAST_LINE) {
                    self.newline();
                }
                if self.line == line && column <= LAST_COLUMN {
                    while self.column < column {
                        self.put(" ");
                    }
                }
                if self.column > 0 && !self.text.ends_with([' ', '\n']) {
                    self.put(" ");
                }
            }
            None => {
                if self.column > 0 {
                    self.newline();
                }
                for _ in 0..self.depth {
                    self.put("  ");
                }
            }
        }
    }

    /// Adds text without line breaks.
    pub(super) fn put(&mut self, text: &str) {
        self.text.push_str(text);
        self.column = self.column.saturating_add(u32::try_from(text.chars().count()).unwrap_or(u32::MAX));
    }

    /// Opens a block.
    pub(super) fn open(&mut self) {
        self.put(" {");
        self.depth += 1;
    }

    /// Closes a block on a line of its own.
    pub(super) fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.start(None);
        self.put("}");
    }

    /// Closes a block at once.
    pub(super) fn close_here(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.put(" }");
    }

    /// Closes a block at a place, or at once where the text is further already.
    pub(super) fn close_at(&mut self, place: (u32, u32)) {
        self.depth = self.depth.saturating_sub(1);
        self.start(Some(place));
        self.put("}");
    }

    fn newline(&mut self) {
        self.text.push('\n');
        self.line += 1;
        self.column = 0;
    }

    /// The whole text.
    pub(super) fn finish(mut self) -> String {
        self.newline();
        self.text
    }
}
