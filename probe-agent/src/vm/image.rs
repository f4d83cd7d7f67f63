//! The library or executable that this code is in, and the process that it must not outlive.

use std::path::Path;
use std::sync::OnceLock;

use jvmti_wire::plan::PARENT_VARIABLE;

use crate::os::{images, process};

/// File name of the image that holds this code: the same code may be in a process several times.
pub fn name() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let path = path().unwrap_or_default();
        Path::new(&path).file_name().unwrap_or_default().to_string_lossy().into_owned()
    })
}

fn path() -> Option<String> {
    // A function of this module's own: an exported one might be another image's.
    let here = path as fn() -> Option<String> as *const ();
    images::place(here.expose_provenance()).map(|place| place.image).filter(|path| !path.is_empty())
}

/// Lets the process end when the one that watches over it does, if that is named: it may have been killed, and between
/// the two may be others, such as a launcher that is a script.
pub fn end_with_parent() {
    let parent = std::env::var(PARENT_VARIABLE).ok().and_then(|id| id.parse().ok());
    let Some(parent) = parent else { return };
    let watch = move || process::end_with(parent);
    // Without the thread the process is merely not watched.
    let _ =
        std::thread::Builder::new().name("jvmti-probe watch".to_owned()).stack_size(64 << 10).spawn(watch);
}
