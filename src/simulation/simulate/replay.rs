//! Replays recordings on a machine and compares every position.

use std::time::Instant;

use crate::machine::{Cursor, FluentId, Machine, MoveId};

use super::comparison::{Aspect, Comparison, Difference, differences_of};
use super::recording::{RecordedPosition, Recording};
use super::text::AtomTexts;

/// Replays recordings on one machine.
pub struct Replay<'m> {
    machine: &'m dyn Machine,
    cursor: Box<dyn Cursor + 'm>,
    roles: Vec<String>,
    texts: AtomTexts,
    fluents: Vec<FluentId>,
}

/// A position of a recording.
struct ReplayPosition<'a> {
    recording: &'a Recording,
    step: u32,
    /// For each role of the recording, its number in the game.
    roles: &'a [usize],
}

impl ReplayPosition<'_> {
    fn differ(
        &self,
        aspect: Aspect,
        role: Option<String>,
        missing: Vec<String>,
        extra: Vec<String>,
    ) -> Difference {
        let Recording { source, playout, .. } = self.recording;
        let (source, playout, step) = (source.clone(), *playout, self.step);
        Difference { source, playout, step, aspect, role, missing, extra }
    }
}

impl<'m> Replay<'m> {
    /// A replay on this machine.
    pub fn new(machine: &'m dyn Machine) -> Self {
        let description = machine.description();
        let roles = description.roles.iter().map(|&role| description.term(role)).collect();
        Replay { machine, cursor: machine.cursor(), roles, texts: AtomTexts::default(), fluents: Vec::new() }
    }

    /// Replays a recording up to the first position whose state differs, and adds the result to `found`. Stops at the
    /// deadline `until`.
    pub fn play(&mut self, recording: &Recording, until: Option<Instant>, comparison: &mut Comparison) {
        comparison.playouts += 1;
        let mut place = ReplayPosition { recording, step: 0, roles: &[] };
        let Some(roles) = self.role_numbers(&recording.roles) else {
            let (expected, here) = (recording.roles.clone(), self.roles.clone());
            return comparison.add(place.differ(Aspect::Roles, None, expected, here));
        };
        place.roles = &roles;
        if let Err(error) = self.cursor.set(self.machine.initial()) {
            return comparison.add(place.differ(Aspect::Failure, None, Vec::new(), vec![error.to_string()]));
        }
        for (step, position) in recording.positions.iter().enumerate() {
            place.step = step as u32;
            if until.is_some_and(|until| Instant::now() >= until) {
                comparison.unfinished += 1;
                return;
            }
            comparison.positions += 1;
            if !self.compare(&place, position, comparison) {
                return;
            }
            let Some(joint) = &position.joint else { continue };
            let Some(joint) = self.joint(&place, joint, comparison) else { return };
            if let Err(error) = self.cursor.advance(&joint) {
                return comparison.add(place.differ(
                    Aspect::Failure,
                    None,
                    Vec::new(),
                    vec![error.to_string()],
                ));
            }
            comparison.steps += 1;
        }
    }

    /// For each role of the recording, its number in the game; none if the roles differ.
    fn role_numbers(&self, recorded: &[String]) -> Option<Vec<usize>> {
        if recorded.is_empty() {
            return Some((0..self.roles.len()).collect());
        }
        let numbers: Option<Vec<usize>> =
            recorded.iter().map(|role| self.roles.iter().position(|here| here == role)).collect();
        let mut sorted = numbers.clone()?;
        sorted.sort_unstable();
        sorted.iter().copied().eq(0..self.roles.len()).then_some(numbers).flatten()
    }

    /// Compares the cursor's position with the recorded one; false if the state differs.
    fn compare(
        &mut self,
        place: &ReplayPosition<'_>,
        position: &RecordedPosition,
        comparison: &mut Comparison,
    ) -> bool {
        let mut same = true;
        if let Some(expected) = &position.state {
            self.fluents.clear();
            self.machine.fluents(self.cursor.state(), &mut self.fluents);
            self.texts.cache_fluents(self.machine, &self.fluents);
            if let Some((missing, extra)) =
                differences_of(expected, &self.texts.sorted_fluents(&self.fluents))
            {
                comparison.add(place.differ(Aspect::State, None, missing, extra));
                same = false;
            }
        }
        let terminal = self.cursor.terminal();
        if position.terminal.is_some_and(|expected| expected != terminal) {
            let word = |terminal| vec![if terminal { "terminal" } else { "not terminal" }.to_owned()];
            comparison.add(place.differ(Aspect::Terminal, None, word(!terminal), word(terminal)));
        }
        if let Some(expected) = &position.legal {
            self.compare_lists(place, Aspect::Legal, expected.len(), comparison, |replay, index, role| {
                let legal = replay.cursor.legal(role);
                replay.texts.cache_moves(replay.machine, legal);
                differences_of(&expected[index], &replay.texts.sorted_moves(legal))
            });
        }
        if let Some(expected) = &position.goals {
            self.compare_lists(place, Aspect::Goals, expected.len(), comparison, |replay, index, role| {
                let goals = replay.cursor.goals(role);
                (goals != expected[index]).then(|| {
                    let text = |values: &[i32]| values.iter().map(i32::to_string).collect();
                    (text(&expected[index]), text(goals))
                })
            });
        }
        same
    }

    /// Compares one list per role; the lists are in the order of the recording's roles.
    fn compare_lists(
        &mut self,
        place: &ReplayPosition<'_>,
        aspect: Aspect,
        lists: usize,
        comparison: &mut Comparison,
        compare: impl Fn(&mut Self, usize, usize) -> Option<(Vec<String>, Vec<String>)>,
    ) {
        if lists != place.roles.len() {
            let counts = |count: usize| vec![format!("{count} lists")];
            return comparison.add(place.differ(aspect, None, counts(lists), counts(place.roles.len())));
        }
        for (index, &role) in place.roles.iter().enumerate() {
            if let Some((missing, extra)) = compare(self, index, role) {
                comparison.add(place.differ(aspect, Some(self.roles[role].clone()), missing, extra));
            }
        }
    }

    /// The recorded joint move; none if it can't be played here.
    fn joint(
        &mut self,
        place: &ReplayPosition<'_>,
        moves: &[String],
        comparison: &mut Comparison,
    ) -> Option<Vec<MoveId>> {
        if moves.len() != place.roles.len() {
            comparison.add(place.differ(Aspect::Move, None, moves.to_vec(), Vec::new()));
            return None;
        }
        let mut joint = vec![None; place.roles.len()];
        for (text, &role) in moves.iter().zip(place.roles) {
            let legal = self.cursor.legal(role);
            self.texts.cache_moves(self.machine, legal);
            joint[role] = legal.iter().copied().find(|&action| self.texts.action(action) == text.as_str());
            if joint[role].is_none() {
                let role = Some(self.roles[role].clone());
                comparison.add(place.differ(Aspect::Move, role, vec![text.clone()], Vec::new()));
            }
        }
        joint.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::toy::{Flaw, Race};
    use super::*;
    use crate::simulate::Recordings;
    use proptest::prelude::*;

    const GAME: &str = r#"{"type":"game","game":"race","kif":"race.kif","seed":1,"playouts":1,"cap":9,"roles":["A","b"],"case_collisions":[],"note":""}"#;
    const STEP: &str = r#"{"type":"step","playout":0,"step":0,"state":["(AT a 0)","(at a 0)","(at b 0)","(control (a))"],"legal":[["(step 1)","(step 2)"],["(noop)"]],"move":["(Step 2)","noop"]}"#;
    const END: &str = r#"{"type":"end","playout":0,"step":1,"state":["(at a 2)","(at b 0)","(control b)"],"terminal":true,"goals":[100,["0"]],"reason":"terminal"}"#;

    fn replay(lines: &[&str]) -> Comparison {
        let race = Race::new(2, Flaw::None);
        let text = std::io::Cursor::new(lines.join("\n").into_bytes());
        let mut comparison = Comparison::default();
        let mut replay = Replay::new(&race);
        for recording in Recordings::from_reader("race.jsonl".as_ref(), "race.kif", Box::new(text)) {
            replay.play(&recording.unwrap(), None, &mut comparison);
        }
        comparison
    }

    fn only(found: &Comparison) -> (Aspect, u32, Option<&str>, Vec<&str>, Vec<&str>) {
        assert_eq!(found.differences, 1, "{found:?}");
        let Difference { aspect, step, role, missing, extra, .. } = &found.first[0];
        let texts = |list: &'_ Vec<String>| {
            list.iter().map(|t| Box::leak(t.clone().into_boxed_str()) as &str).collect()
        };
        (*aspect, *step, role.as_deref(), texts(missing), texts(extra))
    }

    #[test]
    fn spelling_is_ignored() {
        let found = replay(&[GAME, STEP, END]);
        assert_eq!(
            (found.playouts, found.steps, found.positions, found.differences),
            (1, 1, 2, 0),
            "{found:?}"
        );
    }

    #[test]
    fn alterations_are_reported() {
        let state = STEP.replace("\"(at b 0)\",", "");
        assert_eq!(only(&replay(&[GAME, &state, END])), (Aspect::State, 0, None, vec![], vec!["(at b 0)"]));
        let state = END.replace("(at a 2)", "(at a 3)");
        let expected = (Aspect::State, 1, None, vec!["(at a 3)"], vec!["(at a 2)"]);
        assert_eq!(only(&replay(&[GAME, STEP, &state])), expected);
        let legal = STEP.replace("\"(noop)\"", "\"noop\",\"(step 1)\"");
        assert_eq!(
            only(&replay(&[GAME, &legal, END])),
            (Aspect::Legal, 0, Some("b"), vec!["(step 1)"], vec![])
        );
        let goal = END.replace("100", "50");
        assert_eq!(
            only(&replay(&[GAME, STEP, &goal])),
            (Aspect::Goals, 1, Some("a"), vec!["50"], vec!["100"])
        );
        let terminal = END.replace("true", "false");
        let expected = (Aspect::Terminal, 1, None, vec!["not terminal"], vec!["terminal"]);
        assert_eq!(only(&replay(&[GAME, STEP, &terminal])), expected);
        let action = STEP.replace("(Step 2)", "(step 7)");
        assert_eq!(
            only(&replay(&[GAME, &action, END])),
            (Aspect::Move, 0, Some("a"), vec!["(step 7)"], vec![])
        );
        let roles = GAME.replace("\"b\"", "\"c\"");
        assert_eq!(
            only(&replay(&[&roles, STEP, END])),
            (Aspect::Roles, 0, None, vec!["a", "c"], vec!["a", "b"])
        );
    }

    #[test]
    fn roles_may_be_in_another_order() {
        let game = GAME.replace("\"A\",\"b\"", "\"b\",\"a\"");
        let step =
            STEP.replace(r#"[["(step 1)","(step 2)"],["(noop)"]]"#, r#"[["noop"],["(step 1)","(step 2)"]]"#);
        let step = step.replace(r#"["(Step 2)","noop"]"#, r#"["noop","(step 2)"]"#);
        assert_eq!(replay(&[&game, &step, &END.replace(r#"100,["0"]"#, "0,100")]).differences, 0);
    }

    #[test]
    fn matches_of_other_games_are_skipped() {
        let good = r#"{"match_id":"m1","kif":"race.kif","roles":["a","b"],"moves":[["(step 2)","noop"]],"goals":[[100],[0]],"recorded_goals":[100,0],"states":[["(control a)","(at a 0)","(at b 0)"],["(at a 2)","(at b 0)","(control b)"]],"final_state":["(at a 2)","(at b 0)","(control b)"],"status":"ok"}"#;
        let other = good.replace("race.kif", "other.kif");
        let found = replay(&[good, &other]);
        assert_eq!((found.playouts, found.steps, found.differences), (1, 1, 0), "{found:?}");
        let bad = good.replace("[100],[0]", "[100],[50]");
        assert_eq!(only(&replay(&[&bad])), (Aspect::Goals, 1, Some("b"), vec!["50"], vec!["0"]));
        assert_eq!(replay(&[&bad]).first[0].source, "m1");
    }

    #[test]
    fn errors_have_line_numbers() {
        for (bad, message) in [
            ("{", "race.jsonl:2: "),
            (r#"{"type":"step"}"#, "race.jsonl:2: missing field"),
            (
                &STEP.replace("\"step\":0", "\"step\":4"),
                "race.jsonl:2: playout 0: expected step 0, found step 4",
            ),
            (r#"{"match_id":"m","kif":"race.kif","moves":[[]],"states":[]}"#, "race.jsonl:2: 0 states for 1"),
        ] {
            let text = std::io::Cursor::new(format!("{GAME}\n{bad}\n").into_bytes());
            let mut recordings = Recordings::from_reader("race.jsonl".as_ref(), "race.kif", Box::new(text));
            let error = recordings.next().unwrap().unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
            assert!(recordings.next().is_none());
        }
    }

    proptest! {
        /// A damaged trace is either replayed, with differences, or rejected.
        #[test]
        fn damaged_traces_are_rejected_or_differ(
            places in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<proptest::sample::Index>(),
        ) {
            let mut bytes = [GAME, STEP, END].join("\n").into_bytes();
            for (index, byte) in places {
                let index = index.index(bytes.len());
                bytes[index] = byte;
            }
            bytes.truncate(cut.index(bytes.len() * 2).min(bytes.len()));
            let race = Race::new(2, Flaw::None);
            let (mut found, mut replay) = (Comparison::default(), Replay::new(&race));
            let text = Box::new(std::io::Cursor::new(bytes));
            for recording in Recordings::from_reader("race.jsonl".as_ref(), "race.kif", text).flatten() {
                replay.play(&recording, None, &mut found);
            }
        }
    }
}
