//! A page as a flat sequence of blocks, which is the same for both layouts of the published HTML.

use scraper::{ElementRef, Html, Node, Selector};

/// Nesting depth beyond which elements are ignored; no real page comes near it.
const DEEPEST: usize = 200;

/// A page.
pub(super) struct Page {
    /// Its title, with white space collapsed.
    pub title: String,
    /// Its blocks, in order.
    pub blocks: Vec<Block>,
}

/// A block of the page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    /// An anchor that links can target.
    Anchor(String),
    /// A heading.
    Heading(String),
    /// Preformatted text, unchanged.
    Pre(String),
    /// A row of a table, or a part of a caption.
    Row(Vec<Cell>),
    /// An item of a list, or a term of a definition list.
    Item(Cell),
    /// Running text.
    Text(String),
}

/// A cell or list item.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Cell {
    /// Its text, with white space collapsed.
    pub text: String,
    /// The anchors in the page that it links to, without `#`.
    pub links: Vec<String>,
}

impl Page {
    pub(super) fn parse(html: &str) -> Page {
        let document = Html::parse_document(html);
        let mut blocks = Vec::new();
        walk(document.root_element(), 0, &mut blocks);
        let title = Selector::parse("title").ok().and_then(|title| document.select(&title).next().map(text));
        Page { title: title.unwrap_or_default(), blocks }
    }
}

fn walk(element: ElementRef<'_>, depth: usize, blocks: &mut Vec<Block>) {
    if depth > DEEPEST {
        return;
    }
    let value = element.value();
    let name = value.attr("name").filter(|_| value.name() == "a");
    if let Some(anchor) = value.id().or(name) {
        blocks.push(Block::Anchor(anchor.into()));
    }
    let class = value.attr("class").unwrap_or_default();
    match value.name() {
        "head" | "script" | "style" => {}
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => blocks.push(Block::Heading(text(element))),
        "pre" => blocks.push(Block::Pre(element.text().collect())),
        "li" | "dt" if is_flat(element) => blocks.push(Block::Item(cell(element))),
        "tr" if is_flat(element) => row(element, |name, _| matches!(name, "td" | "th"), blocks),
        "div" if class.contains("divTableRow") && is_flat(element) => {
            row(element, |_, class| class.contains("divTableCell"), blocks);
        }
        // A caption of several parts becomes a row for each part, as in the older layout.
        "caption" if element.child_elements().any(|e| e.value().name() == "div") => {
            blocks.extend(element.child_elements().map(|part| Block::Row(vec![cell(part)])));
        }
        "caption" => blocks.push(Block::Row(vec![cell(element)])),
        // The caption of a table without rows is the only block.
        "div" if matches!(class, "captionTitle" | "captionDescr") => {
            blocks.push(Block::Row(vec![cell(element)]))
        }
        _ => {
            for child in element.children() {
                match child.value() {
                    Node::Text(text) if !text.trim().is_empty() => blocks.push(Block::Text(collapse(text))),
                    _ => {
                        if let Some(child) = ElementRef::wrap(child) {
                            walk(child, depth + 1, blocks);
                        }
                    }
                }
            }
        }
    }
}

fn row(element: ElementRef<'_>, is_cell: impl Fn(&str, &str) -> bool, blocks: &mut Vec<Block>) {
    let cells = element
        .child_elements()
        .filter(|e| is_cell(e.value().name(), e.value().attr("class").unwrap_or_default()))
        .map(cell)
        .collect();
    blocks.push(Block::Row(cells));
}

/// Whether it contains no other block: the older layout puts callbacks and types into tables.
fn is_flat(element: ElementRef<'_>) -> bool {
    let nested = |e: &ElementRef<'_>| matches!(e.value().name(), "pre" | "table" | "ul" | "dl");
    !element.descendent_elements().skip(1).any(|e| nested(&e))
}

fn cell(element: ElementRef<'_>) -> Cell {
    let links = element.descendent_elements().filter_map(|e| e.value().attr("href")?.strip_prefix('#'));
    Cell { text: text(element), links: links.map(str::to_string).collect() }
}

fn text(element: ElementRef<'_>) -> String {
    collapse(&element.text().collect::<String>())
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
