//! Which calls fail, and the short text form of it.

use std::fmt;
use std::str::FromStr;

/// A kind of call that can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Site {
    /// Allocations run out of memory.
    Allocate = 0,
    /// Kernels do not compile.
    Compile = 1,
    /// Launches of kernels and library calls fail.
    Launch = 2,
    /// Copies and fills fail.
    Copy = 3,
    /// Streams and events cannot be made.
    Stream = 4,
    /// Waiting fails.
    Synchronize = 5,
    /// The device is lost at the n-th call of any kind and stays lost.
    Lost = 6,
    /// Kernels that need not be ready take long to compile: until the background has done it, they are not there.
    Slow = 7,
}

impl Site {
    /// Every site, in the order of the discriminants.
    pub const ALL: [Site; 8] = [
        Site::Allocate,
        Site::Compile,
        Site::Launch,
        Site::Copy,
        Site::Stream,
        Site::Synchronize,
        Site::Lost,
        Site::Slow,
    ];

    /// The word that stands for the site in the text form.
    pub const fn name(self) -> &'static str {
        match self {
            Site::Allocate => "oom",
            Site::Compile => "compile",
            Site::Launch => "launch",
            Site::Copy => "copy",
            Site::Stream => "stream",
            Site::Synchronize => "sync",
            Site::Lost => "lost",
            Site::Slow => "slow",
        }
    }
}

/// The calls of one site that fail, counted from 1 when the plan was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The kind of call.
    pub site: Site,
    /// The first call that fails.
    pub first: u64,
    /// Distance to the next one that fails.
    pub step: u64,
    /// How many fail.
    pub times: u64,
}

impl Rule {
    /// Only call `n` fails.
    pub fn once(site: Site, n: u64) -> Rule {
        Rule { site, first: n, step: 1, times: 1 }
    }

    /// Every call from `n` on fails.
    pub fn from(site: Site, n: u64) -> Rule {
        Rule { site, first: n, step: 1, times: u64::MAX }
    }

    /// Every `n`-th call fails.
    pub fn every(site: Site, n: u64) -> Rule {
        Rule { site, first: n, step: n, times: u64::MAX }
    }

    /// Whether call `number` of the site fails.
    pub fn hits(&self, number: u64) -> bool {
        number.checked_sub(self.first).is_some_and(|past| past % self.step == 0 && past / self.step < self.times)
    }
}

/// Rules, separated by commas in the text form: `oom@17` fails the 17th allocation, `oom@17+` that one and all later
/// ones, `oom@17x3` three from there, `launch%5` every fifth launch. `off` is the plan without rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The rules; a call fails if any of them says so.
    pub rules: Vec<Rule>,
}

impl From<Rule> for Plan {
    fn from(rule: Rule) -> Plan {
        Plan { rules: vec![rule] }
    }
}

impl FromStr for Plan {
    type Err = String;

    fn from_str(text: &str) -> Result<Plan, String> {
        let rules = text.split(',').map(str::trim).filter(|rule| !rule.is_empty() && *rule != "off");
        Ok(Plan { rules: rules.map(parse).collect::<Result<_, _>>()? })
    }
}

fn parse(text: &str) -> Result<Rule, String> {
    let malformed = || {
        let names: Vec<&str> = Site::ALL.iter().map(|site| site.name()).collect();
        format!("{text:?} is not like oom@17, oom@17+, oom@17x3 or oom%5 with one of {}", names.join(", "))
    };
    let split = text.find(['@', '%']).ok_or_else(malformed)?;
    let (name, rest) = text.split_at(split);
    let site = Site::ALL.into_iter().find(|site| site.name() == name).ok_or_else(malformed)?;
    let number = |digits: &str| digits.parse().ok().filter(|&n: &u64| n > 0).ok_or_else(malformed);
    match rest.strip_prefix('%') {
        Some(step) => Ok(Rule::every(site, number(step)?)),
        None => match (rest[1..].strip_suffix('+'), rest[1..].split_once('x')) {
            (Some(first), _) => Ok(Rule::from(site, number(first)?)),
            (None, Some((first, times))) => Ok(Rule { times: number(times)?, ..Rule::once(site, number(first)?) }),
            (None, None) => Ok(Rule::once(site, number(&rest[1..])?)),
        },
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rule { site, first, step, times } = *self;
        let name = site.name();
        match (step, times) {
            (1, 1) => write!(f, "{name}@{first}"),
            (1, u64::MAX) => write!(f, "{name}@{first}+"),
            (1, _) => write!(f, "{name}@{first}x{times}"),
            _ => write!(f, "{name}%{step}"),
        }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.rules.is_empty() {
            return f.write_str("off");
        }
        let rules: Vec<String> = self.rules.iter().map(Rule::to_string).collect();
        f.write_str(&rules.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_survives_a_round_trip() {
        for text in ["off", "oom@17", "oom@17+", "oom@17x3", "launch%5", "oom@1+,compile@2,lost@40"] {
            assert_eq!(text.parse::<Plan>().unwrap().to_string(), text);
        }
        assert_eq!("".parse::<Plan>().unwrap(), Plan::default());
    }

    #[test]
    fn malformed_text_names_the_forms() {
        for text in ["oom", "oom@", "oom@0", "oom@-1", "oom%0", "nonsense@3", "oom@3y", "oom@3x", "@3"] {
            let message = text.parse::<Plan>().unwrap_err();
            assert!(message.contains("oom@17+") && message.contains("launch"), "{message}");
        }
    }

    #[test]
    fn rules_hit_the_calls_that_they_name() {
        let hits = |rule: Rule| (1..=12).filter(|&n| rule.hits(n)).collect::<Vec<u64>>();
        assert_eq!(hits(Rule::once(Site::Copy, 3)), [3]);
        assert_eq!(hits(Rule::from(Site::Copy, 10)), [10, 11, 12]);
        assert_eq!(hits(Rule::every(Site::Copy, 5)), [5, 10]);
        assert_eq!(hits(Rule { site: Site::Copy, first: 2, step: 1, times: 3 }), [2, 3, 4]);
    }
}
