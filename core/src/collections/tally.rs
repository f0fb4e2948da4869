use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// How often each of many things was counted: up to 14 times, or 15 for "more often than that".
///
/// This is what a keyed state is to the laboratory: which records have entered it, and how often.
/// Four bits a record; two tallies with the same counts are equal and hash alike.
#[derive(Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tally {
    words: SmallVec<[u64; 2]>,
}

/// A search copies it by the million: all words at once.
impl Clone for Tally {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            words: SmallVec::from_slice(&self.words),
        }
    }
}

/// Entries in one word.
const PER_WORD: usize = 16;
/// Bits of one entry.
const BITS: usize = 4;
/// The largest count.
const MOST: u8 = 15;

impl Tally {
    /// How often `index` was counted, up to 15.
    pub fn get(&self, index: usize) -> u8 {
        self.words
            .get(index / PER_WORD)
            .map_or(0, |word| (word >> (index % PER_WORD * BITS)) as u8 & MOST)
    }

    /// Sets the count of `index`; counts above 15 are kept as 15.
    pub fn set(&mut self, index: usize, count: u8) {
        let at = index / PER_WORD;
        if at >= self.words.len() {
            if count == 0 {
                return;
            }
            self.words.resize(at + 1, 0);
        }
        if let Some(word) = self.words.get_mut(at) {
            let shift = index % PER_WORD * BITS;
            *word = *word & !(u64::from(MOST) << shift) | u64::from(count.min(MOST)) << shift;
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    /// Counts `index` once more.
    pub fn add(&mut self, index: usize) {
        self.set(index, self.get(index).saturating_add(1));
    }

    /// How many words of eight bytes it takes.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Copies the counts of the entries that `mask` selects (see [`mask_of`](Self::mask_of)) from `other`.
    pub fn copy_masked(&mut self, other: &Self, mask: &[u64]) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (at, word) in self.words.iter_mut().enumerate() {
            let mask = mask.get(at).copied().unwrap_or(0);
            let from = other.words.get(at).copied().unwrap_or(0);
            *word = *word & !mask | from & mask;
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    /// The entries that `mask` selects and that were counted at least once.
    pub fn masked<'a>(&'a self, mask: &'a [u64]) -> impl Iterator<Item = usize> + 'a {
        let words = self.words.iter().zip(mask).enumerate();
        words.flat_map(|(at, (word, mask))| {
            let mut rest = word & mask;
            core::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let entry = rest.trailing_zeros() as usize / BITS;
                rest &= !(u64::from(MOST) << (entry * BITS));
                Some(at * PER_WORD + entry)
            })
        })
    }

    /// The mask that selects the entries `indices`, for [`copy_masked`](Self::copy_masked).
    pub fn mask_of(indices: impl IntoIterator<Item = usize>) -> alloc::vec::Vec<u64> {
        let mut mask = alloc::vec::Vec::new();
        for index in indices {
            let at = index / PER_WORD;
            if at >= mask.len() {
                mask.resize(at + 1, 0);
            }
            if let Some(word) = mask.get_mut(at) {
                *word |= u64::from(MOST) << (index % PER_WORD * BITS);
            }
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_saturate_and_copy_by_mask() {
        let mut one = Tally::default();
        for _ in 0..20 {
            one.add(40);
        }
        one.add(7);
        assert_eq!((one.get(40), one.get(7), one.get(8)), (15, 1, 0));
        let mut two = Tally::default();
        two.copy_masked(&one, &Tally::mask_of([40]));
        assert_eq!((two.get(40), two.get(7)), (15, 0));
        let both = Tally::mask_of([7, 8, 40]);
        let counted: alloc::vec::Vec<_> = one.masked(&both).collect();
        assert_eq!(counted, [7, 40]);
        two.set(40, 0);
        assert_eq!(two, Tally::default());
    }
}
