use core::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A set of small numbers, as bits: of channels, of subtasks.
///
/// Two sets with the same members are equal and hash alike: no trailing empty word is kept.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bits {
    words: SmallVec<[u64; 2]>,
}

/// A search copies it by the million: all words at once.
impl Clone for Bits {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            words: SmallVec::from_slice(&self.words),
        }
    }
}

/// A small set is one word: no set has an empty last word, so that an empty one is known by it.
impl Hash for Bits {
    #[inline]
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        match self.words.as_slice() {
            [] => hasher.write_u64(0),
            [word] => hasher.write_u64(*word),
            words => {
                hasher.write_u64(0);
                words.hash(hasher);
            }
        }
    }
}

impl Bits {
    /// The set of all numbers below `count`.
    pub fn below(count: usize) -> Self {
        let mut set = Self::default();
        for index in 0..count {
            set.insert(index);
        }
        set
    }

    /// Whether `index` is a member.
    pub fn contains(&self, index: usize) -> bool {
        self.words
            .get(index / 64)
            .is_some_and(|word| word >> (index % 64) & 1 == 1)
    }

    /// Adds `index`; true if it was not a member before.
    pub fn insert(&mut self, index: usize) -> bool {
        let at = index / 64;
        if at >= self.words.len() {
            self.words.resize(at + 1, 0);
        }
        let Some(word) = self.words.get_mut(at) else {
            return false;
        };
        let before = *word;
        *word |= 1 << (index % 64);
        before != *word
    }

    /// Takes `index` out; true if it was a member.
    pub fn remove(&mut self, index: usize) -> bool {
        let Some(word) = self.words.get_mut(index / 64) else {
            return false;
        };
        let before = *word;
        *word &= !(1 << (index % 64));
        let removed = before != *word;
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
        removed
    }

    /// Takes every member out.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The members, from the smallest up.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            let mut rest = *word;
            core::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(at * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn a_set_forgets_what_was_taken_out() {
        let mut set = Bits::default();
        assert!(set.insert(200));
        assert!(!set.insert(200));
        assert!(set.insert(3));
        assert_eq!(set.iter().collect::<Vec<_>>(), [3, 200]);
        assert!(set.remove(200));
        assert!(!set.remove(200));
        let mut other = Bits::default();
        other.insert(3);
        assert_eq!(set, other);
        assert_eq!(Bits::below(70).len(), 70);
    }
}
