//! Numbers objects, one number each, though several threads may come to the same object at the same time.
//!
//! The number is the object's tag, and JVM TI has no way to set a tag only if there is none. A lock will not do: a thread may
//! be suspended in any call to the JVM, and whoever waits for it may be the one that would resume it. So a thread first
//! claims the object, with the number that it would give. Another one that comes to the object meanwhile finds the claim,
//! and sets the same number: whichever is suspended, and for however long, all set the same.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An object, as one thread sees it.
pub trait Object {
    /// What other threads compare their objects with.
    type Handle;
    /// The object's number; 0: none yet; `None`: that cannot be told.
    fn number(&self) -> Option<u64>;
    /// Sets the number; whether that worked.
    fn set_number(&self, number: u64) -> bool;
    /// A handle to the object.
    fn handle(&self) -> Self::Handle;
    /// Whether the handle is one to this object.
    fn is(&self, handle: &Self::Handle) -> bool;
}

/// The objects that are being numbered.
pub struct Numbering<H> {
    claims: Mutex<Claims<H>>,
    next: AtomicU64,
}

struct Claims<H> {
    open: Vec<Arc<Claim<H>>>,
    /// How many there have been.
    made: u64,
}

struct Claim<H> {
    handle: H,
    number: u64,
    settled: AtomicBool,
}

impl<H> Numbering<H> {
    /// Numbers from 1 on.
    pub const fn new() -> Numbering<H> {
        Numbering { claims: Mutex::new(Claims { open: Vec::new(), made: 0 }), next: AtomicU64::new(1) }
    }

    /// The next number, for an object that nobody else numbers.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// The object's number, and whether it has got it here: that is told once of each object.
    pub fn number(&self, object: &impl Object<Handle = H>) -> Option<(u64, bool)> {
        let claim = self.claim(object);
        // Numbered by somebody whose claim has gone already? Whoever else has this claim finds the same.
        let known = object.number();
        let numbered = known == Some(0) && object.set_number(claim.number);
        self.close(&claim);
        match known? {
            0 => numbered.then(|| (claim.number, !claim.settled.swap(true, Ordering::AcqRel))),
            known => Some((known, false)),
        }
    }

    /// Not to be held across a call to the JVM.
    fn claims(&self) -> MutexGuard<'_, Claims<H>> {
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The only open claim for the object: that of another thread, or a new one.
    fn claim(&self, object: &impl Object<Handle = H>) -> Arc<Claim<H>> {
        let mut own = None;
        loop {
            let (open, made) = {
                let claims = self.claims();
                (claims.open.clone(), claims.made)
            };
            if let Some(found) = open.iter().find(|claim| object.is(&claim.handle)) {
                return Arc::clone(found);
            }
            let own = own.get_or_insert_with(|| {
                let (handle, number) = (object.handle(), self.next());
                Arc::new(Claim { handle, number, settled: AtomicBool::new(false) })
            });
            let mut claims = self.claims();
            // Those that have been made meanwhile are to be looked at first.
            if claims.made == made {
                claims.made += 1;
                claims.open.push(Arc::clone(own));
                return Arc::clone(own);
            }
        }
    }

    /// The object has its number: who comes now finds that.
    fn close(&self, claim: &Arc<Claim<H>>) {
        let mut claims = self.claims();
        let index = claims.open.iter().position(|open| Arc::ptr_eq(open, claim));
        let closed = index.map(|index| claims.open.swap_remove(index));
        drop(claims);
        // Giving a handle back is a call to the JVM.
        drop(closed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread;

    use super::*;

    /// An object whose number a thread sets as soon as it may.
    struct Fake<'a> {
        number: &'a AtomicU64,
        /// Tells that the thread is about to set the number, and waits until it may.
        suspended: Option<(Sender<()>, Receiver<()>)>,
    }

    impl Object for Fake<'_> {
        type Handle = usize;
        fn number(&self) -> Option<u64> {
            Some(self.number.load(Ordering::SeqCst))
        }
        fn set_number(&self, number: u64) -> bool {
            if let Some((here, on)) = &self.suspended {
                here.send(()).unwrap();
                on.recv().unwrap();
            }
            self.number.store(number, Ordering::SeqCst);
            true
        }
        fn handle(&self) -> usize {
            std::ptr::from_ref(self.number).addr()
        }
        fn is(&self, handle: &usize) -> bool {
            *handle == self.handle()
        }
    }

    #[test]
    fn a_thread_that_is_suspended_while_it_numbers_an_object_gives_it_no_second_number() {
        let (numbering, first, other) = (Numbering::new(), AtomicU64::new(0), AtomicU64::new(0));
        let ((here, is_here), (resume, on)) = (channel(), channel());
        thread::scope(|scope| {
            let suspended = scope
                .spawn(|| numbering.number(&Fake { number: &first, suspended: Some((here, on)) }).unwrap());
            is_here.recv().unwrap();
            let meanwhile = numbering.number(&Fake { number: &first, suspended: None }).unwrap();
            let another = numbering.number(&Fake { number: &other, suspended: None }).unwrap();
            resume.send(()).unwrap();
            let suspended = suspended.join().unwrap();
            assert_eq!((suspended.0, first.load(Ordering::SeqCst)), (meanwhile.0, meanwhile.0));
            assert_ne!(another.0, meanwhile.0);
            assert!(meanwhile.1 && another.1 && !suspended.1, "each is told of once");
        });
        assert!(numbering.claims().open.is_empty());
    }

    #[test]
    fn many_threads_agree() {
        let numbering = Numbering::new();
        let objects: Vec<AtomicU64> = (0..500).map(|_| AtomicU64::new(0)).collect();
        let number = || {
            let number = |number| numbering.number(&Fake { number, suspended: None }).unwrap();
            objects.iter().map(number).collect::<Vec<_>>()
        };
        let given: Vec<Vec<(u64, bool)>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(number)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (index, object) in objects.iter().enumerate() {
            assert!(given.iter().all(|given| given[index].0 == object.load(Ordering::SeqCst)));
            assert_eq!(given.iter().filter(|given| given[index].1).count(), 1);
        }
    }
}
