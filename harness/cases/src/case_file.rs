//! Behaviour cases: a file of them, and one case of a file or of a rule.

mod environments;
mod layers;
pub(super) mod sequence;

use std::cell::Cell;
use std::collections::HashSet;

use jvmti_wire::plan::{Action, Handler};

use self::environments::environments;
pub use self::layers::Layers;
use self::sequence::Written;
use super::context::{Context, Fields};
use super::each::{self, Bindings};
use super::life;
use super::model::{Case, Environment, EventExpectation, EventPattern, Sharing, Source};
use super::releases::Releases;
use super::setting::Setting;
use super::step;
use super::trigger::TypedTrigger;
use super::yaml::{Node, Value};

/// Keys that a file sets for all its cases and each case may set for itself.
pub(super) const SHARED_KEYS: [&str; 16] = [
    "also_on",
    "apart",
    "chapter",
    "scenario",
    "releases",
    "capabilities",
    "environments",
    "events",
    "sharing",
    "runs",
    "undefined",
    "untimed",
    "vm_options",
    "cites",
    "at",
    "each",
];
/// Keys of a file besides: what it puts around the steps and handlers of each case, and the cases.
pub(super) const FILE_KEYS: [&str; 3] = ["steps", "handlers", "cases"];
/// Keys of a case.
pub(super) const CASE_KEYS: [&str; 10] = [
    "id",
    "about",
    "subject",
    "steps",
    "handlers",
    "occasion",
    "expect_events",
    "expect_facts",
    "life",
    "expect_life",
];

/// A case that isn't for the release read for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Inapplicable {
    /// Its id.
    pub id: String,
    /// What it is about.
    pub about: String,
    /// Chapter under which reports show it.
    pub chapter: String,
    /// Function or event that it is about.
    pub subject: Option<String>,
    /// Why it does not apply.
    pub reason: String,
}

/// What one written case comes to in one release.
pub enum Read {
    /// A case.
    Case(Box<Case>),
    /// Nothing, in this release.
    Inapplicable(Inapplicable),
}

/// The cases of a behaviour file.
pub fn cases(cx: &Context<'_>, root: &Node) -> Vec<Read> {
    let known: Vec<&str> = SHARED_KEYS.into_iter().chain(FILE_KEYS).collect();
    let Some(file) = cx.fields(root, "a case file", &known) else { return Vec::new() };
    let Some(list) = file.require(cx, "cases", "a case file") else { return Vec::new() };
    let layers = cx.list(list, "a list of cases").iter().map(|case| Layers::new(case, Some(root)));
    layers.flat_map(|layers| variants(cx, &layers).into_iter().chain(again(cx, layers))).collect()
}

/// Reads one case for the threads of another kind that `also_on` names.
fn again(cx: &Context<'_>, layers: Layers<'_>) -> Vec<Read> {
    let Some(node) = layers.get("also_on") else { return Vec::new() };
    match cx.text(node, "a kind of thread").as_deref() {
        Some("virtual") => variants(cx, &layers.on_virtual_thread()),
        Some("none") | None => Vec::new(),
        Some(other) => {
            cx.unknown(node.span, "kind of thread", other, ["virtual", "none"]);
            Vec::new()
        }
    }
}

/// Reads one case, or its variants.
fn variants(cx: &Context<'_>, layers: &Layers<'_>) -> Vec<Read> {
    let mut all = vec![Bindings::new()];
    for each in layers.all("each") {
        all = all.into_iter().flat_map(|before| each::combinations(&cx.binding(before), each)).collect();
    }
    all.into_iter().filter_map(|bindings| case(&cx.binding(bindings), layers.case, layers)).collect()
}

/// Reads one case.
fn case(cx: &Context<'_>, node: &Node, layers: &Layers<'_>) -> Option<Read> {
    let known: Vec<&str> = SHARED_KEYS.into_iter().chain(CASE_KEYS).chain(step::KEYS).collect();
    let fields = cx.fields(node, "a case", &known)?;
    body(cx, node, &fields, layers)
}

/// What a case says of itself, whether or not it applies.
pub struct Heading {
    id: String,
    about: String,
    chapter: String,
    subject: Option<String>,
}

impl Heading {
    /// The case does not apply.
    pub fn inapplicable(self, reason: String) -> Read {
        let Heading { id, about, chapter, subject } = self;
        Read::Inapplicable(Inapplicable { id, about, chapter, subject, reason })
    }
}

/// Reads what a case or rule says of itself.
pub fn heading(cx: &Context<'_>, node: &Node, fields: &Fields<'_>, layers: &Layers<'_>) -> Option<Heading> {
    let text = |key, expected| Some(cx.text(fields.require(cx, key, "a case")?, expected)?.into_owned());
    let (id, about) = (text("id", "an id")?, text("about", "one line of text")?);
    if id.contains(|c: char| c.is_whitespace() || c.is_control())
        && let Some(node) = fields.get("id")
    {
        let help = format!("write `{}`", id.split_whitespace().collect::<Vec<_>>().join("-"));
        cx.error_with_help(
            node.span,
            "an id has no spaces: commands and links take it as one word",
            Some(help),
        );
    }
    let Some(chapter) = layers.get("chapter") else {
        cx.error(node.span, "the case needs a `chapter`, its own or its file's");
        return None;
    };
    let chapter = cx.text(chapter, "a chapter")?.into_owned();
    let subject = fields.get("subject").and_then(|n| cx.text(n, "a function or event"));
    let (id, about) = layers.told(id, about);
    Some(Heading { id, about, chapter, subject: subject.map(|s| s.into_owned()) })
}

/// Reads one case whose keys have been checked.
pub fn body(cx: &Context<'_>, node: &Node, fields: &Fields<'_>, layers: &Layers<'_>) -> Option<Read> {
    let before = cx.findings();
    let heading = heading(cx, node, fields, layers)?;
    let releases = releases(cx, layers);
    if releases.is_empty() {
        if layers.is_on_virtual_thread() {
            return None;
        }
        cx.error(node.span, format!("no release is within {releases}"));
    }
    if !releases.contains(cx.edition.release) {
        let reason = format!("for Java {releases}");
        return Some(heading.inapplicable(reason));
    }
    let written = sequence::of(cx, layers);
    let bytecode_indices = Cell::new(false);
    let mut setting = Setting {
        cx,
        bytecode_indices: &bytecode_indices,
        scenario: scenario(cx, layers, releases),
        environments: environments(cx, layers),
        saved: Vec::new(),
        saved_anywhere: saved_names(cx, node, &written),
        expects_something: expects_something(node, &written),
        adds_capabilities: calls_any(node, &written, &["AddCapabilities", "RelinquishCapabilities"]),
        happening: None,
    };
    let mut case = described(&setting, node, heading, releases, layers)?;
    let at = layers.get("at").map(|at| setting.trigger(at).unwrap_or_else(TypedTrigger::unknown));
    steps(&mut setting, fields, at, &written, &mut case);
    for handler in layers.all("handlers").flat_map(|n| cx.list(n, "a list of handlers")) {
        let Some((handler, is_awaited)) = read_handler(&mut setting, handler) else { continue };
        case.awaited.extend(is_awaited.then_some(case.handlers.len() as u32));
        case.handlers.push(handler);
    }
    expectations(&setting, fields, &mut case);
    check(&setting, node, &case, cx.findings() > before);
    if let Some(expectation) =
        case.events.as_ref().filter(|_| !calls_any(node, &written, &["SetEventNotificationMode"]))
    {
        check_enabled(&setting, node, expectation);
    }
    if let Some(chapter) = layers.get("chapter") {
        cx.chapter(&case.chapter, chapter.span);
    }
    case.bytecode_indices = bytecode_indices.get();
    case.environments = setting.environments;
    case.subject = case.subject.or_else(|| subject(cx, node));
    (cx.findings() == before).then(|| Read::Case(Box::new(case)))
}

/// The case without what it does and expects.
fn described(
    setting: &Setting<'_, '_>,
    node: &Node,
    heading: Heading,
    releases: Releases,
    layers: &Layers<'_>,
) -> Option<Case> {
    let cx = setting.cx;
    let options = layers.all("vm_options").flat_map(|n| cx.texts(n, "an option"));
    let citations = layers.all("cites").flat_map(|n| setting.citations(Some(n)));
    let mut cited = HashSet::new();
    Some(Case {
        id: heading.id,
        about: heading.about,
        chapter: heading.chapter,
        subject: heading.subject,
        source: Source {
            file: cx.library.sources.file(node.span).name.clone(),
            line: cx.library.sources.line(node.span),
        },
        releases: (releases.first, releases.last),
        scenario: setting.scenario.map(|scenario| layers.scenario(&scenario.name)),
        sharing: sharing(cx, layers)?,
        apart: layers
            .get("apart")
            .and_then(|node| cx.text(node, "a name for the cases that share a JVM"))
            .filter(|name| !name.is_empty())
            .map(Into::into),
        repeats: repeats(cx, layers)?,
        undefined: layers.get("undefined").is_some_and(|node| cx.truth(node)),
        untimed: layers.get("untimed").is_some_and(|node| cx.truth(node)),
        vm_options: options.map(|(text, _)| text).collect(),
        cites: citations.filter(|id| cited.insert(id.clone())).collect(),
        ..Case::default()
    })
}

/// Reads what the case expects apart from the results of its steps.
fn expectations(setting: &Setting<'_, '_>, fields: &Fields<'_>, case: &mut Case) {
    case.events = fields.get("expect_events").and_then(|n| setting.event_expectation(n));
    let stated = |key| fields.get(key).and_then(|n| setting.fact_expectations(n)).unwrap_or_default();
    (case.occasion, case.facts) = (stated("occasion"), stated("expect_facts"));
    case.life = fields.get("life").and_then(|n| life::life(setting.cx, n));
    case.life_expected = fields.get("expect_life").and_then(|n| setting.life_expectation(n));
    if let Some(node) = fields.get("expect_life").filter(|_| fields.get("life").is_none()) {
        let help = "add `life: {options: [\"-agentpath:{probe}\"]}`".to_owned();
        setting.cx.error_with_help(node.span, "`expect_life` is for cases with `life`", Some(help));
    }
}

/// Checks that the case checks something. A faulty case may lack steps only since they are
/// faulty.
fn check(setting: &Setting<'_, '_>, node: &Node, case: &Case, is_faulty: bool) {
    let checks = !case.steps.is_empty() || !case.facts.is_empty();
    if !checks && case.events.is_none() && case.life_expected.is_none() && !is_faulty {
        setting.cx.error(
            node.span,
            "the case checks nothing: it has neither steps, `expect_events`, `expect_facts` nor `expect_life`",
        );
    }
}

fn steps<'a>(
    setting: &mut Setting<'_, 'a>,
    fields: &Fields<'_>,
    at: Option<TypedTrigger<'a>>,
    written: &[Written<'_>],
    case: &mut Case,
) {
    let own = ["call", "jni"].iter().find_map(|key| fields.get(key));
    if written.is_empty() {
        if own.is_some() {
            setting.step_of_case(fields, at.as_ref(), &mut case.steps);
        }
        return;
    }
    if let Some(stray) = own {
        setting.cx.error(stray.span, "a case has either `steps` or the one step's keys, not both");
    }
    let mut at = at;
    for step in written {
        let next = match &step.bindings {
            None => setting.step(step.node, at.as_ref(), &mut case.steps),
            Some(bindings) => {
                setting.binding(bindings.clone(), |inner| inner.step(step.node, at.as_ref(), &mut case.steps))
            }
        };
        at = next.or(at);
    }
}

/// A handler, and whether the case applies only if its trigger fires.
fn read_handler(setting: &mut Setting<'_, '_>, node: &Node) -> Option<(Handler, bool)> {
    let cx = setting.cx;
    let fields = cx.fields(node, "a handler", &["at", "times", "when", "do", "only", "given"])?;
    if !setting.is_for_function(&fields) || !setting.cx.is_given(&fields) {
        return None;
    }
    let moment = setting.trigger(fields.require(cx, "at", "a handler")?)?;
    setting.happening = moment.params;
    let list = fields.require(cx, "do", "a handler")?;
    let actions: Vec<Option<Action>> = cx
        .list(list, "a list of actions")
        .iter()
        .map(|node| {
            let fields = cx.fields(
                node,
                "an action",
                &["call", "with", "jni", "args", "reply", "keep", "dispose", "on", "env"],
            )?;
            let environment = match fields.get("env") {
                Some(node) => setting.environment(&cx.text(node, "an environment")?, node.span)?,
                None => 0,
            };
            setting.action(&fields, &moment, environment)
        })
        .collect();
    let times = fields.get("times").and_then(|n| cx.int(n, "a number of times"));
    let when = fields.get("when");
    if let Some(other) = when.filter(|node| node.as_str() != Some("it_comes")) {
        cx.expected(other, "`it_comes`");
    }
    let actions = actions.into_iter().collect::<Option<Vec<_>>>()?;
    if let Some(node) = when.filter(|_| !actions.iter().any(|action| matches!(action, Action::Call { .. }))) {
        cx.error(node.span, "a handler with `when` calls a function: other actions may leave no record");
    }
    Some((Handler { on: moment.trigger, times, actions }, when.is_some()))
}

/// The releases of the file and the case together.
pub fn releases(cx: &Context<'_>, layers: &Layers<'_>) -> Releases {
    let ranges = layers.all("releases").filter_map(|node| cx.releases(node));
    ranges.fold(layers.releases(), Releases::and)
}

fn scenario<'a>(
    cx: &Context<'a>,
    layers: &Layers<'_>,
    releases: Releases,
) -> Option<&'a super::catalogue::Scenario> {
    let node = layers.get("scenario").filter(|node| node.value != Value::Null)?;
    let scenario = cx.scenario(node)?;
    let first = releases.first.unwrap_or(jvmti_spec::Release(8));
    // A rule over threads or callers has none in releases that cannot run their scenario.
    let is_of_thread = ["thread", "calling"].iter().any(|name| cx.bound(name).is_some());
    if !is_of_thread && scenario.releases.first.is_some_and(|needed| needed > first) {
        let message = format!("scenario {} needs Java {}", scenario.name, scenario.releases);
        cx.error_with_help(
            node.span,
            message,
            Some(format!("limit the case by `releases: {}`", scenario.releases)),
        );
    }
    Some(scenario)
}

fn sharing(cx: &Context<'_>, layers: &Layers<'_>) -> Option<Sharing> {
    let Some(node) = layers.get("sharing") else {
        return Some(layers.get("apart").map_or(Sharing::default(), |_| Sharing::Jvm));
    };
    let name = cx.text(node, "what the case may share")?;
    match name.as_ref() {
        "scenario" => Some(Sharing::Scenario),
        "jvm" => Some(Sharing::Jvm),
        "nothing" => Some(Sharing::Nothing),
        _ => {
            cx.unknown(node.span, "sharing", &name, ["scenario", "jvm", "nothing"]);
            None
        }
    }
}

/// The largest number of scenario runs that a case may take.
const MOST_RUNS: i64 = 1_000;

/// How often the scenario runs again, from `runs`: how often it runs in all.
fn repeats(cx: &Context<'_>, layers: &Layers<'_>) -> Option<u32> {
    let Some(node) = layers.get("runs") else { return Some(0) };
    let runs: i64 = cx.int(node, "how many runs of its scenario the case takes")?;
    if !(1..=MOST_RUNS).contains(&runs) {
        cx.error(node.span, format!("`runs` is a number from 1 to {MOST_RUNS}"));
        return None;
    }
    if layers.get("scenario").is_none() {
        cx.error(node.span, "`runs` is for cases with a `scenario`");
        return None;
    }
    u32::try_from(runs - 1).ok()
}

/// Notes events that are awaited but never enabled.
fn check_enabled(setting: &Setting<'_, '_>, node: &Node, expectation: &EventExpectation) {
    let counted = expectation.counts.iter().map(|(pattern, _)| pattern);
    let awaited: Vec<&EventPattern> = expectation.in_order.iter().chain(counted).collect();
    for pattern in awaited.into_iter().filter(|pattern| pattern.event.is_some()) {
        let enabled = |e: &Environment| e.events.contains(&pattern.name);
        if !setting.environments.iter().any(enabled) {
            let at = node.get("expect_events").unwrap_or(node).span;
            let help = format!("add `{}` to `events`", pattern.name);
            setting.cx.error_with_help(at, format!("no environment enables {}", pattern.name), Some(help));
        }
    }
}

/// The function that the case's only or last call is of, when it doesn't say what it is about.
fn subject(cx: &Context<'_>, node: &Node) -> Option<String> {
    let id = node.get("id").and_then(Node::as_str)?;
    let id = cx.substituted(id);
    let first = id.split('#').next()?;
    let named = cx.edition.function(first).is_some() || cx.edition.event(first).is_some();
    named.then(|| first.to_owned())
}

/// The steps, and the case, which may have the keys of its one step.
fn nodes<'n>(node: &'n Node, written: &[Written<'n>]) -> impl Iterator<Item = &'n Node> {
    written.iter().map(|step| step.node).chain(std::iter::once(node))
}

fn saved_names(cx: &Context<'_>, node: &Node, written: &[Written<'_>]) -> Vec<String> {
    let case = Written { node, bindings: None };
    written.iter().chain([&case]).filter_map(|step| step.name(cx)).collect()
}

/// Whether the case says what it expects of anything, beyond that calls succeed.
fn expects_something(node: &Node, steps: &[Written<'_>]) -> bool {
    let of_whole = ["expect_events", "expect_facts", "expect_life"].iter().any(|key| node.get(key).is_some());
    let expects = |step: &Node| step.get("expect").is_some_and(|expect| expect.as_str() != Some("any"));
    // The case's own citations are not those of a step.
    of_whole
        || expects(node)
        || steps.iter().any(|step| expects(step.node) || step.node.get("cites").is_some())
}

fn calls_any(node: &Node, written: &[Written<'_>], functions: &[&str]) -> bool {
    nodes(node, written).filter_map(|step| step.get("call")?.as_str()).any(|name| functions.contains(&name))
}
