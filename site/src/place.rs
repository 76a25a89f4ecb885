//! How many connections there are, in all and of each address.
//!
//! Tested in this module.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The pause between two looks at whether all places are free.
const LOOK_PAUSE: Duration = Duration::from_millis(10);

/// The places that connections may take.
#[derive(Debug)]
pub struct Places {
    most: usize,
    most_per_address: usize,
    /// How many connections each address has; none of 0.
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// A connection's place; free again when this is dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    from: IpAddr,
}

impl Places {
    /// `most` places in all, and `most_per_address` of them for each address but this machine's own.
    #[must_use]
    pub fn new(most: usize, most_per_address: usize) -> Places {
        Places { most, most_per_address, taken: Mutex::default() }
    }

    /// A place for a connection from that address; `None` if none is left.
    #[must_use]
    pub fn take(self: &Arc<Places>, from: IpAddr) -> Option<Arc<Place>> {
        let from = from.to_canonical();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&from).copied().unwrap_or(0);
        if taken.values().sum::<usize>() >= self.most || own >= self.most_per_address && !from.is_loopback() {
            return None;
        }
        taken.insert(from, own + 1);
        Some(Arc::new(Place { places: Arc::clone(self), from }))
    }

    /// Waits until all places are free.
    pub async fn all_free(&self) {
        while !self.taken.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            tokio::time::sleep(LOOK_PAUSE).await;
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = taken.get_mut(&self.from) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.from);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_for_each_address() {
        let places = Arc::new(Places::new(3, 2));
        let [a, b, own] = ["10.0.0.1", "10.0.0.2", "127.0.0.1"].map(|text| text.parse::<IpAddr>().unwrap());
        let first = places.take(a).unwrap();
        let _second = places.take(a).unwrap();
        assert!(places.take(a).is_none() && places.take("::ffff:10.0.0.1".parse().unwrap()).is_none());
        let third = places.take(b).unwrap();
        assert!(places.take(b).is_none(), "all are taken");
        drop((first, third));
        let _own = [places.take(own).unwrap(), places.take(own).unwrap()];
        assert_eq!(places.taken.lock().unwrap().len(), 2);
    }
}
