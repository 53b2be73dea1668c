//! Parts of the state that one endpoint keeps for itself between calls, by their types: this crate knows none of them.

use parking_lot::Mutex;
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

/// The parts, by type.
#[derive(Default)]
pub(crate) struct Parts(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl std::fmt::Debug for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Parts").field(&self.0.lock().len()).finish()
    }
}

impl Parts {
    /// The part of this type; the first call makes it.
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let part =
            Arc::clone(self.0.lock().entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default())));
        // The entry of a type is made with that type.
        part.downcast().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Count(Mutex<u64>);

    /// Each type has one part, which stays.
    #[test]
    fn a_part_stays() {
        let parts = Parts::default();
        *parts.get::<Count>().0.lock() += 1;
        *parts.get::<Count>().0.lock() += 1;
        assert_eq!(*parts.get::<Count>().0.lock(), 2);
        assert_eq!(*parts.get::<Mutex<u64>>().lock(), 0);
    }
}
