//! The checked and normalised rules of a game. All later rooms work with a [`Description`] instead of text.

use rustc_hash::FxHashMap;

use super::rule::{Atom, Dependence, Literal, Relation, RelationId, RelationKind, Rule};
use super::source::Negation;
use super::spelling::Spellings;
use super::symbol::{Symbol, Symbols};
use super::term::{Term, TermId, Terms};

/// A game's rules, checked and normalised.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The game's name: the file name without its ending.
    pub name: String,
    /// SHA-256 of the canonical form of the rules (see [`identity`](super::identity)). Layout, comments, order of rules and
    /// names of variables do not change it.
    pub fingerprint: String,
    /// How negated literals were read.
    pub negation: Negation,
    /// The names of words in several spellings, if the text was read case-sensitively.
    pub spellings: Spellings,
    /// The words of the rules.
    pub symbols: Symbols,
    /// The ground terms of the text.
    pub terms: Terms,
    /// The roles, in the order of the text. A joint move lists moves in this order.
    pub roles: Vec<TermId>,
    /// The relations.
    pub relations: Vec<Relation>,
    /// Facts and rules, in the order of the text.
    pub rules: Vec<Rule>,
    /// For each relation the rules with it in their head, by index in `rules`.
    pub rules_of: Vec<Vec<u32>>,
    by_signature: FxHashMap<(RelationKind, Symbol, usize), RelationId>,
}

impl Description {
    /// The relation with this kind, name and number of arguments, if it exists.
    pub fn relation(&self, kind: RelationKind, name: Symbol, arity: usize) -> Option<RelationId> {
        self.by_signature.get(&(kind, name, arity)).copied()
    }

    /// Returns the relation with this kind, name and number of arguments, and adds it if it is new. `dependence` and
    /// `stratum` are set later, for the whole description.
    pub fn add_relation(&mut self, kind: RelationKind, name: Symbol, arity: usize) -> RelationId {
        if let Some(known) = self.relation(kind, name, arity) {
            return known;
        }
        let id = RelationId(self.relations.len() as u32);
        self.relations.push(Relation { kind, name, arity, dependence: Dependence::Static, stratum: 0 });
        self.rules_of.push(Vec::new());
        self.by_signature.insert((kind, name, arity), id);
        id
    }

    /// Adds a rule.
    pub fn add_rule(&mut self, rule: Rule) {
        self.rules_of[rule.head.relation.index()].push(self.rules.len() as u32);
        self.rules.push(rule);
    }

    /// All relations with their ids.
    pub fn relation_ids(&self) -> impl Iterator<Item = (RelationId, &Relation)> {
        self.relations.iter().enumerate().map(|(index, relation)| (RelationId(index as u32), relation))
    }

    /// `name/arity` of a relation: of the fluent for `true`, `next` and `init`; of the move without the role for `does` and
    /// `legal`.
    pub fn signature(&self, relation: RelationId) -> String {
        let Relation { kind, name, arity, .. } = self.relations[relation.index()];
        let role = matches!(kind, RelationKind::Does | RelationKind::Legal) as usize;
        format!("{}/{}", self.symbols.name(name), arity - role)
    }

    /// The index of the role `random`, which draws its moves, if there is one.
    pub fn random_role(&self) -> Option<usize> {
        self.roles.iter().position(|&role| self.term(role) == "random")
    }

    /// The indices of all roles but `random`.
    pub fn players(&self) -> impl Iterator<Item = usize> + use<> {
        let random = self.random_role();
        (0..self.roles.len()).filter(move |&role| Some(role) != random)
    }

    /// The outermost symbol and the number of arguments of a term; `None` for a variable.
    pub fn functor(&self, term: &Term) -> Option<(Symbol, usize)> {
        match term {
            Term::Variable(_) => None,
            Term::Ground(term) => Some((self.terms.functor(*term), self.terms.arguments(*term).len())),
            Term::Compound(functor, arguments) => Some((*functor, arguments.len())),
        }
    }

    /// A ground term as lower-case KIF.
    pub fn term(&self, term: TermId) -> String {
        self.terms.display(term, &self.symbols)
    }

    /// The description as lower-case KIF, one fact or rule per line. Reading it again gives the same rules; auxiliary
    /// relations become ordinary ones.
    pub fn kif(&self) -> String {
        self.rules.iter().fold(String::new(), |mut out, rule| {
            out.push_str(&self.display_rule(rule));
            out.push('\n');
            out
        })
    }

    /// A rule as lower-case KIF on one line.
    pub fn display_rule(&self, rule: &Rule) -> String {
        let mut out = String::new();
        if rule.body.is_empty() {
            self.write_atom(&rule.head, rule, &mut out);
            return out;
        }
        out.push_str("(<= ");
        self.write_atom(&rule.head, rule, &mut out);
        for literal in &rule.body {
            out.push(' ');
            match literal {
                Literal::Positive(atom) => self.write_atom(atom, rule, &mut out),
                Literal::Negative(atom) => {
                    out.push_str("(not ");
                    self.write_atom(atom, rule, &mut out);
                    out.push(')');
                }
                Literal::Distinct(a, b) => {
                    out.push_str("(distinct ");
                    self.write_term(a, rule, &mut out);
                    out.push(' ');
                    self.write_term(b, rule, &mut out);
                    out.push(')');
                }
            }
        }
        out.push(')');
        out
    }

    fn write_application(&self, name: &str, arguments: &[Term], rule: &Rule, out: &mut String) {
        if arguments.is_empty() {
            out.push_str(name);
            return;
        }
        out.push('(');
        out.push_str(name);
        for argument in arguments {
            out.push(' ');
            self.write_term(argument, rule, out);
        }
        out.push(')');
    }

    /// Writes an atom of a rule as lower-case KIF, `(true (cell ?x 1 b))`.
    pub fn write_atom(&self, atom: &Atom, rule: &Rule, out: &mut String) {
        let relation = &self.relations[atom.relation.index()];
        let name = self.symbols.name(relation.name);
        match relation.kind {
            RelationKind::Init | RelationKind::True | RelationKind::Next => {
                out.push_str(match relation.kind {
                    RelationKind::Init => "(init ",
                    RelationKind::True => "(true ",
                    _ => "(next ",
                });
                self.write_application(name, &atom.arguments, rule, out);
                out.push(')');
            }
            RelationKind::Does | RelationKind::Legal => {
                out.push_str(if relation.kind == RelationKind::Does { "(does " } else { "(legal " });
                self.write_term(&atom.arguments[0], rule, out);
                out.push(' ');
                self.write_application(name, &atom.arguments[1..], rule, out);
                out.push(')');
            }
            _ => self.write_application(name, &atom.arguments, rule, out),
        }
    }

    fn write_term(&self, term: &Term, rule: &Rule, out: &mut String) {
        match term {
            Term::Variable(variable) => {
                out.push('?');
                out.push_str(self.symbols.name(rule.variables[variable.index()]));
            }
            Term::Ground(term) => self.terms.write(*term, &self.symbols, out),
            Term::Compound(functor, arguments) => {
                self.write_application(self.symbols.name(*functor), arguments, rule, out);
            }
        }
    }
}
