//! One hash of a state everywhere: natively, in WebAssembly, in a search and in a test.
//!
//! The hasher mixes explicit 64-bit words. Hashers that work in `usize` words have 32 bits in
//! WebAssembly, where a search that trusts them silently loses states.

use core::hash::{Hash, Hasher};

/// The 64-bit fingerprint of a value.
pub fn fingerprint<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut mixer = Mixer::default();
    value.hash(&mut mixer);
    mixer.finish()
}

/// A [`Hasher`] over 64-bit words whose result does not depend on the machine's word size.
///
/// Each word goes through a multiplication by an odd constant and a shifted exclusive-or, both
/// invertible, so that no single word is lost; [`finish`](Hasher::finish) spreads the result with
/// the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Copy, Debug)]
pub struct Mixer(u64);

impl Default for Mixer {
    fn default() -> Self {
        Self(0x9e37_79b9_7f4a_7c15)
    }
}

impl Mixer {
    #[inline]
    fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.0 = mixed ^ (mixed >> 32);
    }
}

impl Hasher for Mixer {
    #[inline]
    fn finish(&self) -> u64 {
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            let mut word = [0; 8];
            word.copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            for (to, from) in word.iter_mut().zip(rest) {
                *to = *from;
            }
            self.word(u64::from_le_bytes(word) ^ ((rest.len() as u64) << 56));
        }
    }

    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.word(u64::from(n));
    }
    #[inline]
    fn write_u16(&mut self, n: u16) {
        self.word(u64::from(n));
    }
    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.word(u64::from(n));
    }
    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.word(n);
    }
    // Lengths and enum discriminants arrive as machine words: widened, they hash alike everywhere.
    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.word(n as u64);
    }
    #[inline]
    fn write_isize(&mut self, n: isize) {
        self.word(n as i64 as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_hold_on_every_machine() {
        assert_eq!(fingerprint(&0_u64), fingerprint(&0_usize));
        assert_eq!(fingerprint(&[1_u8, 2, 3][..]), 0xc8e6_e9a5_4f76_289b);
    }

    #[test]
    fn order_and_length_matter() {
        assert_ne!(fingerprint(&[1_u32, 2]), fingerprint(&[2_u32, 1]));
        assert_ne!(fingerprint(&[0_u32; 2][..]), fingerprint(&[0_u32; 3][..]));
    }
}
