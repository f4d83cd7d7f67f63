//! Encoding of records into bytes: postcard, and a short cut to the same bytes for what is frequent.

use super::Body;

/// Something that can be written as the body of a record.
pub(super) trait Encode {
    /// Writes it. The same each time.
    fn encode(&self, to: &mut impl Sink);
}

impl Encode for Body {
    fn encode(&self, to: &mut impl Sink) {
        // It fails only where a length is not known in advance; a body has no such parts.
        let _ = postcard::serialize_with_flavor(self, Flavor(to));
    }
}

/// Where encoded bytes go.
pub(super) trait Sink {
    /// Takes one byte.
    fn byte(&mut self, byte: u8);
    /// Takes bytes as they are.
    fn raw(&mut self, bytes: &[u8]);

    /// Takes a number, seven bits to the byte, least significant first.
    #[inline]
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.byte(number as u8 | 0x80);
            number >>= 7;
        }
        self.byte(number as u8);
    }

    /// Takes the index of a variant, below 128, and a number.
    #[inline]
    fn tagged(&mut self, variant: u8, number: u64) {
        self.byte(variant);
        self.varint(number);
    }

    /// Takes a length and that many bytes.
    #[inline]
    fn counted(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.raw(bytes);
    }
}

/// A signed number so that small ones stay short.
pub(super) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Counts only.
#[derive(Default)]
pub(super) struct Measure(pub(super) usize);

impl Sink for Measure {
    #[inline]
    fn byte(&mut self, _: u8) {
        self.0 += 1;
    }

    #[inline]
    fn raw(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }

    #[inline]
    fn varint(&mut self, number: u64) {
        let bits = 64 - (number | 1).leading_zeros();
        self.0 += bits.div_ceil(7) as usize;
    }
}

/// Fills a slice; what does not fit is left out and remembered.
pub(super) struct Fill<'a> {
    room: &'a mut [u8],
    next: usize,
}

impl<'a> Fill<'a> {
    pub(super) fn new(room: &'a mut [u8]) -> Fill<'a> {
        Fill { room, next: 0 }
    }

    /// Whether the slice was filled exactly.
    pub(super) fn is_exact(&self) -> bool {
        self.next == self.room.len()
    }
}

impl Sink for Fill<'_> {
    #[inline]
    fn byte(&mut self, byte: u8) {
        if let Some(place) = self.room.get_mut(self.next) {
            *place = byte;
        }
        self.next += 1;
    }

    #[inline]
    fn raw(&mut self, bytes: &[u8]) {
        let end = self.next.saturating_add(bytes.len());
        if let Some(place) = self.room.get_mut(self.next..end) {
            place.copy_from_slice(bytes);
        }
        self.next = end;
    }
}

/// Lets postcard write into a sink.
struct Flavor<'a, S>(&'a mut S);

impl<S: Sink> postcard::ser_flavors::Flavor for Flavor<'_, S> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.byte(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.raw(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}
