//! Moments on the machine's clock: the standard library's, or in the browser, where the library has none, the page's.
//!
//! In the browser the window sets the time once per frame; between two frames no time passes. Tested in this module.

#[cfg(not(target_arch = "wasm32"))]
pub use std::time::Instant;

#[cfg(target_arch = "wasm32")]
pub use page::{Instant, it_is};

/// [`Instant`] for a program without a clock of its own.
#[cfg(any(test, target_arch = "wasm32"))]
mod page {
    use std::ops::{Add, AddAssign};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    /// Microseconds since the page was opened.
    static NOW: AtomicU64 = AtomicU64::new(0);

    /// Sets the clock to `seconds` since the page was opened; an earlier time than the present one is ignored.
    pub fn it_is(seconds: f64) {
        // The cast saturates.
        NOW.fetch_max((seconds * 1e6) as u64, Ordering::Relaxed);
    }

    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        pub fn now() -> Instant {
            Instant(Duration::from_micros(NOW.load(Ordering::Relaxed)))
        }

        pub fn duration_since(&self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        pub fn saturating_duration_since(&self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        pub fn elapsed(&self) -> Duration {
            Instant::now().duration_since(*self)
        }

        pub fn checked_add(&self, time: Duration) -> Option<Instant> {
            self.0.checked_add(time).map(Instant)
        }

        pub fn checked_sub(&self, time: Duration) -> Option<Instant> {
            self.0.checked_sub(time).map(Instant)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, time: Duration) -> Instant {
            Instant(self.0 + time)
        }
    }

    impl AddAssign<Duration> for Instant {
        fn add_assign(&mut self, time: Duration) {
            self.0 += time;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::page::{Instant, it_is};

    #[test]
    fn a_page_tells_the_time_and_never_goes_back() {
        it_is(2.0);
        let then = Instant::now();
        it_is(3.5);
        it_is(1.0);
        assert_eq!(then.elapsed(), Duration::from_millis(1_500));
        assert_eq!(Instant::now().checked_sub(then.elapsed()), Some(then));
        assert_eq!(then.duration_since(Instant::now()), Duration::ZERO);
        assert_eq!(Instant::now().saturating_duration_since(then), then.elapsed());
        assert_eq!(then.checked_add(then.elapsed()), Some(then + then.elapsed()));
        assert_eq!(then.checked_sub(Duration::from_secs(3)), None, "before the page was opened");
    }
}
