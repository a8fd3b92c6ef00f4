//! A reference implementation: evaluates formulas node by node in double precision, as `docs/fuzzy.md` defines them.
//! Tests compare the evaluator with it.

use super::super::bind::BoundFormula;
use super::super::comparison::Comparison;
use super::super::formula::{Formula, Goal};
use super::super::half_saturation::half_saturations;
use super::super::kif::split;
use super::super::kinds::{Compare, Node};
use super::super::mention::Mention;
use super::super::norm::Norm;
use super::super::norm::strict::{MARGIN, PLAIN_COST, SQUEEZE};
use super::super::parameters::FuzzyParameters;
use super::super::value::FuzzyFunction;
use crate::machine::Machine;

/// A value, the cost of the value, and the cost of its negation. The strict norm computes with costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExactValue {
    pub(super) value: f64,
    costs: [f64; 2],
}

impl ExactValue {
    fn negated(self) -> ExactValue {
        ExactValue { value: 1.0 - self.value, costs: [self.costs[1], self.costs[0]] }
    }
}

/// The reference implementation, with its parameters.
pub(super) struct Oracle {
    parameters: FuzzyParameters,
    half_saturations: Vec<f64>,
}

impl Oracle {
    pub(super) fn new(machine: &dyn Machine, formula: &Formula, parameters: FuzzyParameters) -> Oracle {
        let bound = BoundFormula::new(machine, formula).unwrap();
        Oracle { parameters, half_saturations: half_saturations(&bound, &parameters) }
    }

    /// The value of a node that is not a conjunction. The strict norm keeps it away from 0 and 1.
    fn leaf(&self, value: f64) -> ExactValue {
        if self.parameters.norm != Norm::Strict {
            return ExactValue { value, costs: [0.0; 2] };
        }
        let threshold = self.parameters.threshold;
        let part = (1.0 - threshold - MARGIN) / (1.0 - threshold);
        let inside = if value > 0.5 { threshold + (value - threshold) * part } else { MARGIN + value * part };
        ExactValue { value: inside, costs: [-inside.ln(), -(-inside).ln_1p()] }
    }

    fn of_costs(&self, costs: [f64; 2]) -> ExactValue {
        let costs = costs.map(|cost| cost.min(127.0));
        let value = if costs[0] < costs[1] { -(-costs[1]).exp_m1() } else { (-costs[0]).exp() };
        ExactValue { value, costs }
    }

    /// The conjunction T′ of `docs/fuzzy.md`: members that hold are combined before those that fail.
    pub(super) fn conjunction(&self, members: &[ExactValue], half_saturation: f64) -> ExactValue {
        let FuzzyParameters { norm, threshold, .. } = self.parameters;
        let (held, failed): (Vec<&ExactValue>, Vec<&ExactValue>) =
            members.iter().partition(|member| member.value > 0.5);
        if norm != Norm::Strict {
            let fold = |start: f64, list: &[&ExactValue]| {
                list.iter().fold(start, |all, member| t_norm(norm, all, member.value))
            };
            let value = fold(fold(1.0, &held).max(threshold), &failed).max(0.0);
            return ExactValue { value, costs: [0.0; 2] };
        }
        let sum = |list: &[&ExactValue]| list.iter().map(|member| member.costs[0]).sum::<f64>();
        let share = sum(&held) / (half_saturation + sum(&held));
        if failed.is_empty() {
            let missing = ((1.0 - threshold) * share).max(f64::MIN_POSITIVE);
            return self.of_costs([-(-missing).ln_1p(), -missing.ln()]);
        }
        let cost = sum(&failed) - threshold.ln() * share;
        let squeezed = match cost > PLAIN_COST {
            true => PLAIN_COST + SQUEEZE * ((cost - PLAIN_COST) / SQUEEZE).ln_1p(),
            false => cost,
        };
        let cost = squeezed.max(-(-threshold).ln_1p());
        self.of_costs([cost, -(-(-cost).exp()).ln_1p()])
    }

    fn best(&self, members: &[ExactValue]) -> ExactValue {
        let better =
            |best: ExactValue, &member: &ExactValue| if member.value > best.value { member } else { best };
        members.iter().fold(ExactValue { value: 0.0, ..self.leaf(0.0) }, better)
    }

    /// The value of a fact that fails, from the value of its best achiever: a conjunction that makes it hold next.
    fn soon(&self, achiever: ExactValue) -> ExactValue {
        let (threshold, room) = (self.parameters.threshold, 1.0 - self.parameters.threshold);
        let near = match achiever.value > 0.5 {
            true => 0.9 + 0.1 * (achiever.value - threshold) / room,
            false => 0.9 * achiever.value / room,
        };
        self.leaf(room * near)
    }

    fn compare(&self, compare: &Compare, of: &dyn Fn(Mention) -> ExactValue) -> ExactValue {
        let FuzzyParameters { p, threshold, .. } = self.parameters;
        let held = |side: &[(u32, Mention)]| -> Vec<i64> {
            let held = side.iter().filter(|(_, mention)| of(*mention).value > 0.5);
            held.map(|&(place, _)| i64::from(place)).collect()
        };
        let (left, right) = (held(&compare.left), held(&compare.right));
        let pairs = left.iter().flat_map(|&a| right.iter().map(move |&b| (a, b)));
        // The margin by which a pair fulfils the comparison; the best pair counts.
        let lead = pairs.map(|(a, b)| match compare.relation {
            Comparison::Less | Comparison::AtMost => b - a,
            Comparison::Greater | Comparison::AtLeast => a - b,
            Comparison::Equal => -(a - b).abs(),
        });
        let Some(lead) = lead.max() else { return self.leaf(0.0) };
        let holds = match compare.relation {
            Comparison::Less | Comparison::Greater => lead > 0,
            Comparison::AtMost | Comparison::AtLeast | Comparison::Equal => lead >= 0,
        };
        let share = lead.abs() as f64 / f64::from(compare.length);
        self.leaf(match (holds, compare.relation) {
            (true, Comparison::Equal) => p,
            (true, _) => threshold + (1.0 - threshold) * share,
            (false, _) => (1.0 - threshold) * (1.0 - share),
        })
    }

    /// How close the facts of a measured fluent's family are to `pattern`, from 0 to 1. `facts` has KIF.
    fn closeness(formula: &Formula, pattern: &str, cyclic: bool, facts: &[String]) -> f64 {
        let (name, wanted) = split(pattern).unwrap();
        let family =
            formula.families.iter().find(|family| family.fluent == format!("{name}/{}", wanted.len()));
        let axes = &family.unwrap().axes;
        let mut distances = Vec::new();
        for fact in facts {
            let (other, arguments) = split(fact).unwrap();
            let is_axis = |argument: usize| axes.iter().any(|axis| axis.argument == argument + 1);
            let alike = other == name
                && arguments.len() == wanted.len()
                && (0..wanted.len())
                    .all(|argument| is_axis(argument) || arguments[argument] == wanted[argument]);
            if !alike {
                continue;
            }
            let of_axis = axes.iter().filter(|axis| wanted[axis.argument - 1] != "?").map(|axis| {
                let place = |text: &String| axis.order.iter().position(|element| element == text);
                let (a, b) = (place(&wanted[axis.argument - 1]), place(&arguments[axis.argument - 1]));
                let (steps, size) = (a.unwrap().abs_diff(b?), axis.order.len());
                Some(if cyclic { steps.min(size - steps) } else { steps } as f64 / size as f64)
            });
            let of_axis: Option<Vec<f64>> = of_axis.collect();
            distances.extend(of_axis.map(|list| list.iter().sum::<f64>() / list.len() as f64));
        }
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let mean = distances.iter().sum::<f64>() / distances.len() as f64;
        if distances.is_empty() { 0.0 } else { 1.0 - (nearest + mean) / 2.0 }
    }

    /// The values of all nodes in a state with these facts.
    pub(super) fn values(&self, formula: &Formula, facts: &[String]) -> Vec<ExactValue> {
        let nothing = ExactValue { value: 0.0, ..self.leaf(0.0) };
        let mut values = vec![nothing; formula.nodes.len()];
        let in_loop = |node: usize| {
            let number = node as u32 + 1;
            formula.loops.iter().find(|(first, last)| (*first..=*last).contains(&number))
        };
        for node in 0..values.len() {
            match in_loop(node) {
                None => {
                    let of = |mention: Mention| self.mention(mention, &values);
                    values[node] = self.node(formula, node, &of, facts);
                }
                // The values of a loop are the least fixed point: they rise until none changes.
                Some(&(first, last)) if node + 1 == first as usize => loop {
                    let mut rose = false;
                    for node in first as usize - 1..last as usize {
                        let of = |mention: Mention| match (first as Mention..=last as Mention)
                            .contains(&mention)
                        {
                            true => values[mention as usize - 1],
                            false => self.mention(mention, &values),
                        };
                        let found = self.node(formula, node, &of, facts);
                        let found = least(&formula.nodes[node], found, &of);
                        if found.value > values[node].value {
                            (values[node], rose) = (found, true);
                        }
                    }
                    if !rose {
                        break;
                    }
                },
                Some(_) => {}
            }
        }
        values
    }

    /// The value of a mention. A node without a derivation counts as a leaf with the value 0.
    pub(super) fn mention(&self, mention: Mention, values: &[ExactValue]) -> ExactValue {
        let nothing = self.leaf(0.0);
        let of = |node: u32| match values[node as usize - 1] {
            found if found.value == 0.0 && found.costs == nothing.costs => nothing,
            found => found,
        };
        match mention {
            0 => self.leaf(1.0),
            _ if mention < 0 => of(mention.unsigned_abs()).negated(),
            _ => of(mention as u32),
        }
    }

    fn node(
        &self,
        formula: &Formula,
        node: usize,
        of: &dyn Fn(Mention) -> ExactValue,
        facts: &[String],
    ) -> ExactValue {
        let FuzzyParameters { p, threshold, .. } = self.parameters;
        let all = |list: &[Mention]| list.iter().map(|&mention| of(mention)).collect::<Vec<ExactValue>>();
        let holds = |atom: &String| facts.contains(atom);
        match &formula.nodes[node] {
            Node::Fact(atom) | Node::Derived(atom) => self.leaf(if holds(atom) { p } else { 1.0 - p }),
            Node::Near(pattern) | Node::Around(pattern) => {
                let fits = |fact: &String| {
                    let ((a, wanted), (b, arguments)) = (split(pattern).unwrap(), split(fact).unwrap());
                    let same = |(wanted, argument): (&String, &String)| wanted == "?" || wanted == argument;
                    a == b && wanted.len() == arguments.len() && wanted.iter().zip(&arguments).all(same)
                };
                match facts.iter().any(fits) {
                    true => self.leaf(p),
                    false => self.leaf(
                        (1.0 - threshold) * {
                            let cyclic = matches!(formula.nodes[node], Node::Around(_));
                            Oracle::closeness(formula, pattern, cyclic, facts)
                        },
                    ),
                }
            }
            Node::Soon(soon) if holds(&soon.fact) => self.leaf(p),
            Node::Soon(soon) => self.soon(of(soon.next)),
            Node::Toward(toward) if of(toward.holds).value > 0.5 => self.leaf(p),
            Node::Toward(toward) => self.soon(of(toward.next)),
            Node::Compare(compare) => self.compare(compare, of),
            Node::And(list) => self.conjunction(&all(list), self.half_saturations[node]),
            Node::Or(list) => {
                let negated: Vec<ExactValue> = all(list).into_iter().map(ExactValue::negated).collect();
                self.conjunction(&negated, self.half_saturations[node]).negated()
            }
            Node::Best(list) => self.best(&all(list)),
        }
    }

    /// The value of a condition before it is combined with goal values.
    fn shown(&self, exact: ExactValue) -> f64 {
        if self.parameters.norm != Norm::Strict {
            return exact.value;
        }
        let least = -(-self.parameters.threshold).ln_1p();
        let low = |cost: f64| (1.0 - self.parameters.threshold) / (1.0 + (cost - least).max(0.0));
        let [value, negation] = exact.costs;
        if value < negation { 1.0 - low(negation) } else { low(value) }
    }

    /// The value of a function, from those of its nodes.
    pub(super) fn total(&self, function: &FuzzyFunction, values: &[ExactValue]) -> f64 {
        let end = self.mention(function.terminal, values);
        let half_saturation = 1.0 - self.parameters.threshold;
        let of = |goals: &[Goal]| {
            goals.iter().fold(0.0, |sum, goal| {
                let condition = self.mention(goal.condition, values);
                let coupled = match condition.value > 0.5 {
                    true => {
                        self.conjunction(&[condition.negated(), end.negated()], half_saturation).negated()
                    }
                    false => self.conjunction(&[condition, end.negated()], half_saturation),
                };
                let more = self.shown(coupled) * f64::from(goal.value) / 100.0;
                sum + more - sum * more
            })
        };
        let (own, other) = (of(&function.goals), of(&function.against));
        let (first, second) = (own * (1.0 - other), other * (1.0 - own));
        match () {
            () if function.against.is_empty() => own,
            () if self.parameters.norm != Norm::Strict => 0.5 + (own - other) / 2.0,
            () if first + second > 0.0 => first / (first + second),
            () => 0.5,
        }
    }
}

/// The value of a node of a loop: that of a conjunction is at most that of its least member.
fn least(node: &Node, found: ExactValue, of: &dyn Fn(Mention) -> ExactValue) -> ExactValue {
    let Node::And(list) = node else { return found };
    let members = list.iter().map(|&mention| of(mention));
    members.fold(found, |least, member| if member.value < least.value { member } else { least })
}

/// The t-norm of two values, in its textbook form.
fn t_norm(norm: Norm, a: f64, b: f64) -> f64 {
    match norm {
        Norm::Strict | Norm::Product => a * b,
        Norm::Minimum => a.min(b),
        Norm::Lukasiewicz => (a + b - 1.0).max(0.0),
        Norm::Drastic if a.max(b) < 1.0 => 0.0,
        Norm::Drastic => a.min(b),
        Norm::Yager { q } => 1.0 - ((1.0 - a).powf(q) + (1.0 - b).powf(q)).powf(1.0 / q).min(1.0),
    }
}

mod tests {
    use std::path::PathBuf;

    use super::super::super::limits::UnrollLimits;
    use super::super::super::unroll::FuzzyMaker;
    use super::super::{ERROR, Evaluator};
    use super::*;
    use crate::evaluation::fuzzy::{Soon, Toward};
    use crate::feature::{Facts, Measure, StateEvaluator, ValuedState};
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, FluentId, Loaded, MoveId, State, load};
    use crate::simulate::{Budget, Choices, Context};
    use crate::structure::detect;

    const NORMS: [Norm; 9] = [
        Norm::Strict,
        Norm::Product,
        Norm::Minimum,
        Norm::Lukasiewicz,
        Norm::Drastic,
        Norm::Yager { q: 0.5 },
        Norm::Yager { q: 2.0 },
        Norm::Yager { q: 4.0 },
        Norm::Yager { q: 25.0 },
    ];

    const FACTS: usize = 12;

    fn game(name: &str) -> Loaded {
        let path = PathBuf::from(format!("{}/../../games/{name}.kif", env!("CARGO_MANIFEST_DIR")));
        let description = read(&Source::load(&path).unwrap()).description.unwrap();
        load(description, Backend::Auto, &Limits::default()).unwrap()
    }

    /// A random formula: facts, a loop of nodes that mention each other, then nodes of all other kinds.
    fn formula(machine: &dyn Machine, random: &mut Choices) -> Formula {
        let fact = |number: usize| machine.fluent_text(FluentId(number as u32));
        let mut nodes: Vec<Node> = (0..FACTS).map(|number| Node::Fact(fact(number))).collect();
        let (first, count) = (FACTS + 1, 2 + random.below(24));
        let below = |random: &mut Choices, most: usize| {
            let mention = random.below(most + 1) as Mention;
            if random.below(3) == 0 { -mention } else { mention }
        };
        for _ in 0..count {
            let is_best = random.below(2) == 0;
            let members = (0..random.below(5)).map(|_| match random.below(5) {
                0 | 1 => below(random, FACTS),
                _ => (first + random.below(count)) as Mention,
            });
            let members = members.collect();
            nodes.push(if is_best { Node::Best(members) } else { Node::And(members) });
        }
        for _ in 0..20 {
            let most = nodes.len();
            let list: Vec<Mention> = (0..1 + random.below(6)).map(|_| below(random, most)).collect();
            let side = |random: &mut Choices| {
                (0..1 + random.below(3)).map(|_| (random.below(7) as u32, below(random, most))).collect()
            };
            let relations = [
                Comparison::Less,
                Comparison::AtMost,
                Comparison::Greater,
                Comparison::AtLeast,
                Comparison::Equal,
            ];
            nodes.push(match random.below(7) {
                0 | 1 => Node::And(list),
                2 | 3 => Node::Or(list),
                4 => Node::Best(list),
                5 => Node::Compare(Compare {
                    text: String::new(),
                    relation: relations[random.below(relations.len())],
                    left: side(random),
                    right: side(random),
                    length: 7,
                }),
                _ if random.below(2) == 0 => {
                    Node::Soon(Soon { fact: fact(random.below(FACTS)), next: below(random, most) })
                }
                _ => Node::Toward(Toward { holds: below(random, most), next: below(random, most) }),
            });
        }
        Formula { nodes, loops: vec![(first as u32, (first + count - 1) as u32)], ..Formula::default() }
    }

    /// A state in which some of the first facts hold, and their texts.
    fn state(machine: &dyn Machine, random: &mut Choices) -> (Facts, Vec<String>) {
        let network = machine.network().unwrap();
        let mut words = machine.initial().0.clone();
        for number in 0..FACTS {
            let bit = network.fluents[number].bit.unwrap() as usize;
            let holds = u64::from(random.below(2) == 0);
            words[bit / 64] = words[bit / 64] & !(1 << (bit % 64)) | holds << (bit % 64);
        }
        let mut facts = Facts::new(machine);
        facts.fill(machine, &State(words));
        let mut texts = Vec::new();
        facts.for_each(|fluent| texts.push(machine.fluent_text(fluent)));
        (facts, texts)
    }

    #[test]
    fn random_formulas_have_the_values_of_double_precision() {
        let loaded = game("hex");
        let machine = &*loaded.machine;
        let mut random = Choices::new(7, 0);
        let mut worst = 0.0_f64;
        for round in 0..315 {
            let formula = formula(machine, &mut random);
            let parameters =
                FuzzyParameters { norm: NORMS[round % NORMS.len()], ..FuzzyParameters::default() };
            let roots: Vec<Mention> = (1..=formula.nodes.len() as Mention).collect();
            let mut all = Evaluator::new(machine, &formula, &roots, parameters).unwrap();
            let last = [*roots.last().unwrap()];
            let mut alone = Evaluator::new(machine, &formula, &last, parameters).unwrap();
            let oracle = Oracle::new(machine, &formula, parameters);
            for _ in 0..4 {
                let (facts, texts) = state(machine, &mut random);
                all.update(&facts);
                alone.update(&facts);
                let exact = oracle.values(&formula, &texts);
                for &root in &roots {
                    let (found, exact) = (all.value(root), oracle.mention(root, &exact).value);
                    worst = worst.max((found - exact).abs());
                    let norm = parameters.norm;
                    assert!(
                        (found - exact).abs() < ERROR,
                        "{round}, {root}: {found} {exact} {norm:?} {formula:?}"
                    );
                    assert!((all.value(-root) + found - 1.0).abs() < ERROR, "{round}, node {root}");
                }
                assert_eq!(all.value(last[0]).to_bits(), alone.value(last[0]).to_bits(), "{round}");
            }
        }
        println!("the greatest error is {worst:e}");
    }

    #[test]
    fn functions_of_games_have_the_values_of_double_precision() {
        let mut worst = 0.0_f64;
        for name in ["tic_tac_toe", "breakthrough", "gold_rush", "hex", "checkers", "racetrack_corridor"] {
            let loaded = game(name);
            let machine = &*loaded.machine;
            let budget = Budget { playouts: 20, ..Budget::default() };
            let structures = detect(machine, &loaded.statics, &budget, &Context::default()).unwrap().0;
            let mut maker = FuzzyMaker::new(machine, &structures, UnrollLimits::default());
            for (norm, regression) in NORMS.into_iter().map(|norm| (norm, 0)).chain([(Norm::Strict, 1)]) {
                let parameters = FuzzyParameters { norm, regression, ..FuzzyParameters::default() };
                let function = FuzzyFunction::by(&mut maker, 0, parameters).unwrap();
                let oracle = Oracle::new(machine, &function.formula, parameters);
                let mut bound = function.bind(machine).unwrap();
                let mut evaluator = StateEvaluator::new(machine);
                let mut cursor = machine.cursor();
                let mut choices = Choices::new(3, 0);
                for _ in 0..12 {
                    if cursor.terminal() {
                        break;
                    }
                    let roles = 0..machine.description().roles.len();
                    let joint = roles.map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())]);
                    let joint: Vec<MoveId> = joint.collect();
                    cursor.advance(&joint).unwrap();
                    let position: ValuedState<'_> = evaluator.at(cursor.state()).unwrap();
                    let mut texts = Vec::new();
                    position.facts.for_each(|fluent| texts.push(machine.fluent_text(fluent)));
                    let exact = oracle.total(&function, &oracle.values(&function.formula, &texts));
                    let found = bound.value(&position);
                    worst = worst.max((found - exact).abs());
                    assert!((found - exact).abs() < ERROR, "{name}, {norm:?}, {regression}: {found} {exact}");
                }
            }
        }
        println!("the greatest error is {worst:e}");
    }
}
