//! Shared things that are equal if they are the same thing: cheap properties for components.

use std::ops::Deref;
use std::rc::Rc;

/// A shared value. Two are equal if they are the same one.
pub struct Same<T>(pub Rc<T>);

impl<T> Same<T> {
    /// Shares a value.
    pub fn new(value: T) -> Self {
        Self(Rc::new(value))
    }
}

impl<T> Clone for Same<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> PartialEq for Same<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Same<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}
