//! Work on many things at once.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What comes of each of them and its index, in their order. Each thread takes the next one when it is done with one.
pub fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(usize, &T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return done };
            done.push((index, work(index, item)));
        }
    };
    let others = thread::available_parallelism().map_or(1, usize::from).min(items.len()).saturating_sub(1);
    let mut done = thread::scope(|scope| {
        let threads: Vec<_> = (0..others).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for thread in threads {
            done.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_kept() {
        let items: Vec<u32> = (0..1000).collect();
        assert_eq!(map(&items, |index, item| index as u32 + item), (0..2000).step_by(2).collect::<Vec<_>>());
        assert!(map(&[], |_, item: &u32| *item).is_empty());
    }
}
