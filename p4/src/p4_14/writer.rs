//! Lines with their indentation.

#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    deep: usize,
}

impl Writer {
    pub(super) fn line(&mut self, line: &str) {
        for _ in 0..self.deep {
            self.text.push_str("    ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Lines that are to stand in a block of another writer.
    pub(super) fn indent(&mut self) {
        self.deep += 1;
    }

    pub(super) fn append(&mut self, other: Writer) {
        self.text.push_str(&other.text);
    }

    pub(super) fn lines(&mut self, lines: &[String]) {
        for line in lines {
            self.line(line);
        }
    }

    /// A line that opens a block.
    pub(super) fn open(&mut self, line: &str) {
        self.line(line);
        self.deep += 1;
    }

    /// Ends a block; an outermost one gets an empty line behind it.
    pub(super) fn close(&mut self) {
        self.deep -= 1;
        self.line("}");
        if self.deep == 0 {
            self.text.push('\n');
        }
    }

    /// A line that ends a block and opens the next one.
    pub(super) fn middle(&mut self, line: &str) {
        self.deep -= 1;
        self.line(line);
        self.deep += 1;
    }

    pub(super) fn blank(&mut self) {
        self.text.push('\n');
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}
