//! Expectations on the events sent to a case's environments, judged as the events come by.
//!
//! An event whose conditions refer to something not said yet waits, and all later ones behind it.

use std::collections::VecDeque;

use jvmti_cases::model::{CountBetween, EventExpectation, EventPattern, Exactly, Matcher};
use jvmti_wire::value::{ObjectId, Value};
use rustc_hash::FxHashSet;

use super::references::Scope;
use super::truth::{Cause, Truth};

/// A thread, as well as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ThreadKey {
    Object(ObjectId),
    Native(u32),
}

/// One event sent to one of the case's environments.
pub(super) struct Seen {
    pub seq: u64,
    pub thread: ThreadKey,
    pub environment: u8,
    pub event: u16,
    pub args: Vec<Value>,
}

/// A pattern with the state of its `after` conditions.
struct Pattern<'a> {
    pattern: &'a EventPattern,
    after: Option<Box<Pattern<'a>>>,
    /// Whether the `after` condition, if any, has come.
    open: bool,
}

impl<'a> Pattern<'a> {
    fn new(pattern: &'a EventPattern) -> Self {
        let after = pattern.after.as_deref().map(|p| Box::new(Pattern::new(p)));
        Pattern { pattern, open: after.is_none(), after }
    }

    fn cares_for(&self, event: u16) -> bool {
        self.pattern.event.is_none_or(|e| e == event)
            || self.after.as_ref().is_some_and(|after| after.cares_for(event))
    }

    /// Whether the event matches, and whether that could be decided at all.
    fn check(&self, seen: &Seen, scope: &Scope<'_>) -> Truth {
        if !self.open {
            // The event may open the pattern, but is not itself after.
            return match self.after.as_ref().map(|after| after.check(seen, scope)) {
                Some(Truth::Unknown(cause)) => Truth::Unknown(cause),
                _ => Truth::Fails,
            };
        }
        if self.pattern.event.is_some_and(|e| e != seen.event)
            || self.pattern.environment.is_some_and(|e| e != seen.environment)
        {
            return Truth::Fails;
        }
        scope.check_params(&self.pattern.params, &seen.args)
    }

    /// Remembers the event for `after` conditions.
    fn pass(&mut self, seen: &Seen, scope: &Scope<'_>) {
        if let Some(after) = &mut self.after
            && !self.open
        {
            self.open = after.check(seen, scope) == Truth::Holds;
            after.pass(seen, scope);
        }
    }
}

impl Scope<'_> {
    /// Whether the parameters satisfy all conditions, given by index.
    pub(super) fn check_params(&self, conditions: &[(u16, String, Matcher)], args: &[Value]) -> Truth {
        let mut unknown = None;
        for (i, _, matcher) in conditions {
            match args.get(usize::from(*i)).map_or(Truth::Fails, |value| self.check(matcher, value)) {
                Truth::Holds => {}
                Truth::Fails => return Truth::Fails,
                Truth::Unknown(cause) => unknown = Some(cause),
            }
        }
        unknown.map_or(Truth::Holds, Truth::Unknown)
    }
}

/// What a pattern is there for.
#[derive(Clone, Copy)]
enum Role {
    InOrder(usize),
    Never(usize),
    Count(usize),
    OfExactly(usize),
    Exactly(usize, usize),
    From(usize),
    To(usize),
    CountBetween(usize),
    First(usize),
    Second(usize),
}

/// State of an `exactly`.
#[derive(Clone, Default)]
pub(super) struct ExactSequence {
    /// How many of it have come.
    pub come: usize,
    /// The first event that was not its next one.
    pub odd: Option<String>,
}

/// State of a `between`.
#[derive(Clone, Copy, Default)]
pub(super) struct Interval {
    begun: bool,
    /// Whether both its ends have come.
    pub closed: bool,
    /// How many events of the sort came in it.
    pub count: u64,
}

/// State of a `per_thread_before`.
#[derive(Default)]
pub(super) struct PerThread {
    second: FxHashSet<ThreadKey>,
    /// Whether an event of the first kind came after one of the second.
    pub broken: bool,
}

/// The event expectations of one case, each with what came of it so far.
pub(super) struct Watch<'a> {
    patterns: Vec<(Role, Pattern<'a>)>,
    waiting: VecDeque<Seen>,
    /// The patterns that the event at hand matches.
    hits: Vec<usize>,
    pub in_order: &'a [EventPattern],
    /// How many of the `in_order` patterns have come.
    pub come: usize,
    /// How many of those came that must never come.
    pub never: Vec<(&'a EventPattern, u64)>,
    pub counts: Vec<(&'a (EventPattern, Matcher), u64)>,
    pub sequences: Vec<(&'a Exactly, ExactSequence)>,
    pub intervals: Vec<(&'a CountBetween, Interval)>,
    pub per_thread: Vec<(&'a (EventPattern, EventPattern), PerThread)>,
    /// Why some event could not be decided.
    pub undecided: Option<Cause>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(e: &'a EventExpectation) -> Self {
        let mut patterns = Vec::new();
        let mut add = |role, pattern| patterns.push((role, Pattern::new(pattern)));
        e.in_order.iter().enumerate().for_each(|(i, p)| add(Role::InOrder(i), p));
        e.never.iter().enumerate().for_each(|(i, p)| add(Role::Never(i), p));
        e.counts.iter().enumerate().for_each(|(i, (p, _))| add(Role::Count(i), p));
        for (i, exactly) in e.exactly.iter().enumerate() {
            exactly.of.iter().for_each(|p| add(Role::OfExactly(i), p));
            exactly.are.iter().enumerate().for_each(|(n, p)| add(Role::Exactly(i, n), p));
        }
        for (i, between) in e.between.iter().enumerate() {
            add(Role::CountBetween(i), &between.of);
            add(Role::To(i), &between.to);
            add(Role::From(i), &between.from);
        }
        for (i, (first, second)) in e.per_thread_before.iter().enumerate() {
            add(Role::First(i), first);
            add(Role::Second(i), second);
        }
        Watch {
            patterns,
            waiting: VecDeque::new(),
            hits: Vec::new(),
            in_order: &e.in_order,
            come: 0,
            never: e.never.iter().map(|of| (of, 0)).collect(),
            counts: e.counts.iter().map(|of| (of, 0)).collect(),
            sequences: e.exactly.iter().map(|of| (of, ExactSequence::default())).collect(),
            intervals: e.between.iter().map(|of| (of, Interval::default())).collect(),
            per_thread: e.per_thread_before.iter().map(|of| (of, PerThread::default())).collect(),
            undecided: None,
        }
    }

    /// Whether any pattern is about this event.
    pub(super) fn cares_for(&self, event: u16) -> bool {
        self.patterns.iter().any(|(_, p)| p.cares_for(event))
    }

    /// Takes the next event.
    pub(super) fn offer(&mut self, seen: Seen, scope: Scope<'_>) {
        if !self.waiting.is_empty() || !self.apply(&seen, scope, false) {
            self.waiting.push_back(seen);
        }
    }

    /// Whether events wait for something to be said.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Tries again to decide what waits.
    pub(super) fn settle(&mut self, scope: Scope<'_>) {
        self.drain(scope, false);
    }

    /// Decides what still waits; nothing more will be said.
    pub(super) fn finish(&mut self, scope: Scope<'_>) {
        self.drain(scope, true);
    }

    fn drain(&mut self, scope: Scope<'_>, last: bool) {
        while let Some(seen) = self.waiting.pop_front() {
            if !self.apply(&seen, scope, last) {
                self.waiting.push_front(seen);
                break;
            }
        }
    }

    /// Applies the event to all patterns, unless some can't be decided yet.
    fn apply(&mut self, seen: &Seen, mut scope: Scope<'_>, last: bool) -> bool {
        scope.seq = seen.seq;
        self.hits.clear();
        let mut undecided = None;
        for (i, (_, pattern)) in self.patterns.iter().enumerate() {
            match pattern.check(seen, &scope) {
                Truth::Holds => self.hits.push(i),
                Truth::Fails => {}
                Truth::Unknown(cause) if cause.may_settle() && !last => return false,
                Truth::Unknown(cause) => undecided = Some(cause),
            }
        }
        if undecided.is_some() {
            self.undecided = undecided;
        }
        let before = self.come;
        for n in 0..self.hits.len() {
            self.hit(self.patterns[self.hits[n]].0, seen, before);
        }
        self.advance(seen, &scope);
        self.patterns.iter_mut().for_each(|(_, pattern)| pattern.pass(seen, &scope));
        true
    }

    /// Takes the event as the next one of each sequence that it is of the sort of.
    fn advance(&mut self, seen: &Seen, scope: &Scope<'_>) {
        let roles = || self.hits.iter().map(|n| self.patterns[*n].0);
        for (i, (_, sequence)) in self.sequences.iter_mut().enumerate() {
            if sequence.odd.is_some() || !roles().any(|role| matches!(role, Role::OfExactly(n) if n == i)) {
                continue;
            }
            let next = sequence.come;
            if roles().any(|role| matches!(role, Role::Exactly(n, place) if (n, place) == (i, next))) {
                sequence.come += 1;
            } else {
                sequence.odd = Some(scope.names.event_with(seen.event, &seen.args));
            }
        }
    }

    fn hit(&mut self, role: Role, seen: &Seen, before: usize) {
        match role {
            // One event stands for one of the sequence only.
            Role::InOrder(i) => self.come += usize::from(i == before && self.come == before),
            Role::Never(i) => self.never[i].1 += 1,
            Role::Count(i) => self.counts[i].1 += 1,
            Role::CountBetween(i) => {
                let interval = &mut self.intervals[i].1;
                interval.count += u64::from(interval.begun && !interval.closed);
            }
            // A sequence advances by itself.
            Role::OfExactly(_) | Role::Exactly(..) => {}
            Role::To(i) => self.intervals[i].1.closed |= self.intervals[i].1.begun,
            Role::From(i) => self.intervals[i].1.begun = true,
            Role::First(i) => {
                let state = &mut self.per_thread[i].1;
                state.broken |= state.second.contains(&seen.thread);
            }
            Role::Second(i) => {
                self.per_thread[i].1.second.insert(seen.thread);
            }
        }
    }
}
