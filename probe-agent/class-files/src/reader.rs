//! Big-endian numbers, one after the other.

/// What is left to read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'b>(pub &'b [u8]);

impl<'b> Reader<'b> {
    /// The next bytes; `None` if there are not so many.
    pub fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next number of one byte.
    pub fn u1(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }

    /// The next number of two bytes.
    pub fn u2(&mut self) -> Option<u16> {
        self.take(2).map(|b| u16::from_be_bytes([b[0], b[1]]))
    }

    /// The next number of four bytes.
    pub fn u4(&mut self) -> Option<u32> {
        self.take(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// The next number of four bytes, as a length.
    pub fn length(&mut self) -> Option<usize> {
        self.u4().and_then(|length| usize::try_from(length).ok())
    }

    /// As many of something as the next number of two bytes says.
    pub fn each<T>(&mut self, read: impl Fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        (0..self.u2()?).map(|_| read(self)).collect()
    }
}
