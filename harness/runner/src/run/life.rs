//! From how a case wants agents to get in and the JVM to end to the launch that does so.

use std::env;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jvmti_cases::model::{Attachment, Ending, Life};

use super::Bench;
use crate::jvm::{Jdk, interpreter};
use crate::launch::{Act, Embedding, Launch, Loading};
use crate::os::names::{COPY, SEARCH_PATH};

/// The name of the probe as an agent that is linked into an executable.
const BUILT_IN: &str = "probe";

/// The Java side's main class for such launches.
const MAIN_CLASS: &str = "jvmticheck.Life";

/// Leads the launch through that life.
pub(super) fn lead(launch: Launch, life: &Life, bench: &Bench<'_>, jdk: &Jdk) -> io::Result<Launch> {
    let probe = &bench.options.probe;
    let copy = bench.scratch.file(COPY);
    if mentions_copy(life) && !copy.exists() {
        // Under another name first: launches run side by side.
        let passing = bench.scratch.file(&format!("{COPY}.{:?}", std::thread::current().id()));
        fs::copy(probe, &passing)?;
        fs::rename(&passing, &copy)?;
    }
    let folder = probe.parent().unwrap_or(Path::new("."));
    let absent = folder.join("absent").join(format!("{DLL_PREFIX}{BUILT_IN}{DLL_SUFFIX}"));
    let filled = |text: &String| {
        let paths =
            [("{probe}", probe.as_path()), ("{folder}", folder), ("{copy}", &copy), ("{absent}", &absent)];
        paths.iter().fold(text.clone(), |text, (name, path)| text.replace(name, &path.to_string_lossy()))
    };
    let (early, requested): (Vec<_>, Vec<_>) = life.attach.iter().partition(|agent| agent.early);
    let mut args = vec![requested.len().to_string(), ending(life.ending)];
    let act = |agent: &Attachment| Act::Attach {
        library: filled(&agent.library),
        options: filled(&agent.options),
        early: agent.early,
    };
    let mut acts: Vec<Act> = early.into_iter().chain(requested).map(act).collect();
    if life.ending == Ending::Sigterm {
        acts.push(Act::Terminate);
    }
    args.extend(launch.args.iter().cloned());
    let mut vm_options: Vec<String> = life.options.iter().map(filled).collect();
    vm_options.extend(launch.vm_options.iter().cloned());
    let recording =
        launch.recording.map(|recording| crate::launch::Recording { loading: Loading::Asked, ..recording });
    // Cases name the variable as Linux does.
    let (searched, other): (Vec<_>, Vec<_>) =
        life.environment.iter().partition(|(name, _)| name == "LD_LIBRARY_PATH");
    // musl does not take libjvm, which is loaded by its path, for the library that others need by its name.
    let beside_vm = jdk.vm.parent().filter(|_| life.embedded).map(Path::to_owned);
    let searched = searched.into_iter().map(|(_, folder)| filled(folder).into()).chain(beside_vm).collect();
    let environment = other.into_iter().map(|(name, value)| (name.into(), filled(value).into()));
    let environment = environment.chain(search_path(searched));
    let program = &bench.options.program;
    let embedding = || Embedding {
        executable: program.clone(),
        vm: jdk.vm.clone(),
        loader: interpreter::other_loader(&jdk.java, program),
    };
    Ok(Launch {
        vm_options,
        main_class: MAIN_CLASS.to_owned(),
        args,
        recording,
        env: launch.env.into_iter().chain(environment).collect(),
        embedded: life.embedded.then(embedding),
        acts,
        ..launch
    })
}

/// The variable by which libraries are looked for in these folders before those of the user; nothing without any.
fn search_path(mut folders: Vec<PathBuf>) -> Option<(OsString, OsString)> {
    if folders.is_empty() {
        return None;
    }
    let inherited = env::var_os(SEARCH_PATH).unwrap_or_default();
    folders.extend(env::split_paths(&inherited).filter(|folder| !folder.as_os_str().is_empty()));
    Some((SEARCH_PATH.into(), env::join_paths(folders).ok()?))
}

fn mentions_copy(life: &Life) -> bool {
    let values = life.environment.iter().map(|(_, value)| value);
    let libraries = life.attach.iter().map(|a| &a.library);
    life.options.iter().chain(values).chain(libraries).any(|text| text.contains("{copy}"))
}

/// The ending as the Java side takes it.
fn ending(ending: Ending) -> String {
    match ending {
        Ending::Return => "return".to_owned(),
        Ending::Exit(code) => format!("exit {code}"),
        Ending::Halt(code) => format!("halt {code}"),
        Ending::Uncaught => "uncaught".to_owned(),
        Ending::Sigterm => "wait".to_owned(),
    }
}
