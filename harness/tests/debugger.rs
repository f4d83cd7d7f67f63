//! The JDK's own agents under the probe: a debugger at work through `libjdwp`, and an agent that counts what the program
//! does, which the probe must not change.

#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use jvmti_runner::jvm::Jdk;
use jvmti_spec::Spec;
use jvmti_wire::trace::{Body, Record, TraceFile};
use support::fixture::compile;
use support::trials::{Missing, Tested, tests};
use support::{compile_java, jdks, tools};

const DEBUGGEE: &str = "
public class Debuggee {
    static int work(int n) {
        int twice = n * 2;
        int sum = twice + 1;
        return sum;
    }
    public static void main(String[] args) {
        int total = 0;
        for (int i = 0; i < 3; i++) {
            total += work(i);
        }
        System.out.println(\"total \" + total);
    }
}";

fn check() -> Command {
    Command::new(env!("CARGO_BIN_EXE_jvmti-check"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Compiles the class for any JVM.
fn classes(tools: &Path, folder: &Path, source: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let file = folder.join("Debuggee.java");
    std::fs::write(&file, source).unwrap();
    compile_java(tools, &file, Path::new(""), folder);
}

/// A debugger that gets its next command when it has answered the last one.
///
/// jdb prints "Breakpoint hit" and "Step completed" before it knows the current thread: its event handler prints, then
/// sets the thread, then prints the prompt. A command that comes in between is answered with "Nothing suspended", and
/// what the command should have led to never happens. Only the prompt tells that jdb is ready.
struct Debugger {
    child: Child,
    input: ChildStdin,
    output: Receiver<String>,
    /// What it has said since the last answer that was awaited.
    unread: String,
}

/// The prompt of jdb when the program has stopped in the main thread.
const PROMPT: &str = "main[1] ";
/// Seconds after which a debugger that says nothing is taken to hang.
const HANGS: Duration = Duration::from_secs(300);

impl Debugger {
    fn attach(tools: &Path, port: &str) -> Debugger {
        let connector = format!("com.sun.jdi.SocketAttach:hostname=127.0.0.1,port={port}");
        let mut command = Command::new(tools.join("jdb"));
        command.args(["-J-Duser.language=en", "-connect", &connector]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(len @ 1..) = stdout.read(&mut bytes) {
                let _ = sender.send(text(&bytes[..len]));
            }
        });
        Debugger { child, input, output, unread: String::new() }
    }

    /// Waits until it says that.
    fn awaits(&mut self, wanted: &str) {
        let end = loop {
            match self.unread.find(wanted) {
                Some(at) => break at + wanted.len(),
                None => match self.output.recv_timeout(HANGS) {
                    Ok(more) => self.unread.push_str(&more),
                    Err(error) => panic!("{error}: no {wanted:?} in {}", self.unread),
                },
            }
        };
        self.unread.drain(..end);
    }

    /// Gives a command, and waits for the answer and for the prompt after it.
    fn told(&mut self, command: &str, answer: &str) {
        self.send(command);
        self.awaits(answer);
        self.awaits(PROMPT);
    }

    fn send(&mut self, command: &str) {
        writeln!(self.input, "{command}").unwrap();
    }
}

/// Debugs the program: a breakpoint, steps, locals, a class redefined. Gives what the program printed but for the line
/// that names the port, and what it wrote to standard error.
fn debugged(tools: &Path, changed: &Path, mut command: Command) -> (String, String) {
    let mut program = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut output = BufReader::new(program.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    let port = line.trim().rsplit([':', ' ']).next().unwrap().to_owned();
    let mut jdb = Debugger::attach(tools, &port);
    jdb.awaits(PROMPT);
    jdb.told("stop in Debuggee.work", "");
    jdb.told("run", "Breakpoint hit");
    jdb.told("locals", "n = 0");
    jdb.told("step", "Step completed");
    jdb.told("step", "Step completed");
    jdb.told("locals", "twice = 0");
    jdb.told("where", "[2] Debuggee.main");
    jdb.told(&format!("redefine Debuggee {}", changed.join("Debuggee.class").display()), "");
    jdb.told("clear Debuggee.work", "Removed");
    jdb.send("cont");
    let (mut rest, mut errors) = (String::new(), String::new());
    output.read_to_string(&mut rest).unwrap();
    program.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(program.wait().unwrap().success(), "{errors}");
    // How jdb takes leave depends on whether it hears of the VM's death or finds the connection closed first.
    let _ = jdb.child.kill();
    jdb.child.wait().unwrap();
    (rest, errors)
}

/// Names of the functions that were called.
fn called(trace: &Path) -> BTreeSet<String> {
    let file = TraceFile::open(trace).unwrap();
    let edition = Spec::embedded().newest();
    let name = |slot: u16| edition.functions.iter().find(|f| f.slot == slot).map(|f| f.name.clone());
    let of = |record: Record| match record.body {
        Body::CallBegin { function, .. } => name(function),
        _ => None,
    };
    file.reader().unwrap().records().filter_map(of).collect()
}

const JDWP: &str = "jdwp=transport=dt_socket,server=y,suspend=y,address=127.0.0.1:0";

fn has(jdk: &Jdk, library: &str) -> bool {
    ["lib", "jre/lib/amd64", "jre/lib/aarch64"].iter().any(|lib| jdk.home.join(lib).join(library).is_file())
}

fn a_debugger_does_its_work_under_the_probe_on_every_jdk() -> Tested {
    let tools = tools(&["javac", "jdb"])?;
    let folder = tempfile::tempdir().unwrap();
    let (program, changed) = (folder.path().join("program"), folder.path().join("changed"));
    classes(&tools, &program, DEBUGGEE);
    classes(&tools, &changed, &DEBUGGEE.replace("twice + 1", "twice + 100"));
    for jdk in jdks()?.into_iter().filter(|jdk| has(jdk, "libjdwp.so")) {
        let home = jdk.home.display();
        let out = tempfile::tempdir().unwrap();
        let mut bare = Command::new(&jdk.java);
        bare.arg(format!("-agentlib:{JDWP}")).arg("-cp").arg(&program).arg("Debuggee");
        let mut recorded = check();
        recorded.args(["agent", "record", "--agent", JDWP, "--jdk"]).arg(&jdk.home);
        recorded.arg("--out").arg(out.path()).args(["--", "-cp"]).arg(&program).arg("Debuggee");
        let (printed, _) = debugged(&tools, &changed, bare);
        // The first call had begun when the class was redefined.
        assert_eq!(printed.trim(), "total 207", "{home}");
        let (under_the_probe, summary) = debugged(&tools, &changed, recorded);
        assert_eq!(under_the_probe, printed, "{home}: {summary}");
        let trace = std::fs::read_dir(out.path()).unwrap().next().unwrap().unwrap().path();
        let called = called(&trace);
        for wanted in ["SetBreakpoint", "NotifyFramePop", "GetLocalInt", "RedefineClasses"] {
            assert!(called.contains(wanted), "{home}: no {wanted} in {called:?}");
        }
        let output = check().args(["agent", "check", "--severity", "error"]).arg(&trace).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{home}: {}", text(&output.stdout));
        // Its threads never return, and delete what they get; one call may give more classes than there is room for.
        let output = check().args(["agent", "check", "--severity", "note"]).arg(&trace).output().unwrap();
        let said = text(&output.stdout);
        assert!(!said.contains("reference/held"), "{home}: {said}");
        assert!(said.contains("reference/room"), "{home}: {said}");
    }
    Ok(())
}

/// Replaces the class by the bytes of a file when it is retransformed.
const TRANSFORMER: &str = "
import java.lang.instrument.*;
import java.nio.file.*;
import java.security.ProtectionDomain;
public class Debuggee {
    public static void premain(String path, Instrumentation instrumentation) throws Exception {
        final byte[] bytes = Files.readAllBytes(Paths.get(path));
        instrumentation.addTransformer(new ClassFileTransformer() {
            public byte[] transform(ClassLoader l, String name, Class<?> c, ProtectionDomain d, byte[] b) {
                return \"Program\".equals(name) && c != null ? bytes : null;
            }
        }, true);
        instrumentation.retransformClasses(Class.forName(\"Program\"));
    }
}";

fn a_java_agent_retransforms_under_the_probe_on_every_jdk() -> Tested {
    let tools = tools(&["javac", "jdb"])?;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let program = DEBUGGEE.replace("Debuggee", "Program");
    for (name, source) in
        [("program", program.clone()), ("changed", program.replace("twice + 1", "twice + 100"))]
    {
        // The compiler wants a class in a file of its name; this one is not public.
        classes(&tools, &at(name), &source.replace("public class", "class"));
    }
    classes(&tools, &at("agent"), TRANSFORMER);
    let manifest = "Premain-Class: Debuggee\nCan-Retransform-Classes: true\nCan-Redefine-Classes: true\n";
    std::fs::write(at("manifest"), manifest).unwrap();
    let mut jar = Command::new(tools.join("jar"));
    jar.arg("cfm").args([at("agent.jar"), at("manifest")]).arg("-C").arg(at("agent")).arg(".");
    assert!(jar.status().unwrap().success());
    for jdk in jdks()?.into_iter().filter(|jdk| has(jdk, "libinstrument.so")) {
        let home = jdk.home.display();
        let out = tempfile::tempdir().unwrap();
        let agent =
            format!("{}={}", at("agent.jar").display(), at("changed").join("Program.class").display());
        let mut command = check();
        command.args(["agent", "record", "--agent", &agent, "--jdk"]).arg(&jdk.home);
        let output =
            command.arg("--out").arg(out.path()).args(["--", "-cp"]).arg(at("program")).arg("Program");
        let output = output.output().unwrap();
        // (0 + 2 + 4) + 3 * 100: the class was changed before it ran.
        assert_eq!(text(&output.stdout).trim(), "total 306", "{home}: {}", text(&output.stderr));
        let trace = std::fs::read_dir(out.path()).unwrap().next().unwrap().unwrap().path();
        assert!(called(&trace).contains("RetransformClasses"), "{home}");
        let output = check().args(["agent", "check", "--severity", "error"]).arg(&trace).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{home}: {}", text(&output.stdout));
        // It could do without redefining classes.
        let found = text(&check().args(["agent", "check"]).arg(&trace).output().unwrap().stdout);
        assert!(
            found.contains("the manifest of agent.jar asks for it: Can-Redefine-Classes"),
            "{home}: {found}"
        );
        assert_eq!(found.matches("──").count(), 2, "{home}: {found}");
        let shown = text(&check().args(["agent", "show"]).arg(&trace).output().unwrap().stdout);
        assert!(shown.contains("for agent.jar (class Debuggee)"), "{home}: {shown}");
    }
    Ok(())
}

/// Counts the methods that the main thread enters before the VM's end, and all before VMInit; prints how many.
const COUNTER: &str = r#"
#include <jvmti.h>
#include <stdio.h>
static long entered, early;
static enum { STARTING, RUNNING, ENDING } state;
static void JNICALL entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method) {
    jvmtiThreadInfo info = {0};
    early += state == STARTING;
    if (state != RUNNING || (*env)->GetThreadInfo(env, thread, &info) != JVMTI_ERROR_NONE) return;
    entered += info.name != NULL && info.name[0] == 'm' && info.name[1] == 'a';
    (*env)->Deallocate(env, (unsigned char *)info.name);
    (*jni)->DeleteLocalRef(jni, info.thread_group);
    (*jni)->DeleteLocalRef(jni, info.context_class_loader);
}
static void JNICALL begin(jvmtiEnv *env, JNIEnv *jni, jthread thread) { state = RUNNING; }
static void JNICALL end(jvmtiEnv *env, JNIEnv *jni) {
    state = ENDING;
    printf("entered %ld, %ld before VMInit\n", entered, early);
    fflush(stdout);
}
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiEnv *env;
    jvmtiCapabilities wanted = {0};
    jvmtiEventCallbacks callbacks = {0};
    if ((*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_1_2) != JNI_OK) return JNI_ERR;
    wanted.can_generate_method_entry_events = 1;
    callbacks.MethodEntry = entry;
    callbacks.VMInit = begin;
    callbacks.VMDeath = end;
    if ((*env)->AddCapabilities(env, &wanted) != JVMTI_ERROR_NONE) return JNI_ERR;
    (*env)->SetEventCallbacks(env, &callbacks, sizeof callbacks);
    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY, NULL);
    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
    (*env)->SetEventNotificationMode(env, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
    return JNI_OK;
}
"#;

fn the_same_methods_are_entered_under_the_probe() -> Tested {
    let folder = tempfile::tempdir().unwrap();
    let (source, agent) = (folder.path().join("counter.c"), folder.path().join("libcounter.so"));
    std::fs::write(&source, COUNTER).unwrap();
    compile(&source, &agent)?;
    let mut alike = 0;
    for jdk in jdks()? {
        let bare = || {
            let option = format!("-agentpath:{}", agent.display());
            text(&Command::new(&jdk.java).args([&option, "-version"]).output().unwrap().stdout)
        };
        let recorded = || {
            let mut command = check();
            command.args(["agent", "record", "--agent"]).arg(&agent).arg("--jdk").arg(&jdk.home);
            command.arg("--out").arg(folder.path()).args(["--", "-version"]);
            text(&command.output().unwrap().stdout)
        };
        let counted = bare();
        // Some releases do what depends on the time: always, or in few runs. What the probe changes is so in each.
        let depends_on_time = || (0..4).any(|_| bare() != counted);
        if depends_on_time() {
            continue;
        }
        let under_the_probe = recorded();
        let is_alike = || under_the_probe == counted || (0..4).any(|_| recorded() == counted);
        if !is_alike() {
            assert!(depends_on_time(), "{}: {under_the_probe}, not {counted}", jdk.home.display());
            continue;
        }
        alike += 1;
    }
    if alike > 0 { Ok(()) } else { Err(Missing("no JVM that enters the same methods twice".to_owned())) }
}

tests! { a_debugger_does_its_work_under_the_probe_on_every_jdk, a_java_agent_retransforms_under_the_probe_on_every_jdk, the_same_methods_are_entered_under_the_probe }
