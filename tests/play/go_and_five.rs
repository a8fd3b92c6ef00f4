//! The rules of Go and Connect Five are correct. Hand-written programs, which flood-fill chains and count lines,
//! have the same legal moves, stones, ends and goal values in every state of random games.

use std::collections::BTreeSet;
use std::path::Path;

use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Cursor, Machine, MoveId, load};
use ggp::report::facts::{Fact, facts};
use ggp::simulate::Choices;

/// A hand-written game of two roles on a square board.
trait ByHand {
    const FLUENT: &'static str;

    fn new() -> Self;
    /// The legal moves of the player to move, as the rules write them.
    fn legal(&self) -> BTreeSet<String>;
    fn play(&mut self, chosen: &str);
    /// All stones: row and column from 0, and the player.
    fn stones(&self) -> BTreeSet<(usize, usize, usize)>;
    /// The goal values of both players at the end; `None` before.
    fn goals(&self) -> Option<[i32; 2]>;
}

const PLAYERS: [&str; 2] = ["black", "white"];

/// The row and column of `(set 3 4)`, from 0; `None` for a pass.
fn coordinates(chosen: &str) -> Option<(usize, usize)> {
    let words: Vec<usize> =
        chosen.trim_matches(['(', ')']).split(' ').filter_map(|word| word.parse().ok()).collect();
    (words.len() == 2).then(|| (words[0] - 1, words[1] - 1))
}

fn won(winner: Option<usize>) -> [i32; 2] {
    match winner {
        Some(0) => [100, 0],
        Some(_) => [0, 100],
        None => [50, 50],
    }
}

type Board<const N: usize> = [[Option<usize>; N]; N];

fn listed<const N: usize>(board: &Board<N>) -> BTreeSet<(usize, usize, usize)> {
    let points = (0..N).flat_map(|row| (0..N).map(move |column| (row, column)));
    points.filter_map(|(row, column)| Some((row, column, board[row][column]?))).collect()
}

struct Go {
    board: Board<5>,
    player: usize,
    moves: usize,
    passes: usize,
    /// The board before the last move. A capture of one stone must not restore it (ko).
    ko: Option<Board<5>>,
}

fn around(row: usize, column: usize) -> impl Iterator<Item = (usize, usize)> {
    let steps = [(0, 1), (1, 0), (0, -1_i32), (-1, 0)];
    steps.into_iter().filter_map(move |(down, right)| {
        let (row, column) = (row as i32 + down, column as i32 + right);
        ((0..5).contains(&row) && (0..5).contains(&column)).then_some((row as usize, column as usize))
    })
}

/// The connected points with the same content as this point, and the contents of their neighbours.
fn region(
    board: &Board<5>,
    row: usize,
    column: usize,
) -> (BTreeSet<(usize, usize)>, BTreeSet<Option<usize>>) {
    let (mut points, mut beside, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![(row, column)]);
    while let Some((a, b)) = open.pop() {
        if points.insert((a, b)) {
            for (c, d) in around(a, b) {
                if board[c][d] == board[row][column] {
                    open.push((c, d));
                } else {
                    beside.insert(board[c][d]);
                }
            }
        }
    }
    (points, beside)
}

impl Go {
    /// The board after this stone, and the number of captured stones; `None` for suicide.
    fn after(&self, row: usize, column: usize) -> Option<(Board<5>, usize)> {
        let mut board = self.board;
        board[row][column] = Some(self.player);
        let mut taken = 0;
        for (a, b) in around(row, column) {
            if board[a][b] == Some(1 - self.player) {
                let (points, beside) = region(&board, a, b);
                if !beside.contains(&None) {
                    taken += points.len();
                    points.iter().for_each(|&(c, d)| board[c][d] = None);
                }
            }
        }
        region(&board, row, column).1.contains(&None).then_some((board, taken))
    }
}

impl ByHand for Go {
    const FLUENT: &'static str = "stone";

    fn new() -> Go {
        Go { board: [[None; 5]; 5], player: 0, moves: 0, passes: 0, ko: None }
    }

    fn legal(&self) -> BTreeSet<String> {
        let points = (0..5).flat_map(|row| (0..5).map(move |column| (row, column)));
        let can = |&(row, column): &(usize, usize)| {
            let after = if self.board[row][column].is_none() { self.after(row, column) } else { None };
            after.is_some_and(|(board, taken)| taken != 1 || self.ko != Some(board))
        };
        let sets = points.filter(can).map(|(row, column)| format!("(set {} {})", row + 1, column + 1));
        sets.chain(["pass".to_owned()]).collect()
    }

    fn play(&mut self, chosen: &str) {
        let before = self.board;
        self.passes = match coordinates(chosen) {
            Some((row, column)) => {
                (self.board, _) = self.after(row, column).unwrap();
                0
            }
            None => self.passes + 1,
        };
        self.ko = Some(before).filter(|_| self.passes == 0);
        self.player = 1 - self.player;
        self.moves += 1;
    }

    fn stones(&self) -> BTreeSet<(usize, usize, usize)> {
        listed(&self.board)
    }

    fn goals(&self) -> Option<[i32; 2]> {
        let mut area = [0; 2];
        for (row, column) in (0..5).flat_map(|row| (0..5).map(move |column| (row, column))) {
            let beside = region(&self.board, row, column).1;
            match self.board[row][column] {
                Some(player) => area[player] += 1,
                None if beside.len() == 1 => area[beside.iter().flatten().copied().next().unwrap()] += 1,
                None => {}
            }
        }
        let winner = if area[0] == area[1] { None } else { Some(usize::from(area[1] > area[0])) };
        (self.passes == 2 || self.moves == 60).then(|| won(winner))
    }
}

struct Five {
    board: Board<8>,
    player: usize,
}

impl ByHand for Five {
    const FLUENT: &'static str = "mark";

    fn new() -> Five {
        Five { board: [[None; 8]; 8], player: 0 }
    }

    fn legal(&self) -> BTreeSet<String> {
        let points = (0..8).flat_map(|row| (0..8).map(move |column| (row, column)));
        let free = points.filter(|&(row, column)| self.board[row][column].is_none());
        free.map(|(row, column)| format!("(set {} {})", row + 1, column + 1)).collect()
    }

    fn play(&mut self, chosen: &str) {
        let (row, column) = coordinates(chosen).unwrap();
        self.board[row][column] = Some(self.player);
        self.player = 1 - self.player;
    }

    fn stones(&self) -> BTreeSet<(usize, usize, usize)> {
        listed(&self.board)
    }

    fn goals(&self) -> Option<[i32; 2]> {
        let at = |row: i32, column: i32| {
            let within = (0..8).contains(&row) && (0..8).contains(&column);
            within.then(|| self.board[row as usize][column as usize]).flatten()
        };
        let line = |player: usize| {
            (0..8).any(|row| {
                (0..8).any(|column| {
                    [(0, 1), (1, 0), (1, 1), (1, -1)].into_iter().any(|(down, right)| {
                        (0..5).all(|n| at(row + n * down, column + n * right) == Some(player))
                    })
                })
            })
        };
        let winner = (0..2).find(|&player| line(player));
        (winner.is_some() || self.stones().len() == 64).then(|| won(winner))
    }
}

/// Plays at random and compares every state with the hand-written program.
fn compare<G: ByHand>(game: &str, plays: u64) -> [usize; 3] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("games").join(game).with_extension("kif");
    let description = read(&Source::load(&path).unwrap()).description.unwrap();
    let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
    let machine = &*loaded.machine;
    let mut cursor = machine.cursor();
    let (mut states, mut draws, mut captures) = (0, 0, 0);
    for play in 0..plays {
        let mut choices = Choices::new(7, play);
        cursor.set(machine.initial()).unwrap();
        let mut hand = G::new();
        let mut player = 0;
        loop {
            states += 1;
            assert_eq!(stones(machine, &*cursor, G::FLUENT), hand.stones(), "{game}, play {play}");
            assert_eq!(cursor.terminal(), hand.goals().is_some(), "{game}, play {play}");
            if let Some(goals) = hand.goals() {
                assert_eq!(
                    [cursor.goals(0), cursor.goals(1)],
                    goals.map(|goal| vec![goal]),
                    "{game}, play {play}"
                );
                draws += usize::from(goals == [50, 50]);
                break;
            }
            let legal = cursor.legal(player).to_vec();
            let texts: BTreeSet<String> = legal.iter().map(|&action| machine.move_text(action)).collect();
            assert_eq!(texts, hand.legal(), "{game}, play {play}");
            let waiting = cursor.legal(1 - player).to_vec();
            assert_eq!(waiting.len(), 1);
            // Chooses fewer passes, which would end games too early.
            let mut chosen = legal[choices.below(legal.len())];
            if machine.move_text(chosen) == "pass" && choices.below(4) > 0 {
                chosen = legal[choices.below(legal.len())];
            }
            let mut joint: [MoveId; 2] = [chosen; 2];
            joint[1 - player] = waiting[0];
            let before = hand.stones().len();
            cursor.advance(&joint).unwrap();
            hand.play(&machine.move_text(chosen));
            captures += (before + 1).saturating_sub(hand.stones().len()).min(1);
            player = 1 - player;
        }
    }
    [states, draws, captures]
}

/// The stones that the facts of the board describe.
fn stones(machine: &dyn Machine, cursor: &dyn Cursor, fluent: &str) -> BTreeSet<(usize, usize, usize)> {
    let of_board = facts(machine, cursor.state()).into_iter().filter(|fact| fact.name == fluent);
    let number = |word: &String| word.parse::<usize>().unwrap() - 1;
    let stone = |fact: Fact| {
        let [row, column, player] = &fact.arguments[..] else { panic!("{fact}") };
        (number(row), number(column), PLAYERS.iter().position(|known| known == player).unwrap())
    };
    of_board.map(stone).collect()
}

#[test]
fn go_agrees_with_the_hand_written_program() {
    let [states, draws, captures] = compare::<Go>("go_5x5", 400);
    assert!(states > 10_000 && draws > 5 && captures > 500, "{states} {draws} {captures}");
}

#[test]
fn connect_five_agrees_with_the_hand_written_program() {
    let [states, ..] = compare::<Five>("connect_five", 150);
    assert!(states > 5_000, "{states}");
}
