//! Scrambled games: words are renamed; rules, literals and arguments change their order.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ggp::simulate::Choices;

/// Games of the open corpus that are scrambled.
pub(crate) const REAL_GAMES: [&str; 14] = [
    "3pffa",
    "bidding_tic_tac_toe",
    "blocker",
    "bomberman2p",
    "breakthrough",
    "connect_four",
    "dots_and_boxes",
    "eight_puzzle",
    "lines_of_action",
    "nim1",
    "pacman3p",
    "sum15",
    "tictactoe_3d_6player",
    "tron_10x10",
];

/// Words of GDL, which keep their names and the order of their arguments.
const WORDS: [&str; 13] = [
    "<=", "role", "init", "true", "next", "does", "legal", "goal", "terminal", "not", "or", "and", "distinct",
];

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kif {
    Word(String),
    List(Vec<Kif>),
}

impl Kif {
    pub(crate) fn parse(text: &str) -> Vec<Kif> {
        let mut stack = vec![Vec::new()];
        let uncommented: String =
            text.lines().flat_map(|line| [line.split(';').next().unwrap_or(""), "\n"]).collect();
        let spaced = uncommented.to_lowercase().replace('(', " ( ").replace(')', " ) ");
        for token in spaced.split_whitespace() {
            match token {
                "(" => stack.push(Vec::new()),
                ")" => {
                    let list = stack.pop().unwrap();
                    stack.last_mut().unwrap().push(Kif::List(list));
                }
                word => stack.last_mut().unwrap().push(Kif::Word(word.to_owned())),
            }
        }
        stack.pop().unwrap()
    }

    pub(crate) fn write(&self) -> String {
        match self {
            Kif::Word(word) => word.clone(),
            Kif::List(list) => format!("({})", list.iter().map(Kif::write).collect::<Vec<_>>().join(" ")),
        }
    }

    pub(crate) fn visit(&self, see: &mut impl FnMut(&Kif)) {
        see(self);
        if let Kif::List(list) = self {
            list.iter().for_each(|item| item.visit(see));
        }
    }
}

/// The numbers that are goal values, which keep their names; `None` if rules compute goal values.
fn goal_values(rules: &[Kif]) -> Option<BTreeSet<String>> {
    let mut values = Some(BTreeSet::new());
    let mut see = |kif: &Kif| {
        if let Kif::List(list) = kif
            && let [Kif::Word(head), _, Kif::Word(value)] = list.as_slice()
            && head == "goal"
        {
            match &mut values {
                Some(values) if !value.starts_with('?') => drop(values.insert(value.clone())),
                _ => values = None,
            }
        }
    };
    rules.iter().for_each(|rule| rule.visit(&mut see));
    values
}

/// Shuffles the literals of a rule without changing its meaning: negations and `distinct` come after the literals that bind
/// their variables. A rule with a negation before its binder stays as it is.
pub(crate) fn literals_shuffled(rule: &Kif, choices: &mut Choices) -> Kif {
    let Kif::List(list) = rule else { return rule.clone() };
    if list.first() != Some(&Kif::Word("<=".to_owned())) {
        return rule.clone();
    }
    let head_is = |kif: &Kif, words: &[&str]| match kif {
        Kif::List(list) => matches!(list.first(), Some(Kif::Word(word)) if words.contains(&&**word)),
        Kif::Word(_) => false,
    };
    let check = |kif: &Kif| head_is(kif, &["not", "distinct"]);
    let variables = |kif: &Kif| {
        let mut found = BTreeSet::new();
        kif.visit(&mut |item| {
            if let Kif::Word(word) = item
                && word.starts_with('?')
            {
                found.insert(word.clone());
            }
        });
        found
    };
    let mut bound = BTreeSet::new();
    for literal in &list[2..] {
        if head_is(literal, &["not", "or", "and"]) && !variables(literal).is_subset(&bound) {
            return rule.clone();
        }
        bound.extend(if check(literal) { BTreeSet::new() } else { variables(literal) });
    }
    let (checks, binders): (Vec<Kif>, Vec<Kif>) =
        list[2..].iter().cloned().partition(|literal| check(literal));
    let mut new = list[..2].to_vec();
    new.extend(shuffled(binders, choices));
    new.extend(shuffled(checks, choices));
    Kif::List(new)
}

/// A renaming of words, and the new position of each argument of a relation or function.
pub(crate) struct Scramble {
    pub(crate) names: BTreeMap<String, String>,
    /// The new position (from 0) of each argument, by the name of the relation or function and its number of arguments.
    pub(crate) positions: BTreeMap<(String, usize), Vec<usize>>,
}

pub(crate) fn shuffled<T>(mut items: Vec<T>, choices: &mut Choices) -> Vec<T> {
    choices.shuffle(&mut items);
    items
}

impl Scramble {
    pub(crate) fn new(rules: &[Kif], choices: &mut Choices) -> Scramble {
        let (mut words, mut heads) = (BTreeSet::new(), BTreeSet::new());
        let mut see = |kif: &Kif| match kif {
            Kif::Word(word) => {
                words.insert(word.clone());
            }
            Kif::List(list) => {
                if let Some(Kif::Word(head)) = list.first() {
                    heads.insert((head.clone(), list.len() - 1));
                }
            }
        };
        rules.iter().for_each(|rule| rule.visit(&mut see));
        let values = goal_values(rules);
        let kept = |word: &str| {
            let number = word.parse::<i64>().is_ok();
            WORDS.contains(&word) || number && values.as_ref().is_none_or(|values| values.contains(word))
        };
        let renamed: Vec<String> = words.into_iter().filter(|word| !kept(word)).collect();
        let fresh = shuffled((0..renamed.len()).collect(), choices);
        let names = renamed.into_iter().zip(fresh).map(|(word, number)| {
            let mark = if word.starts_with('?') { "?" } else { "" };
            (word, format!("{mark}w{number}"))
        });
        let permuted = heads.into_iter().filter(|(head, arity)| !WORDS.contains(&&**head) && *arity > 1);
        let positions =
            permuted.map(|(head, arity)| ((head, arity), shuffled((0..arity).collect(), choices)));
        Scramble { names: names.collect(), positions: positions.collect() }
    }

    pub(crate) fn name(&self, word: &str) -> String {
        self.names.get(word).cloned().unwrap_or_else(|| word.to_owned())
    }

    pub(crate) fn apply(&self, kif: &Kif) -> Kif {
        match kif {
            Kif::Word(word) => Kif::Word(self.name(word)),
            Kif::List(list) => {
                let mut items: Vec<Kif> = list.iter().map(|item| self.apply(item)).collect();
                if let Some(Kif::Word(head)) = list.first()
                    && let Some(positions) = self.positions.get(&(head.clone(), list.len() - 1))
                {
                    for (from, &to) in positions.iter().enumerate() {
                        items[to + 1] = self.apply(&list[from + 1]);
                    }
                }
                Kif::List(items)
            }
        }
    }

    pub(crate) fn term(&self, text: &str) -> String {
        Kif::parse(text).iter().map(|kif| self.apply(kif).write()).collect()
    }

    pub(crate) fn signature(&self, signature: &str) -> String {
        let (name, arity) = signature.rsplit_once('/').unwrap();
        format!("{}/{arity}", self.name(name))
    }

    /// The new position of an argument, from 1.
    pub(crate) fn position(&self, signature: &str, argument: usize) -> usize {
        let (name, arity) = signature.rsplit_once('/').unwrap();
        let positions = self.positions.get(&(name.to_owned(), arity.parse().unwrap()));
        positions.map_or(argument, |positions| positions[argument - 1] + 1)
    }
}

/// Renames and shuffles the rules. Roles keep their order, because joint moves are drawn in this order.
pub(crate) fn scrambled(rules: &[Kif], scramble: &Scramble, choices: &mut Choices) -> Vec<Kif> {
    let is_role =
        |rule: &Kif| matches!(rule, Kif::List(list) if list.first() == Some(&Kif::Word("role".into())));
    let (roles, others): (Vec<Kif>, Vec<Kif>) = rules.iter().cloned().partition(is_role);
    roles
        .into_iter()
        .chain(shuffled(others, choices))
        .map(|rule| scramble.apply(&literals_shuffled(&rule, choices)))
        .collect()
}

pub(crate) fn written(rules: &[Kif]) -> String {
    rules.iter().map(|rule| rule.write() + "\n").collect()
}

pub(crate) fn rules_of(path: &std::path::Path) -> Vec<Kif> {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).replace('\r', "\n");
    Kif::parse(&text)
}

/// Compares every game with its scrambled version; `compare` adds the differences to a list.
pub(crate) fn compare_all(paths: &[PathBuf], compare: impl Fn(&Path, &mut Vec<String>)) {
    let mut wrong = Vec::new();
    paths.iter().for_each(|path| compare(path, &mut wrong));
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
