//! Starts of JVMs in which nothing happens: the least that so many launches can take.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{RunError, Subject};
use crate::launch::{self, Launch, LaunchError, Scratch, Stop};

/// Starts the subject's JVM so many times with nothing to do, so many at a time, with the options of the launches but
/// without the probe. Gives the wall time and the processor time of all of them.
pub fn start_bare(
    subject: &Subject,
    count: usize,
    jobs: usize,
    stop: &Stop,
) -> Result<(Duration, Duration), RunError> {
    let scratch = Scratch::new().map_err(|error| RunError::Scratch { error })?;
    let launch = launch(subject, &scratch);
    let (begun, next) = (Instant::now(), AtomicUsize::new(0));
    let work = || {
        let mut cpu = Duration::ZERO;
        while !stop.asked() && next.fetch_add(1, Ordering::Relaxed) < count {
            cpu += launch::run(&launch, stop)?.cpu.unwrap_or_default();
        }
        Ok::<_, LaunchError>(cpu)
    };
    let cpus = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(Ok(Duration::ZERO))).collect::<Vec<_>>()
    });
    let cpu = cpus.into_iter().sum::<Result<Duration, _>>().map_err(RunError::Bare)?;
    Ok((begun.elapsed(), cpu))
}

/// A launch with the subject's options, without the probe and with nothing to do.
pub(super) fn launch(subject: &Subject, scratch: &Scratch) -> Launch {
    Launch {
        vm_options: subject.vm_options.clone(),
        class_path: vec![scratch.jar().to_owned()],
        main_class: jvmti_java_tests::MAIN_CLASS.to_owned(),
        ..Launch::new(&subject.jdk.java, scratch.path())
    }
}
