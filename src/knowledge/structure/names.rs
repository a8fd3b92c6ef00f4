//! Converts findings from numbers of a machine to text, as in documents.

use super::finding::{
    Adjacency, Axis, Counter, CustomFinding, FluentFinding, LocatedObject, Order, OrderedBy, OtherChain,
    PartialOrder, Quantity, Structures, Successor,
};
use super::vocabulary::Kif;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::machine::Machine;

/// Findings with the names of the game that `machine` plays, as in documents.
pub fn in_kif(structures: &Structures, machine: &dyn Machine) -> Structures<Kif> {
    Names { machine, structures }.structures()
}

/// Names of relations, roles, terms and moves.
#[derive(Clone, Copy)]
struct Names<'m> {
    machine: &'m dyn Machine,
    structures: &'m Structures,
}

impl Names<'_> {
    fn structures(self) -> Structures<Kif> {
        let Names { machine, structures: findings } = self;
        let noops = findings.noops.iter().map(|(&role, moves)| {
            (self.role(role), moves.iter().map(|&action| machine.move_text(action)).collect())
        });
        Structures {
            successors: findings.successors.iter().map(|successor| self.successor(successor)).collect(),
            orders: findings.orders.iter().map(|order| self.order(order)).collect(),
            chains: findings.chains.iter().map(|chain| self.chain(chain)).collect(),
            cycles: findings.cycles.iter().map(|chain| self.chain(chain)).collect(),
            partial_orders: findings.partial_orders.iter().map(|order| self.partial_order(order)).collect(),
            fluents: findings.fluents.iter().map(|fluent| self.fluent(fluent)).collect(),
            teams: findings
                .teams
                .iter()
                .map(|team| team.iter().map(|&role| self.role(role)).collect())
                .collect(),
            teams_evidence: findings.teams_evidence.in_kif(machine),
            turns: findings.turns,
            turns_evidence: findings.turns_evidence.in_kif(machine),
            zero_sum: findings.zero_sum,
            zero_sum_evidence: findings.zero_sum_evidence.in_kif(machine),
            noops: noops.collect(),
            noops_evidence: findings.noops_evidence.in_kif(machine),
            custom: findings.custom.iter().map(|custom| self.custom(custom)).collect(),
            coverage: findings.coverage,
            rule_coverage: findings.rule_coverage.clone(),
        }
    }

    fn relation(self, relation: RelationId) -> String {
        self.machine.description().signature(relation)
    }

    fn role(self, role: usize) -> String {
        let description = self.machine.description();
        description.term(description.roles[role])
    }

    fn term(self, term: TermId) -> String {
        self.machine.term_text(term)
    }

    fn terms(self, terms: &[TermId]) -> Vec<String> {
        terms.iter().map(|&term| self.term(term)).collect()
    }

    fn successor(self, finding: &Successor) -> Successor<Kif> {
        Successor {
            relation: self.relation(finding.relation),
            length: finding.length,
            reversed: finding.reversed,
            first: self.term(finding.first),
            last: self.term(finding.last),
            elements: self.terms(&finding.elements),
            evidence: finding.evidence.in_kif(self.machine),
        }
    }

    fn order(self, finding: &Order) -> Order<Kif> {
        Order {
            relation: self.relation(finding.relation),
            over: self.relation(finding.over),
            strict: finding.strict,
            ascending: finding.ascending,
            uncompared: finding.uncompared,
            evidence: finding.evidence.in_kif(self.machine),
        }
    }

    /// The name of a chain as an order: the pattern of its facts, or its relation.
    fn pattern(self, chain: &OtherChain) -> String {
        let description = self.machine.description();
        let pattern = &chain.pattern;
        if pattern.fixed.is_empty() {
            return self.relation(chain.relation);
        }
        let relation = &description.relations[chain.relation.index()];
        let argument =
            |index: usize| match pattern.fixed.iter().find(|(argument, _)| argument.index() == index) {
                Some((_, value)) => self.term(*value),
                None if index == pattern.pair[0].index() => "?x".to_owned(),
                None => "?y".to_owned(),
            };
        let arguments: Vec<String> = (0..relation.arity).map(argument).collect();
        format!("({} {})", description.symbols.name(relation.name), arguments.join(" "))
    }

    fn ordered_by(self, order: OrderedBy) -> String {
        match order {
            OrderedBy::Relation(relation) => self.relation(relation),
            OrderedBy::Chain(index) => self.pattern(&self.structures.chains[index]),
            OrderedBy::Cycle(index) => self.pattern(&self.structures.cycles[index]),
        }
    }

    fn chain(self, finding: &OtherChain) -> OtherChain<Kif> {
        OtherChain {
            pattern: self.pattern(finding),
            relation: self.relation(finding.relation),
            shape: finding.shape,
            elements: self.terms(&finding.elements),
            evidence: finding.evidence.in_kif(self.machine),
        }
    }

    fn partial_order(self, finding: &PartialOrder) -> PartialOrder<Kif> {
        PartialOrder {
            relation: self.relation(finding.relation),
            strict: finding.strict,
            weak: finding.weak,
            elements: finding.elements,
            height: finding.height,
            evidence: finding.evidence.in_kif(self.machine),
        }
    }

    fn custom(self, finding: &CustomFinding) -> CustomFinding<Kif> {
        CustomFinding {
            detector: finding.detector.clone(),
            text: finding.text.clone(),
            terms: self.terms(&finding.terms),
            evidence: finding.evidence.in_kif(self.machine),
        }
    }

    fn adjacency(self, finding: &Adjacency) -> Adjacency<Kif> {
        Adjacency {
            relation: self.relation(finding.relation),
            from: finding.from.clone(),
            to: finding.to.clone(),
            cells: finding.cells,
        }
    }

    fn axes(self, axes: &[Axis]) -> Vec<Axis<Kif>> {
        let axis = |axis: &Axis| Axis {
            argument: axis.argument,
            order: axis.order.map(|order| self.ordered_by(order)),
        };
        axes.iter().map(axis).collect()
    }

    fn objects(self, objects: &[LocatedObject]) -> Vec<LocatedObject<Kif>> {
        let object = |of: &LocatedObject| LocatedObject {
            arguments: of.arguments.clone(),
            symbol: self.terms(&of.symbol),
            cells: of.cells,
            only_at_end: of.only_at_end,
        };
        objects.iter().map(object).collect()
    }

    fn counter(self, finding: Counter) -> Counter<Kif> {
        Counter {
            argument: finding.argument,
            by: self.relation(finding.by),
            start: self.term(finding.start),
            limit: finding.limit.map(|limit| self.term(limit)),
            direction: finding.direction,
        }
    }

    fn quantity(self, finding: Quantity) -> Quantity<Kif> {
        Quantity { value: finding.value, order: self.ordered_by(finding.order), presence: finding.presence }
    }

    fn fluent(self, finding: &FluentFinding) -> FluentFinding<Kif> {
        let description = self.machine.description();
        FluentFinding {
            fluent: finding.fluent.signature(&description.symbols),
            arity: finding.arity,
            inputs: finding.inputs.clone(),
            outputs: finding.outputs.clone(),
            minimal_keys: finding.minimal_keys.clone(),
            kind: finding.kind,
            axes: self.axes(&finding.axes),
            covered: finding.covered,
            adjacency: finding.adjacency.as_ref().map(|adjacency| self.adjacency(adjacency)),
            constant: finding.constant,
            latch: finding.latch,
            counter: finding.counter.map(|counter| self.counter(counter)),
            quantity: finding.quantity.map(|quantity| self.quantity(quantity)),
            control: finding.control,
            ordered_outputs: self.axes(&finding.ordered_outputs),
            markers: self.objects(&finding.markers),
            pieces: self.objects(&finding.pieces),
            contents: self.objects(&finding.contents),
            domains: finding.domains.iter().map(|domain| domain.texts(description)).collect(),
            role_arguments: finding.role_arguments.clone(),
            stamp: finding.stamp,
            evidence: finding.evidence.in_kif(self.machine),
        }
    }
}
