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
        let Names { machine, structures: of } = self;
        let noops = of.noops.iter().map(|(&role, moves)| {
            (self.role(role), moves.iter().map(|&action| machine.move_text(action)).collect())
        });
        Structures {
            successors: of.successors.iter().map(|successor| self.successor(successor)).collect(),
            orders: of.orders.iter().map(|order| self.order(order)).collect(),
            chains: of.chains.iter().map(|chain| self.chain(chain)).collect(),
            cycles: of.cycles.iter().map(|chain| self.chain(chain)).collect(),
            partial_orders: of.partial_orders.iter().map(|order| self.partial_order(order)).collect(),
            fluents: of.fluents.iter().map(|fluent| self.fluent(fluent)).collect(),
            teams: of.teams.iter().map(|team| team.iter().map(|&role| self.role(role)).collect()).collect(),
            teams_evidence: of.teams_evidence.in_kif(machine),
            turns: of.turns,
            turns_evidence: of.turns_evidence.in_kif(machine),
            zero_sum: of.zero_sum,
            zero_sum_evidence: of.zero_sum_evidence.in_kif(machine),
            noops: noops.collect(),
            noops_evidence: of.noops_evidence.in_kif(machine),
            custom: of.custom.iter().map(|custom| self.custom(custom)).collect(),
            coverage: of.coverage,
            rule_coverage: of.rule_coverage.clone(),
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

    fn successor(self, of: &Successor) -> Successor<Kif> {
        Successor {
            relation: self.relation(of.relation),
            length: of.length,
            reversed: of.reversed,
            first: self.term(of.first),
            last: self.term(of.last),
            elements: self.terms(&of.elements),
            evidence: of.evidence.in_kif(self.machine),
        }
    }

    fn order(self, of: &Order) -> Order<Kif> {
        Order {
            relation: self.relation(of.relation),
            over: self.relation(of.over),
            strict: of.strict,
            ascending: of.ascending,
            uncompared: of.uncompared,
            evidence: of.evidence.in_kif(self.machine),
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

    fn chain(self, of: &OtherChain) -> OtherChain<Kif> {
        OtherChain {
            pattern: self.pattern(of),
            relation: self.relation(of.relation),
            shape: of.shape,
            elements: self.terms(&of.elements),
            evidence: of.evidence.in_kif(self.machine),
        }
    }

    fn partial_order(self, of: &PartialOrder) -> PartialOrder<Kif> {
        PartialOrder {
            relation: self.relation(of.relation),
            strict: of.strict,
            weak: of.weak,
            elements: of.elements,
            height: of.height,
            evidence: of.evidence.in_kif(self.machine),
        }
    }

    fn custom(self, of: &CustomFinding) -> CustomFinding<Kif> {
        CustomFinding {
            detector: of.detector.clone(),
            text: of.text.clone(),
            terms: self.terms(&of.terms),
            evidence: of.evidence.in_kif(self.machine),
        }
    }

    fn adjacency(self, of: &Adjacency) -> Adjacency<Kif> {
        Adjacency {
            relation: self.relation(of.relation),
            from: of.from.clone(),
            to: of.to.clone(),
            cells: of.cells,
        }
    }

    fn axes(self, axes: &[Axis]) -> Vec<Axis<Kif>> {
        let axis =
            |of: &Axis| Axis { argument: of.argument, order: of.order.map(|order| self.ordered_by(order)) };
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

    fn counter(self, of: Counter) -> Counter<Kif> {
        Counter {
            argument: of.argument,
            by: self.relation(of.by),
            start: self.term(of.start),
            limit: of.limit.map(|limit| self.term(limit)),
            direction: of.direction,
        }
    }

    fn quantity(self, of: Quantity) -> Quantity<Kif> {
        Quantity { value: of.value, order: self.ordered_by(of.order), presence: of.presence }
    }

    fn fluent(self, of: &FluentFinding) -> FluentFinding<Kif> {
        let description = self.machine.description();
        FluentFinding {
            fluent: of.fluent.signature(&description.symbols),
            arity: of.arity,
            inputs: of.inputs.clone(),
            outputs: of.outputs.clone(),
            minimal_keys: of.minimal_keys.clone(),
            kind: of.kind,
            axes: self.axes(&of.axes),
            covered: of.covered,
            adjacency: of.adjacency.as_ref().map(|adjacency| self.adjacency(adjacency)),
            constant: of.constant,
            latch: of.latch,
            counter: of.counter.map(|counter| self.counter(counter)),
            quantity: of.quantity.map(|quantity| self.quantity(quantity)),
            control: of.control,
            ordered_outputs: self.axes(&of.ordered_outputs),
            markers: self.objects(&of.markers),
            pieces: self.objects(&of.pieces),
            contents: self.objects(&of.contents),
            domains: of.domains.iter().map(|domain| domain.texts(description)).collect(),
            role_arguments: of.role_arguments.clone(),
            stamp: of.stamp,
            evidence: of.evidence.in_kif(self.machine),
        }
    }
}
