//! Numbers, texts and lists in a file: little endian, a text and a list with their length in front.

use super::rows::malformed;
use hardpath_diagnostic::Diagnostic;

/// A file that is being written.
#[derive(Default)]
pub(super) struct Out(pub Vec<u8>);

impl Out {
    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn flag(&mut self, value: bool) {
        self.byte(value.into());
    }

    pub fn number(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
        self.0.extend(bytes);
    }

    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub fn list<T>(&mut self, list: &[T], mut write: impl FnMut(&mut Out, &T)) {
        self.number(list.len() as u32);
        list.iter().for_each(|item| write(self, item));
    }

    /// The place of a thing in the list of its kind.
    pub fn code<T: PartialEq>(&mut self, all: &[(&str, T)], thing: &T) {
        let place = all.iter().position(|(_, other)| other == thing);
        self.byte(place.expect("the list has them all") as u8);
    }
}

/// What of a file has not been read yet.
pub(super) struct In<'a>(pub &'a [u8]);

impl<'a> In<'a> {
    /// So many bytes, as they are.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Diagnostic> {
        let (taken, rest) = self
            .0
            .split_at_checked(count)
            .ok_or_else(|| malformed("a list or text is longer than the file"))?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8, Diagnostic> {
        Ok(self.take(1)?[0])
    }

    pub fn flag(&mut self) -> Result<bool, Diagnostic> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(malformed(format!("{other} is neither yes nor no"))),
        }
    }

    pub fn number(&mut self) -> Result<u32, Diagnostic> {
        let bytes = self.take(4)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], Diagnostic> {
        let length = self.number()?;
        self.take(length as usize)
    }

    pub fn text(&mut self) -> Result<String, Diagnostic> {
        let text = std::str::from_utf8(self.bytes()?);
        text.map(str::to_owned)
            .map_err(|_| malformed("a name is no text"))
    }

    /// Each thing of a list takes at least a byte, so a long list needs a long file.
    pub fn list<T>(
        &mut self,
        read: impl Fn(&mut In<'a>) -> Result<T, Diagnostic>,
    ) -> Result<Vec<T>, Diagnostic> {
        let count = self.number()?;
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(read(self)?);
        }
        Ok(list)
    }

    pub fn code<T: Copy>(&mut self, what: &str, all: &[(&str, T)]) -> Result<T, Diagnostic> {
        let code = self.byte()?;
        match all.get(usize::from(code)) {
            Some((_, thing)) => Ok(*thing),
            None => Err(malformed(format!("{what} has no code {code}"))),
        }
    }
}
