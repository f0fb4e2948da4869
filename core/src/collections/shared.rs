use alloc::sync::Arc;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::fingerprint::fingerprint;

/// A part of a state that seldom changes: states that follow one another share it, and it is hashed once for all of them.
///
/// Whoever changes it gets a copy of his own. After that, [`settle`](Self::settle) has it hashed for those that come; without
/// it, each hash looks at all of it again. A completed checkpoint is such a part: of two thousand bytes of a small pipeline's
/// state half are what checkpoints hold, and one step in ten changes any of it.
#[derive(Clone, Debug, Default)]
pub struct Shared<T>(Arc<Hashed<T>>);

#[derive(Clone, Debug, Default)]
struct Hashed<T> {
    /// 0: not known.
    print: u64,
    value: T,
}

impl<T: Hash> Shared<T> {
    /// Takes a value.
    pub fn new(value: T) -> Self {
        let print = fingerprint(&value);
        Self(Arc::new(Hashed { print, value }))
    }

    /// The value, if nobody shares it, to change it.
    pub fn own(&mut self) -> Option<&mut T> {
        let own = Arc::get_mut(&mut self.0)?;
        own.print = 0;
        Some(&mut own.value)
    }

    /// Hashes it for all that share it, unless that is done.
    pub fn settle(&mut self) {
        if self.0.print == 0
            && let Some(own) = Arc::get_mut(&mut self.0)
        {
            own.print = fingerprint(&own.value);
        }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        let own = Arc::make_mut(&mut self.0);
        own.print = 0;
        &mut own.value
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.value == other.0.value
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T: Hash> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(match self.0.print {
            0 => fingerprint(&self.0.value),
            print => print,
        });
    }
}

impl<T: Serialize> Serialize for Shared<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.value.serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de> + Hash> Deserialize<'de> for Shared<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_changes_it_has_his_own_and_equal_values_hash_alike() {
        let one = Shared::new(5_u32);
        let mut other = one.clone();
        *other = 6;
        assert_eq!((*one, *other), (5, 6));
        assert_ne!(fingerprint(&one), fingerprint(&other));
        *other = 5;
        assert_eq!(one, other);
        assert_eq!(fingerprint(&one), fingerprint(&other));
        other.settle();
        assert_eq!(fingerprint(&one), fingerprint(&other));
    }
}
