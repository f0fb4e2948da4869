use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

/// A part of a state that few configurations have. Where it is empty it leaves no trace in a hash, so that the
/// fingerprints of all others do not depend on whether the model knows of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rare<T>(pub T);

impl<T: Default + PartialEq + Hash> Hash for Rare<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        if self.0 != T::default() {
            self.0.hash(hasher);
        }
    }
}

impl<T> Deref for Rare<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
