//! What a mutant does, in the language that `broken.c` reads: when it acts, and what it does then.

use std::fmt;

/// A function's entry or an event's callback that is replaced, the conditions under which it behaves differently, and how.
/// An empty one breaks nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mutation(Vec<(&'static str, Vec<i64>)>);

/// A place in what a function writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The argument that leads to it; the environment is 0.
    pub(crate) argument: i64,
    /// How often what it points to is followed.
    pub(crate) dereferences: i64,
    /// Bytes from there.
    pub(crate) offset: i64,
}

/// A method per key of `broken.c`, which adds that key with its values.
macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident($($value:ident),*);)*) => {
        impl Mutation {
            $(
                $(#[$doc])*
                pub(crate) fn $name(mut self, $($value: i64),*) -> Mutation {
                    self.0.push((stringify!($name), vec![$($value),*]));
                    self
                }
            )*
        }

        #[cfg(test)]
        const KEYS: &[&str] = &["instead", "place", $(stringify!($name)),*];
    };
}

keys! {
    /// Replaces the function in that slot.
    function(slot);
    /// Replaces the callback of that index, which is the event's number less that of the first event.
    event(index);
    /// If the call is made in that phase.
    phase(number);
    /// If that argument is null.
    null(argument);
    /// If that argument is not null.
    given(argument);
    /// If that argument is this number.
    is(argument, number);
    /// If that other argument is this number.
    also(argument, number);
    /// If that argument is not this number.
    isnt(argument, number);
    /// If this bit is set in what that argument points to.
    asked(argument, bit);
    /// If the environment possesses that capability.
    has(bit);
    /// If the environment lacks that capability.
    lacks(bit);
    /// If the call comes from a callback in which few functions may be called.
    inside(yes);
    /// If the frame at the depth in that other argument (0: the uppermost) exists, of the thread in that argument, which is
    /// suspended or null.
    frame(thread, depth);
    /// If that argument is a virtual thread.
    vthread(argument);
    /// If that argument is a platform thread.
    platform(argument);
    /// If that argument is the calling thread.
    own(argument);
    /// If the calling thread is a virtual thread.
    caller(yes);
    /// If the state of the thread in that argument has all bits of `set` and none of `clear`.
    state(argument, set, clear);
    /// If the class in that argument is of that kind, by the number that `conditions.c` gives to it.
    class(argument, kind);
    /// If the modifiers of the method in that argument have some bit of `set` (0: any) and none of `clear`.
    method(argument, set, clear);
    /// If the method in that argument is obsolete.
    obsolete(argument);
    /// If the modifiers of the field in that argument have some bit of `set` (0: any) and none of `clear`. The argument before
    /// it is its class.
    field(argument, set, clear);
    /// If the object in that argument is of that kind, by the number that `conditions.c` gives to it.
    object(argument, kind);
    /// If that argument is greater than this number.
    over(argument, number);
    /// If the array in `list` has as many elements as `count` says, of so many bytes each, all of which begin with a class.
    classes(count, list, bytes);
    /// If that argument is a module with a name.
    named(argument);
    /// If another environment possesses that capability.
    elsewhere(bit);
    /// If as many calls before in the same environment met the other conditions.
    later(calls);
    /// If the function returns that error code.
    error(code);
    /// Returns that error code.
    answer(code);
    /// Passes this as that argument.
    set(argument, number);
    /// Passes a copy of the bytes that the argument points to, without that bit.
    unbit(argument, bit, bytes);
    /// Only where the number that the argument points to is greater than 0.
    count(argument);
    /// Only where that number is greater than 1.
    several(yes);
    /// Moves the place from the first element of so many bytes to the last.
    last(bytes);
    /// Adds to the number in the place.
    add(bytes, number);
    /// Negates the boolean in the place.
    flip(bytes);
    /// Clears the place.
    zero(bytes);
    /// Sets these bits in the place.
    or(bits);
    /// Clears these bits in the place.
    clear(bits);
    /// Sets a bit counted from the place.
    bit(number);
    /// Clears a bit counted from the place.
    unset(number);
    /// Puts memory where null is in the place.
    unnull(yes);
    /// Puts a reference where null is in the place.
    unref(yes);
    /// Turns the local reference in the place into a global one.
    global(yes);
    /// Reverses the array in the place.
    reverse(bytes);
    /// Makes Deallocate refuse the memory in the place.
    alien(yes);
    /// Does not send the event.
    drop(yes);
    /// Sends the event twice.
    twice(yes);
    /// Passes null for that parameter of the event.
    nothing(parameter);
    /// Adds one to that parameter of the event.
    more(parameter);
    /// Sends the event to environments that have not enabled it, too.
    strangers(yes);
    /// Sends the event once when it is enabled in this phase.
    early(yes);
    /// Has a thread of the JVM's own do something again and again, by the number that `own_thread.c` gives to it.
    busy(what);
    /// Has each stack begin with a frame of a native method of the JVM's own, in environments without that capability.
    launch(bit);
    /// Has threads wait, sleep and be parked in native code.
    rest(yes);
    /// Has another agent possess most capabilities and enable most events.
    company(yes);
    /// Makes one call of so many take long, whatever the function.
    pace(calls);
}

impl Mutation {
    /// Returns that error code without calling the function.
    pub(crate) fn answer_instead(self, code: i64) -> Mutation {
        let mut with = self.answer(code);
        with.0.push(("instead", vec![1]));
        with
    }

    /// Whether something is said with that key.
    pub(crate) fn says(&self, key: &str) -> bool {
        self.0.iter().any(|(said, _)| *said == key)
    }

    /// Whether no condition of either is set by both.
    pub(crate) fn goes_with(&self, other: &Mutation) -> bool {
        other.0.iter().all(|(key, _)| !self.says(key))
    }

    /// This, and what the other one says.
    pub(crate) fn then(mut self, other: Mutation) -> Mutation {
        self.0.extend(other.0);
        self
    }

    /// Changes something in that place.
    pub(crate) fn place(mut self, Place { argument, dereferences, offset }: Place) -> Mutation {
        self.0.push(("place", vec![argument, dereferences, offset]));
        self
    }
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, values)) in self.0.iter().enumerate() {
            let values: Vec<String> = values.iter().map(i64::to_string).collect();
            write!(f, "{}{key}={}", if index == 0 { "" } else { ";" }, values.join(":"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_library_knows_the_same_keys() {
        let source = include_str!("broken.c");
        let (_, names) = source.split_once("NAMES[KEYS] = {").unwrap();
        let (names, _) = names.split_once("};").unwrap();
        let library: BTreeSet<&str> = names.split('"').skip(1).step_by(2).collect();
        assert_eq!(KEYS.iter().copied().collect::<BTreeSet<_>>(), library);
    }

    #[test]
    fn keys_are_written_in_order() {
        let place = Place { argument: 2, dereferences: 1, offset: 0 };
        let mutation = Mutation::default().function(7).is(1, -3).place(place).add(1, 1);
        assert_eq!(mutation.to_string(), "function=7;is=1:-3;place=2:1:0;add=1:1");
    }
}
