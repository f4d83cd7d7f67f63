//! Many numbers in few characters: `0-120 122 130-200`.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Numbers, ascending runs of which are written as one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers(Vec<(usize, usize)>);

/// More than any suite has cases, so that nobody is made to count to the end of the world.
const MOST: usize = 1_000_000;

impl Numbers {
    pub fn push(&mut self, number: usize) {
        match self.0.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => self.0.push((number, number)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().flat_map(|(first, last)| *first..=*last)
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = |(first, last): &(usize, usize)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        serializer.serialize_str(&self.0.iter().map(part).collect::<Vec<_>>().join(" "))
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Numbers, D::Error> {
        let text = String::deserialize(from)?;
        let parts = text.split_whitespace().map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |digits: &str| digits.parse().ok().filter(|n| *n < MOST);
            let range = number(first).zip(number(last)).filter(|(first, last)| first <= last);
            range.ok_or_else(|| de::Error::custom(format!("`{part}` is no range of numbers such as `3-7`")))
        });
        Ok(Numbers(parts.collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn written_and_read_again(all in prop::collection::vec(0..5_000_usize, 0..50)) {
            let mut numbers = Numbers::default();
            all.iter().for_each(|n| numbers.push(*n));
            let text = serde_json::to_string(&numbers).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Numbers>(&text).unwrap(), &numbers);
            prop_assert_eq!(numbers.iter().collect::<Vec<_>>(), all);
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["\"7-3\"", "\"a\"", "\"1-99999999999\"", "\"-\""] {
            assert!(serde_json::from_str::<Numbers>(text).is_err(), "{text}");
        }
    }
}
