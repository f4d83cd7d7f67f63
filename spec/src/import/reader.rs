//! Collects the facts of an edition from a page's blocks, in one pass.

use super::declaration::{Declaration, Typed, declarations};
use super::page::{Block, Cell};
use super::sentences::{described, phases};
use crate::edition::*;
use crate::{Edition, Release, ctype};

/// Reads all blocks.
pub(super) fn read(release: Release, blocks: &[Block]) -> Edition {
    let mut reader = Reader::new(release);
    for (at, block) in blocks.iter().enumerate() {
        reader.block(block, blocks.get(at + 1));
    }
    reader.finish()
}

/// The item that the current blocks describe.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    None,
    /// Between a chapter's heading and its first function.
    Chapter,
    Function,
    Event,
    Callback,
}

/// The kind of the current rows.
#[derive(Clone, Copy, PartialEq)]
enum Table {
    None,
    Overview,
    RequiredCapabilities,
    OptionalCapabilities,
    EventEnabling,
    Parameters,
    Errors,
    Constants,
    CapabilityBits,
}

/// An error row and its links, kept until the null rules of the parameters are known.
struct LinkedRow {
    row: ErrorRow,
    links: Vec<String>,
}

struct Reader {
    edition: Edition,
    section: Section,
    table: Table,
    anchor: String,
    heading: String,
    error_group: Option<ErrorGroup>,
    /// Whether the current list is that of the events that cannot be controlled for one thread.
    global_list: bool,
    global_events: Vec<String>,
    rows: Vec<LinkedRow>,
}

impl Reader {
    fn new(release: Release) -> Self {
        let edition = Edition {
            release,
            chapters: Vec::new(),
            functions: Vec::new(),
            events: Vec::new(),
            capabilities: Vec::new(),
            errors: Vec::new(),
            constants: Vec::new(),
            callbacks: Vec::new(),
            structs: Vec::new(),
        };
        Reader {
            edition,
            section: Section::None,
            table: Table::None,
            anchor: String::new(),
            heading: String::new(),
            error_group: None,
            global_list: false,
            global_events: Vec::new(),
            rows: Vec::new(),
        }
    }

    fn block(&mut self, block: &Block, next: Option<&Block>) {
        match block {
            Block::Anchor(anchor) => self.anchor.clone_from(anchor),
            Block::Heading(heading) => self.heading(heading, next),
            Block::Pre(text) => declarations(text).into_iter().for_each(|d| self.declared(d)),
            Block::Row(cells) => self.row(cells),
            Block::Item(item) => self.item(item),
            Block::Text(text) => self.text(text),
        }
    }

    fn heading(&mut self, heading: &str, next: Option<&Block>) {
        self.table = Table::None;
        self.heading = heading.into();
        self.error_group = match heading {
            "Universal Errors" => Some(ErrorGroup::Universal),
            "Function Specific Required Errors" => Some(ErrorGroup::FunctionRequired),
            "Function Specific Agent Errors" => Some(ErrorGroup::FunctionAgent),
            _ => None,
        };
        let opens_chapter =
            matches!(next, Some(Block::Text(text)) if text.starts_with(&format!("{heading} functions:")));
        if opens_chapter {
            self.section = Section::Chapter;
            self.edition.chapters.push(Chapter {
                id: heading.to_lowercase().replace(['(', ')'], "").replace(' ', "-"),
                name: heading.into(),
                anchor: self.anchor.clone(),
                deprecated: false,
            });
        }
    }

    fn declared(&mut self, declaration: Declaration) {
        match declaration {
            Declaration::Function(name, params) => self.function(name, params),
            Declaration::Event(name, params) => self.event(name, params),
            Declaration::Callback(name, returns, params) => {
                if !name.starts_with("jvmtiEvent") {
                    self.callback(name, returns, params);
                }
            }
            Declaration::Struct(name, kind, fields) => {
                if !self.edition.structs.iter().any(|s| s.name == name) {
                    self.edition.structs.push(Struct { name, kind, fields });
                }
            }
        }
    }

    fn function(&mut self, name: String, params: Vec<Typed>) {
        self.settle_rows();
        let Some(chapter) = self.edition.chapters.last() else { return };
        let chapter = chapter.id.clone();
        self.section = Section::Function;
        self.edition.functions.push(Function {
            name,
            title: self.heading.clone(),
            chapter,
            slot: 0,
            since: String::new(),
            phases: Vec::new(),
            callback_safe: false,
            capabilities: Capabilities::default(),
            params: params.into_iter().map(param).collect(),
            errors: Vec::new(),
            thread_state_rule: None,
            heap_frozen: false,
            deprecated: false,
            preview_sensitive: false,
            mentions_virtual_threads: false,
        });
    }

    fn event(&mut self, name: String, params: Vec<Typed>) {
        self.settle_rows();
        self.section = Section::Event;
        self.edition.events.push(Event {
            name,
            title: self.heading.clone(),
            constant: String::new(),
            number: 0,
            since: String::new(),
            phases: Vec::new(),
            capabilities: Capabilities::default(),
            thread_filterable: true,
            callback_safe_only: false,
            params: params.into_iter().map(callback_param).collect(),
            preview_sensitive: false,
            mentions_virtual_threads: false,
        });
    }

    fn callback(&mut self, name: String, returns: String, params: Vec<Typed>) {
        self.section = Section::Callback;
        self.edition.callbacks.push(CallbackType {
            heap_callback: false,
            name,
            chapter: self.edition.chapters.last().map(|c| c.name.clone()).unwrap_or_default(),
            returns,
            params: params.into_iter().map(callback_param).collect(),
        });
    }

    fn text(&mut self, text: &str) {
        if text.contains("cannot be controlled at the thread level") {
            self.global_list = true;
        }
        match self.section {
            Section::Chapter if text.contains("deprecated") => {
                self.edition.chapters.last_mut().into_iter().for_each(|c| c.deprecated = true);
            }
            Section::Event if text.contains("must not use JNI functions") => {
                self.edition.events.last_mut().into_iter().for_each(|e| e.callback_safe_only = true);
            }
            Section::Callback if text.contains("heap callback function restrictions") => {
                self.edition.callbacks.last_mut().into_iter().for_each(|c| c.heap_callback = true);
            }
            _ => {}
        }
    }

    fn item(&mut self, item: &Cell) {
        if self.global_list {
            self.global_events.extend(item.links.first().cloned());
        }
        // `JVMTI_ERROR_NONE (0)`
        let Some(group) = self.error_group else { return };
        let Some((name, number)) = item.text.strip_prefix("JVMTI_ERROR_").and_then(|t| t.split_once(" ("))
        else {
            return;
        };
        if let Ok(number) = number.trim_end_matches(')').parse() {
            self.edition.errors.push(ErrorCode { name: name.into(), number, group });
        }
    }

    fn row(&mut self, cells: &[Cell]) {
        self.global_list = false;
        let texts: Vec<&str> = cells.iter().map(|c| c.text.as_str()).collect();
        match texts.as_slice() {
            [title] => self.title(title),
            ["Phase", ..] => self.table = Table::Overview,
            ["Constant", "Value", "Description"] => {
                self.table = Table::Constants;
                let group = ConstantGroup { name: self.anchor.clone(), constants: Vec::new() };
                self.edition.constants.push(group);
            }
            ["Field", "Description", "Since"] => self.table = Table::CapabilityBits,
            ["Field", ..] => self.table = Table::None,
            ["Name", "Type", ..] | ["Error", ..] | ["Capability", ..] => {}
            _ => self.content(cells),
        }
    }

    /// A row of one cell, or a part of a caption: it determines the kind of the following rows.
    fn title(&mut self, title: &str) {
        self.table = match title {
            "Parameters" => Table::Parameters,
            "Errors" => Table::Errors,
            "Optional Features" => Table::OptionalCapabilities,
            "Event Enabling Capabilities" => Table::EventEnabling,
            _ if title.starts_with("Required Functionality") => {
                if let Some(capabilities) = self.capabilities() {
                    capabilities.mandatory = true;
                }
                Table::None
            }
            _ if title.starts_with("Optional Functionality") => Table::RequiredCapabilities,
            // The sentence before the rows of an error table.
            _ if self.table == Table::Errors && title.starts_with("This function") => Table::Errors,
            _ if self.table == Table::CapabilityBits => Table::CapabilityBits,
            _ => Table::None,
        };
    }

    fn capabilities(&mut self) -> Option<&mut Capabilities> {
        match self.section {
            Section::Function => self.edition.functions.last_mut().map(|f| &mut f.capabilities),
            Section::Event => self.edition.events.last_mut().map(|e| &mut e.capabilities),
            _ => None,
        }
    }

    fn content(&mut self, cells: &[Cell]) {
        let text = |at: usize| cells.get(at).map_or("", |c| c.text.as_str());
        match self.table {
            Table::Overview => self.overview(cells),
            Table::RequiredCapabilities | Table::OptionalCapabilities | Table::EventEnabling => {
                let (table, name) = (self.table, text(0).replace(' ', ""));
                let events = cells.get(1).map_or_else(Vec::new, |c| c.links.clone());
                let Some(capabilities) = self.capabilities() else { return };
                match table {
                    Table::RequiredCapabilities => capabilities.required.push(name),
                    Table::OptionalCapabilities => capabilities.optional.push(name),
                    _ => drop(capabilities.event_enabling.insert(name, events)),
                }
            }
            Table::Parameters if self.section == Section::Function => self.parameter(text(0), text(2)),
            Table::Parameters if self.section == Section::Callback => {}
            Table::Errors if self.section == Section::Function => self.error(cells),
            Table::Constants => self.constant(text(0), text(1)),
            Table::CapabilityBits => {
                let bit = self.edition.capabilities.len() as u16;
                let preview = text(1).contains("preview features");
                // Some releases print long names with a space as a line break opportunity.
                let (name, since) = (text(0).replace(' ', ""), text(2).to_string());
                self.edition.capabilities.push(Capability { name, bit, since, preview });
            }
            _ => {}
        }
    }

    fn overview(&mut self, cells: &[Cell]) {
        self.table = Table::None;
        let text = |at: usize| cells.get(at).map_or("", |c| c.text.as_str());
        match self.section {
            Section::Function => {
                let Some(f) = self.edition.functions.last_mut() else { return };
                f.phases = phases(text(0));
                f.callback_safe = !text(1).starts_with("No");
                f.slot = text(2).parse().unwrap_or_default();
                f.since = text(3).into();
            }
            Section::Event => {
                let Some(e) = self.edition.events.last_mut() else { return };
                e.phases = phases(text(0));
                e.constant = text(1).into();
                e.number = text(2).parse().unwrap_or_default();
                e.since = text(4).into();
            }
            _ => {}
        }
    }

    fn parameter(&mut self, name: &str, description: &str) {
        let Some(f) = self.edition.functions.last_mut() else { return };
        let Some(p) = f.params.iter_mut().find(|p| p.name == name) else { return };
        let read = described(name, &p.c_type, description);
        p.dir = read.dir.unwrap_or(p.dir);
        p.count = read.count;
        p.local_ref = read.local_ref;
        p.local_ref_fields = read.local_ref_fields;
        p.alloc_fields = read.alloc_fields;
        if read.null_means {
            p.null = NullRule::Means { meaning: String::new(), unless: None };
        }
    }

    fn error(&mut self, cells: &[Cell]) {
        let Some(error) = cells.first().and_then(|c| c.text.strip_prefix("JVMTI_ERROR_")) else { return };
        let links = cells.get(1).map_or_else(Vec::new, |c| c.links.clone());
        let tail = |prefix: &str| links.iter().find_map(|link| link.strip_prefix(prefix));
        let function = self.edition.functions.last().map(|f| format!("{}.", f.name)).unwrap_or_default();
        let condition = match error {
            "NULL_POINTER" => tail(&function).map(|param| format!("null_pointer:{param}")),
            "MUST_POSSESS_CAPABILITY" => {
                tail("jvmtiCapabilities.").map(|capability| format!("must_possess_capability:{capability}"))
            }
            _ => None,
        };
        let row = ErrorRow { error: error.into(), conditions: condition.into_iter().collect() };
        self.rows.push(LinkedRow { row, links });
    }

    fn constant(&mut self, name: &str, value: &str) {
        let all = || self.edition.constants.iter().flat_map(|g| &g.constants);
        let term = |term: &str| match term.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => term.parse().ok().or_else(|| all().find(|c| c.name == term).map(|c| c.value)),
        };
        let value = value.split('|').try_fold(0, |sum, t| Some(sum | term(t.trim())?));
        if let (Some(value), Some(group)) = (value, self.edition.constants.last_mut()) {
            group.constants.push(Constant { name: name.into(), value });
        }
    }

    /// Ends the current function: its error rows determine the error for each null argument.
    fn settle_rows(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let Some(f) = self.edition.functions.last_mut().filter(|_| !rows.is_empty()) else { return };
        for p in &mut f.params {
            let anchor = format!("{}.{}", f.name, p.name);
            let names_it = |row: &&LinkedRow| row.links.contains(&anchor);
            // A row may also mention another parameter; the first one is the one that is null.
            let null = format!("null_pointer:{}", p.name);
            let refused = rows.iter().find(|row| row.row.conditions.contains(&null));
            match (&mut p.null, refused) {
                (NullRule::Means { unless, .. }, Some(row)) => {
                    *unless = Some(NullUnless { error: row.row.error.clone(), when: String::new() });
                }
                (NullRule::Means { .. }, None) => {}
                (null, Some(row)) => *null = NullRule::Forbidden { error: row.row.error.clone() },
                (null, None) => {
                    let guarded = ctype::invalid_error(&p.c_type).is_some();
                    let guard =
                        rows.iter().find(|row| row.row.error.starts_with("INVALID_") && names_it(row));
                    if let Some(row) = guard.filter(|_| guarded) {
                        *null = NullRule::InvalidReference { error: row.row.error.clone() };
                    }
                }
            }
        }
        f.errors = rows.into_iter().map(|row| row.row).collect();
    }

    fn finish(mut self) -> Edition {
        self.settle_rows();
        let mut edition = self.edition;
        // Event handlers in examples look like events but have no table.
        edition.events.retain(|event| !event.constant.is_empty());
        for event in &mut edition.events {
            event.thread_filterable = !self.global_events.contains(&event.name);
        }
        let deprecated = |id: &str| edition.chapters.iter().any(|c| c.id == id && c.deprecated);
        let flags: Vec<bool> = edition.functions.iter().map(|f| deprecated(&f.chapter)).collect();
        edition.functions.iter_mut().zip(flags).for_each(|(f, is)| f.deprecated = is);
        edition
    }
}

fn param(typed: Typed) -> Param {
    let kind = ctype::kind(&typed.c_type);
    let null = match ctype::invalid_error(&typed.c_type) {
        Some(error) => NullRule::InvalidReference { error: error.into() },
        None => NullRule::Inapplicable,
    };
    Param {
        dir: ctype::usual_direction(&typed.c_type, false),
        name: typed.name,
        c_type: typed.c_type,
        kind,
        count: None,
        null,
        returns_null_when: None,
        local_ref: false,
        local_ref_fields: Vec::new(),
        alloc_fields: Vec::new(),
    }
}

fn callback_param(typed: Typed) -> EventParam {
    EventParam { kind: ctype::kind(&typed.c_type), name: typed.name, c_type: typed.c_type, null_when: None }
}
