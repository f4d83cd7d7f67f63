//! Agents that nobody here wrote, between them and the JVM the probe: they work as ever, and all is recorded.

use std::path::{Path, PathBuf};
use std::process::Command;

use jvmti_wire::plan::{Interception, Plan};
use jvmti_wire::trace::{self, Body, Reader, Record, StepRef};
use jvmti_wire::value::Value;

use crate::support::{Skipped, Tested, classes, headers, library};

/// The fixture of that name, compiled.
fn fixture(name: &str, home: &Path, folder: &Path) -> Result<PathBuf, Skipped> {
    let headers = headers(home)?;
    let cc = which::which("cc").map_err(|_| Skipped::new("there is no C compiler"))?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/{name}.c"));
    let built = folder.join(format!("lib{name}.so"));
    let output = Command::new(cc)
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-Wno-unused-function", "-o"])
        .arg(&built)
        .arg(source)
        .arg("-I")
        .arg(&headers)
        .arg("-I")
        .arg(headers.join("linux"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(built)
}

struct Recorded {
    records: Vec<Record>,
    /// Standard output with and without the probe.
    said: [String; 2],
}

/// A call as the trace has it.
struct Call<'r> {
    args: &'r [Value],
    step: StepRef,
    end: Option<(i32, &'r [(u16, Value)])>,
    blocks: usize,
}

impl Recorded {
    fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.records.iter().map(|record| &record.body)
    }

    fn calls(&self, name: &str) -> Vec<Call<'_>> {
        let slot = jvmti_probe::ffi::FUNCTIONS.iter().find(|f| f.name == name).unwrap().slot;
        let of = |number: u32, args, step| {
            let end = self.bodies().find_map(|body| match body {
                Body::CallEnd { call, code, outputs, .. } if *call == number => {
                    Some((*code, outputs.as_slice()))
                }
                _ => None,
            });
            let blocks = self.bodies().find_map(|body| match body {
                Body::Blocks { call, blocks } if *call == number => Some(blocks.len()),
                _ => None,
            });
            Call { args, step, end, blocks: blocks.unwrap_or(0) }
        };
        let begun = self.bodies().filter_map(|body| match body {
            Body::CallBegin { call, function, args, step, .. } if *function == slot => {
                Some(of(*call, args.as_slice(), *step))
            }
            _ => None,
        });
        begun.collect()
    }

    fn events(&self, name: &str) -> usize {
        let number = jvmti_probe::ffi::EVENTS.iter().find(|e| e.name == name).unwrap().number;
        let agents: Vec<u32> = self.environments();
        let is = |body: &&Body| matches!(body, Body::Event { event, environment, .. } if *event == number && agents.contains(environment));
        self.bodies().filter(is).count()
    }

    fn environments(&self) -> Vec<u32> {
        let of = |body: &Body| match body {
            Body::AgentEnvironment { environment, .. } => Some(*environment),
            _ => None,
        };
        self.bodies().filter_map(of).collect()
    }
}

/// Runs a program that does nothing with the agent in it, with and without the probe.
fn record(home: &Path, agent: &Path, options: &str, interception: Interception) -> Result<Recorded, Skipped> {
    let classes = classes()?;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.jvmtitrace");
    let plan = Plan { intercept: Some(interception), ..Plan::default() };
    trace::file::create(&path, &plan, 64 << 20).unwrap();
    let run = |probe: Option<String>| {
        let output = Command::new(home.join("bin/java"))
            .args(probe)
            .arg(format!("-agentpath:{}={options}", agent.display()))
            .arg("-cp")
            .arg(classes)
            .arg("Waiting")
            .current_dir(folder.path())
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{}: {} {said}", home.display(), output.status);
        said + &String::from_utf8_lossy(&output.stderr)
    };
    let said = [run(Some(format!("-agentpath:{}=trace={}", library().display(), path.display()))), run(None)];
    let bytes = std::fs::read(&path).unwrap();
    let records = Reader::new(&bytes).unwrap().records().collect();
    Ok(Recorded { records, said })
}

pub fn an_agent_is_recorded_and_does_not_notice(home: &Path) -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("tour", home, folder.path())?;
    let run = record(home, &agent, "some options", Interception::default())?;
    let home = home.display();
    assert_eq!(run.said[0], run.said[1], "{home}");
    let trouble: Vec<&Body> = run.bodies().filter(|b| matches!(b, Body::Trouble { .. })).collect();
    assert!(trouble.is_empty(), "{home}: {trouble:?}");
    assert_eq!(run.environments().len(), 2, "{home}");

    // What went in and what came out.
    let phase = run.calls("GetPhase");
    assert_eq!(phase[0].end, Some((0, &[(0, Value::Int(4))][..])), "{home}");
    let monitor = run.calls("CreateRawMonitor");
    assert_eq!(monitor[0].args[0], Value::Str(b"tour".to_vec()), "{home}");
    let (_, frames) = run.calls("GetStackTrace")[0].end.unwrap();
    assert!(frames.iter().any(|(param, value)| *param == 4 && *value == Value::Int(0)), "{frames:?}");
    assert!(frames.iter().any(|(param, value)| *param == 0 && matches!(value, Value::Object(_))));

    // Each block of memory, and its end.
    let signatures = run.calls("GetClassSignature");
    assert!(!signatures.is_empty() && signatures.iter().all(|call| call.blocks == 1), "{home}");
    let names = run.calls("GetMethodName");
    assert!(!names.is_empty() && names.iter().all(|call| call.blocks == 2), "{home}");
    let given: usize =
        run.bodies().map(|b| if let Body::Blocks { blocks, .. } = b { blocks.len() } else { 0 }).sum();
    assert_eq!(given, run.calls("Deallocate").len(), "{home}");

    // Callbacks set twice, of two environments; the second environment goes.
    assert_eq!(run.events("VMInit"), 1, "{home}");
    assert_eq!(run.events("VMDeath"), 1, "{home}");
    assert!(run.events("ClassPrepare") > 1, "{home}");
    assert_eq!(run.events("ClassPrepare"), signatures.len(), "{home}");
    assert_eq!(run.bodies().filter(|b| matches!(b, Body::EnvironmentGone { .. })).count(), 1, "{home}");

    // Where from.
    let StepRef::Site { site } = phase[0].step else { panic!("{home}: {:?}", phase[0].step) };
    let stack = run.bodies().find_map(|body| match body {
        Body::SiteSeen { site: seen, stack } if *seen == site => Some(stack),
        _ => None,
    });
    let place = &stack.unwrap()[0];
    assert!(place.library.ends_with("libtour.so") && place.offset > 0, "{home}: {place:?}");
    Ok(())
}

pub fn what_is_not_wanted_is_not_recorded(home: &Path) -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("tour", home, folder.path())?;
    let slot = |name: &str| jvmti_probe::ffi::FUNCTIONS.iter().find(|f| f.name == name).unwrap().slot;
    let event = |name: &str| jvmti_probe::ffi::EVENTS.iter().find(|e| e.name == name).unwrap().number;
    let some = Interception {
        functions: Some(vec![slot("GetPhase")]),
        events: Some(vec![event("VMInit")]),
        ..Interception::default()
    };
    let run = record(home, &agent, "some options", some)?;
    assert_eq!((run.calls("GetPhase").len(), run.calls("GetMethodName").len()), (1, 0));
    assert_eq!((run.events("VMInit"), run.events("ClassPrepare")), (1, 0));
    let others = Interception { libraries: Some(vec!["libother".to_owned()]), ..Interception::default() };
    let run = record(home, &agent, "some options", others)?;
    assert!(run.environments().is_empty() && run.calls("GetPhase").is_empty());
    Ok(())
}

pub fn the_probe_uses_no_jni_function_of_an_agents(home: &Path) -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let agent = fixture("replaced_jni", home, folder.path())?;
    for options in ["", "early"] {
        let run = record(home, &agent, options, Interception::default())?;
        assert!(run.events("ClassPrepare") > 1);
        assert!(run.said[1].contains("calls of NewWeakGlobalRef"), "{}", run.said[1]);
        assert_eq!(run.said[0], run.said[1], "{options:?}");
    }
    Ok(())
}
