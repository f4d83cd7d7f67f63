//! What the pages suppose that their reader has: JDKs, an agent, a program, earlier results.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::fixture::fixture;
use crate::support::pages::{pages, top};
use crate::support::sandbox::{Sandbox, said};
use crate::support::trials::{Missing, Tested};

/// A JVM of this machine.
pub struct Installed {
    release: u16,
    home: PathBuf,
}

/// The JVMs of this machine, the oldest release first; at least one.
pub fn installed() -> Result<Vec<Installed>, Missing> {
    crate::support::jdks()?;
    let place = Sandbox::new();
    let output = place.run(&["jdks", "--json"]);
    assert!(output.status.success(), "{}", said(&output));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let jvms = told.as_array().unwrap().iter().map(|one| &one["jvm"]);
    let read = |jvm: &serde_json::Value| Installed {
        release: u16::try_from(jvm["release"].as_u64().unwrap()).unwrap(),
        home: PathBuf::from(jvm["home"].as_str().unwrap()),
    };
    let mut all: Vec<Installed> = jvms.map(read).collect();
    all.sort_by_key(|one| one.release);
    Ok(all)
}

/// The folder in which a reader types the commands of a page.
pub struct Reader<'i> {
    pub place: Sandbox,
    pub installed: &'i [Installed],
}

/// Something that is there before the first command that names it.
pub struct Supposed {
    /// What a command contains that needs it, on pages whose name contains `on`.
    pub named: &'static str,
    pub on: &'static str,
    pub make: fn(&Reader<'_>) -> Tested,
}

const fn any(named: &'static str, make: fn(&Reader<'_>) -> Tested) -> Supposed {
    Supposed { named, on: "", make }
}

pub const SUPPOSED: [Supposed; 17] = [
    any("opt/jdk", |reader| {
        reader.jdk("opt/jdk-25", reader.newest())?;
        reader.jdk("opt/jdk-17", &reader.installed[0])?;
        reader.jdk("opt/jdk", reader.newest())
    }),
    any("~/jdks/25", |reader| reader.jdk("../home/jdks/25", reader.newest())),
    any("build/jdk", |reader| reader.jdk("build/jdk", reader.newest())),
    // `ci/score`, which makes this JVM, has tests of its own.
    any("--jdk mutant", |reader| reader.jdk("mutant", reader.newest())),
    any("./libfoo.so", |reader| fixture("foo", &reader.folder()).map(drop)),
    any("./libmisuse.so", |reader| fixture("misuse", &reader.folder()).map(drop)),
    any("./libbusy.so", |reader| fixture("busy", &reader.folder()).map(drop)),
    any("app.jar", app),
    // `ci/agents` writes this case, and downloads an agent for it.
    any("agents/async-profiler.yaml", |reader| {
        fixture("foo", &reader.folder())?;
        let case =
            "about: an agent of others\nagents: [../libfoo.so]\nprogram: [-version]\nexpect: {exit: 0}\n";
        reader.write("agents/async-profiler.yaml", case)
    }),
    any("old/results.json", |reader| {
        reader.do_first("jvmti-check run GetPhase --jdk \"$JAVA_HOME\" --out old && cp -r old new")
    }),
    any("baseline/results.json", |reader| reader.do_first("cp -r report baseline")),
    // Those of the source tree are results of all cases on many JVMs; tests/published.rs reads them.
    any("reports/published", |reader| {
        reader.do_first("jvmti-check run GetPhase --jdk \"$JAVA_HOME\" --out one")?;
        reader.do_first("jvmti-check report one/results.json --publish reports/published")
    }),
    any("known update", |reader| reader.link("cases")),
    Supposed {
        named: "my-cases/",
        on: "writing-cases",
        make: |reader| reader.write("my-cases/names.yaml", &from_guide("- id: names/main")),
    },
    any("Mine.java", |reader| {
        javac(reader)?;
        reader.write("Mine.java", &from_guide("class Mine"))
    }),
    any("Mine.java", |reader| reader.write("my-cases/scenarios.yaml", &from_guide("- name: Mine"))),
    any("Mine.java", |reader| reader.write("my-cases/mine.yaml", &from_guide("- id: my/mine/new"))),
];

/// The block of docs/writing-cases.md with this text.
fn from_guide(with: &str) -> String {
    let pages = pages();
    let guide = pages.iter().find(|page| page.name == "docs/writing-cases.md").unwrap();
    let blocks = guide.text.split("\n```").skip(1).step_by(2);
    let block = blocks.into_iter().find(|block| block.contains(with));
    let block = block.unwrap_or_else(|| panic!("no block of docs/writing-cases.md has {with:?}"));
    // The first line names the language.
    block.split_once('\n').unwrap().1.to_owned() + "\n"
}

const MAIN: &str = "
public class Main {
    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(\"worker\");
        thread.start();
        thread.join();
    }
}";

fn javac(reader: &Reader<'_>) -> Result<(PathBuf, u16), Missing> {
    let mut tools = reader.installed.iter().rev().map(|jdk| (jdk.home.join("bin"), jdk.release));
    let found = tools.find(|(bin, _)| bin.join("javac").is_file() && bin.join("jar").is_file());
    found.ok_or_else(|| Missing("no JDK with javac".to_owned()))
}

fn app(reader: &Reader<'_>) -> Tested {
    let (bin, release) = javac(reader)?;
    reader.write("Main.java", MAIN)?;
    let oldest = reader.installed[0].release;
    // The javac of release 8 has no such option.
    let options = if release > 8 { format!("--release {oldest} -Xlint:-options") } else { String::new() };
    let bin = bin.display();
    reader.do_first(&format!("'{bin}/javac' {options} Main.java && '{bin}/jar' cf app.jar Main.class"))
}

impl<'i> Reader<'i> {
    pub fn new(installed: &'i [Installed]) -> Reader<'i> {
        let reader = Reader { place: Sandbox::new(), installed };
        for folder in [reader.folder(), reader.place.path().join("home")] {
            std::fs::create_dir(folder).unwrap();
        }
        reader
    }

    pub fn folder(&self) -> PathBuf {
        self.place.path().join("here")
    }

    fn newest(&self) -> &Installed {
        self.installed.last().unwrap()
    }

    /// A shell that knows the program as somebody does who has installed it, and a JDK.
    pub fn shell(&self, line: &str) -> Command {
        let java_home = &self.newest().home;
        let program = Path::new(env!("CARGO_BIN_EXE_jvmti-check")).parent().unwrap().to_owned();
        let outside = std::env::var_os("PATH").unwrap_or_default();
        let places = [program, java_home.join("bin")].into_iter().chain(std::env::split_paths(&outside));
        let mut shell = self.place.inside(Command::new("sh"));
        // No dump of a JVM that is to abort.
        shell.args(["-ec", &format!("ulimit -c 0\n{line}")]).current_dir(self.folder());
        shell.env("PATH", std::env::join_paths(places).unwrap()).env("HOME", self.place.path().join("home"));
        shell.env("JAVA_HOME", java_home);
        shell
    }

    fn do_first(&self, line: &str) -> Tested {
        let output = self.shell(line).output().unwrap();
        assert!(output.status.success(), "{line}:\n{}", said(&output));
        Ok(())
    }

    fn write(&self, file: &str, text: &str) -> Tested {
        let path = self.folder().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        Ok(())
    }

    /// A part of the source tree.
    fn link(&self, name: &str) -> Tested {
        symlink(top().join(name).canonicalize().unwrap(), self.folder().join(name)).unwrap();
        Ok(())
    }

    /// A JDK at this place: a folder, because recordings have the name of the folder, with links to what is in the real one.
    fn jdk(&self, at: &str, real: &Installed) -> Tested {
        let home = self.folder().join(at);
        std::fs::create_dir_all(&home).unwrap();
        for entry in std::fs::read_dir(&real.home).unwrap().map(|entry| entry.unwrap()) {
            symlink(entry.path(), home.join(entry.file_name())).unwrap();
        }
        Ok(())
    }
}
