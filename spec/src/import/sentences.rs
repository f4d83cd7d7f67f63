//! Reads the sentences that the generator of the page makes from the properties of a parameter, and its few fixed
//! phrases.

use crate::edition::{Dir, Phase};

/// The phases that the "Phase" cell of a function or event names.
pub(super) fn phases(cell: &str) -> Vec<Phase> {
    let words: Vec<String> =
        cell.to_lowercase().split(|c: char| !c.is_alphanumeric()).map(str::to_string).collect();
    let named = |name: &str| words.iter().any(|word| word == name);
    if named("any") {
        return Phase::ALL.to_vec();
    }
    Phase::ALL.into_iter().filter(|phase| named(phase.name())).collect()
}

/// The properties that the description of a parameter states in addition to its meaning.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Described {
    pub dir: Option<Dir>,
    pub count: Option<String>,
    /// Whether a null argument means something.
    pub null_means: bool,
    pub local_ref: bool,
    pub local_ref_fields: Vec<String>,
    pub alloc_fields: Vec<String>,
}

/// Reads the description of the parameter with that name and C type.
pub(super) fn described(name: &str, c_type: &str, text: &str) -> Described {
    let passes = text.find("Agent passes").map(|at| &text[at..]);
    Described {
        dir: direction(c_type, passes),
        count: passes.and_then(count),
        null_means: null_means(name, c_type, text),
        local_ref: text.split(". ").any(|s| s.contains(" returned by ") && s.contains("JNI local reference")),
        local_ref_fields: fields(text, "JNI local reference"),
        alloc_fields: fields(text, "newly allocated"),
    }
}

fn direction(c_type: &str, passes: Option<&str>) -> Option<Dir> {
    if !c_type.ends_with('*') {
        return Some(Dir::In);
    }
    // Without a generated sentence the VM writes nothing through the pointer, except to untyped storage.
    let Some(text) = passes else { return Some(if c_type == "void**" { Dir::Out } else { Dir::InPtr }) };
    let says = |phrase: &str| text.contains(phrase);
    Some(if says("each element of which is also newly allocated") {
        Dir::OutAllocAlloc
    } else if says("points to a newly allocated") {
        Dir::OutAlloc
    } else if says("large enough to hold") {
        Dir::OutBuf
    } else if says("has been set") {
        Dir::Out
    } else if says("passes in an array of") {
        if says(" elements of ") { Dir::InBuf } else { Dir::InString }
    } else if says("passes in a pointer to") {
        Dir::InPtr
    } else if says("passes in a pointer") {
        Dir::InOpaque
    } else if says("passes an array of") {
        Dir::InPtr
    } else {
        return None;
    })
}

fn count(text: &str) -> Option<String> {
    let word_after = |phrase: &str| {
        let rest = &text[text.find(phrase)? + phrase.len()..];
        let word = rest.split([' ', ',']).next()?.trim_end_matches('.');
        (!word.is_empty()).then(|| word.to_string())
    };
    if let Some(size) = word_after("allocated array of size ") {
        return Some(size);
    }
    if !text.contains(" elements of ") {
        return None;
    }
    word_after("large enough to hold ").or_else(|| word_after("passes in an array of "))
}

/// "If x is null, …", in any of the wordings that the releases use.
fn null_means(name: &str, c_type: &str, text: &str) -> bool {
    let lower = text.to_lowercase();
    let name = name.to_lowercase();
    let explicit = ["null", "a null"].iter().any(|null| lower.contains(&format!("if {name} is {null}")));
    // For a pointer this describes the output.
    let value =
        !c_type.ends_with('*') && ["or null.", "or a null pointer."].iter().any(|or| lower.contains(or));
    explicit || value
}

/// `Struct.field` of each sentence of the form "… in the field f of S … <what>".
fn fields(text: &str, what: &str) -> Vec<String> {
    let named = |sentence: &str| {
        let rest = sentence.split_once("returned in the field ")?.1;
        let mut words = rest.split_whitespace();
        let field = words.next()?;
        (words.next()? == "of").then_some(())?;
        Some(format!("{}.{field}", words.next()?))
    };
    text.split(". ").filter(|sentence| sentence.contains(what)).filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_are_read_in_every_wording() {
        assert_eq!(
            phases("may only be called during the OnLoad or the live phase"),
            [Phase::OnLoad, Phase::Live]
        );
        assert_eq!(phases("may be called during any phase"), Phase::ALL);
        assert_eq!(phases("sent during the start or live phase"), [Phase::Start, Phase::Live]);
    }

    #[test]
    fn generated_sentences_give_direction_and_count() {
        let text = "Xs. Agent passes a pointer to a x*. On return, the x* points to a newly allocated array of \
                    size *n_ptr. The array should be freed with Deallocate. The objects returned in the field f of \
                    S are JNI local references and must be managed.";
        let read = described("xs", "x**", text);
        assert_eq!((read.dir, read.count.as_deref()), (Some(Dir::OutAlloc), Some("*n_ptr")));
        assert_eq!(read.local_ref_fields, ["S.f"]);
        assert!(!read.local_ref && !read.null_means);
        let read = described("list", "const x*", "Agent passes in an array of n elements of x.");
        assert_eq!((read.dir, read.count.as_deref()), (Some(Dir::InBuf), Some("n")));
        assert!(described("t", "x", "The x. If t is NULL, the current x is used.").null_means);
    }
}
