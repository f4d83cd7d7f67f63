//! The wish to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends every running launch and keeps others from starting. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that nobody has set.
    pub fn new() -> Stop {
        Stop::default()
    }

    /// A flag that Ctrl-C, SIGTERM and SIGHUP set. Can be had once per process.
    pub fn on_signals() -> Result<Stop, ctrlc::Error> {
        let stop = Stop::new();
        let flag = stop.clone();
        ctrlc::set_handler(move || flag.ask())?;
        Ok(stop)
    }

    /// Asks to stop.
    pub fn ask(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether someone asked.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
