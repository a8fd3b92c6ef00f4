//! Promise: the commonest mistakes in GDL get one message with what is wrong, where, and what to do.
//!
//! Each mistake is a change of one place in [`GAME`]. `docs/guide/mistakes.md` lists them all, and those of `command_line_mistakes.rs`;
//! `GGP_BLESS=1 cargo test --test documents mistakes::` writes the page anew.

use std::fmt::Write;

use ggp::gdl::diagnostic::Diagnostic;
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, load};
use ggp::simulate::{TrialBudget, run_trial};

const GAME: &str =
    "; Three stones. In turn a player takes one or two. The player that takes the last one wins.
(role left)
(role right)
(init (stones 3))
(init (turn left))
(fewer 2 3)
(fewer 1 3)
(fewer 1 2)
(fewer 0 2)
(fewer 0 1)
(opponent left right)
(opponent right left)
(<= (legal ?player (leave ?rest)) (true (turn ?player)) (true (stones ?count)) (fewer ?rest ?count))
(<= (legal ?player wait) (opponent ?player ?other) (true (turn ?other)))
(<= (next (stones ?rest)) (true (turn ?player)) (does ?player (leave ?rest)))
(<= (next (turn ?player)) (opponent ?player ?other) (true (turn ?other)))
(<= terminal (true (stones 0)))
(<= (goal ?player 100) (opponent ?player ?other) (true (turn ?other)))
(<= (goal ?player 0) (true (turn ?player)))
";

/// A mistake, and what is reported.
struct Mistake {
    title: &'static str,
    /// The text that is replaced in [`GAME`]; empty if `written` is the whole file.
    instead_of: &'static str,
    written: &'static str,
    code: u16,
    /// Line and column, counted from 1.
    place: (usize, usize),
    /// A part of the remedy.
    remedy: &'static str,
}

const fn mistake(
    title: &'static str,
    (instead_of, written): (&'static str, &'static str),
    code: u16,
    place: (usize, usize),
    remedy: &'static str,
) -> Mistake {
    Mistake { title, instead_of, written, code, place, remedy }
}

/// A whole file instead of the game.
const fn file(
    title: &'static str,
    written: &'static str,
    code: u16,
    place: (usize, usize),
    remedy: &'static str,
) -> Mistake {
    mistake(title, ("", written), code, place, remedy)
}

const END: &str = "(<= terminal (true (stones 0)))";
const WAIT: &str = "(<= (legal ?player wait) (opponent ?player ?other) (true (turn ?other)))";
const LOSE: &str = "(<= (goal ?player 0) (true (turn ?player)))";
const TAKE: &str = "(<= (next (stones ?rest)) (true (turn ?player)) (does ?player (leave ?rest)))";
const TURN: &str = "(<= (next (turn ?player)) (opponent ?player ?other) (true (turn ?other)))";

const GROUPS: &[(&str, &[Mistake])] = &[
    (
        "The file",
        &[
            file("an empty file", "", 57, (1, 1), "write facts and rules"),
            file("a file of comments", "; a game\n", 57, (1, 1), "(role white)"),
            file("a text in English", "Nim is a game for two players.\n", 57, (1, 1), "(role white)"),
            file(
                "a web page",
                "<!DOCTYPE html>\n<p>(role left)</p>\n",
                50,
                (1, 1),
                "save only the text of the rules",
            ),
            file("JSON", "{\"rulesheet\": \"(role left)\"}\n", 50, (1, 1), "save only the text of the rules"),
            file("UTF-16", "\u{feff}(role left)", 51, (1, 1), "save the file as UTF-8"),
            file("Prolog", "role(left).\nlegal(P, take) :- true(turn(P)).\n", 50, (1, 1), "(role ...)"),
        ],
    ),
    (
        "Parentheses and words",
        &[
            mistake(
                "a missing `)`",
                ("(init (stones 3))", "(init (stones 3)"),
                5,
                (4, 1),
                "add the missing `)`",
            ),
            mistake(
                "a `)` too many",
                ("(init (stones 3))", "(init (stones 3)))"),
                6,
                (4, 18),
                "remove this `)`",
            ),
            mistake(
                "a `)` too many at the end",
                (LOSE, "(<= (goal ?player 0) (true (turn ?player))))"),
                7,
                (19, 44),
                "remove this `)`",
            ),
            mistake(
                "empty parentheses",
                ("(init (turn left))", "(init (turn ()))"),
                9,
                (5, 13),
                "put a name",
            ),
            mistake(
                "double parentheses",
                ("(init (turn left))", "((init (turn left)))"),
                10,
                (5, 1),
                "remove the outer parentheses",
            ),
            mistake(
                "a name before its parenthesis",
                ("(init (turn left))", "(init turn(left))"),
                15,
                (5, 1),
                "(init (turn left))",
            ),
            mistake(
                "a fact outside parentheses",
                ("(init (turn left))", "init(turn(left))"),
                15,
                (5, 1),
                "(init fluent)",
            ),
            mistake(
                "a comment with `//`",
                ("(role left)", "// the players\n(role left)"),
                58,
                (2, 1),
                "begin the comment with `;`",
            ),
            mistake(
                "a comment with `#`",
                ("(role left)", "# the players\n(role left)"),
                58,
                (2, 1),
                "begin the comment with `;`",
            ),
            mistake(
                "quotation marks",
                ("(init (turn left))", "(init (turn \"left\"))"),
                59,
                (5, 13),
                "write `left`",
            ),
            mistake(
                "a missing quotation mark",
                ("(init (turn left))", "(init (turn \"left))"),
                59,
                (5, 13),
                "write `left`",
            ),
            mistake("a comma", ("(fewer 2 3)", "(fewer 2, 3)"), 59, (6, 8), "write `2`"),
            mistake("braces", ("(init (stones 3))", "{init (stones 3)}"), 59, (4, 1), "write `(`"),
            mistake(
                "capitals",
                ("(opponent left right)", "(opponent Left right)"),
                42,
                (11, 11),
                "write `left`",
            ),
        ],
    ),
    (
        "Missing parts",
        &[
            mistake("no role", ("(role left)\n(role right)\n", ""), 33, (1, 1), "(role white)"),
            mistake(
                "no rule for `legal`",
                (
                    "(<= (legal ?player (leave ?rest)) (true (turn ?player)) (true (stones ?count)) (fewer ?rest ?count))\n(<= (legal ?player wait) (opponent ?player ?other) (true (turn ?other)))\n",
                    "",
                ),
                34,
                (1, 1),
                "(legal ?player noop)",
            ),
            mistake(
                "no rule for `next`",
                (
                    "(<= (next (stones ?rest)) (true (turn ?player)) (does ?player (leave ?rest)))\n(<= (next (turn ?player)) (opponent ?player ?other) (true (turn ?other)))\n",
                    "",
                ),
                35,
                (1, 1),
                "(<= (next",
            ),
            mistake("no rule for `terminal`", (END, ""), 36, (1, 1), "(<= terminal"),
            mistake(
                "no rule for `goal`",
                (
                    "(<= (goal ?player 100) (opponent ?player ?other) (true (turn ?other)))\n(<= (goal ?player 0) (true (turn ?player)))\n",
                    "",
                ),
                37,
                (1, 1),
                "(<= (goal",
            ),
            mistake(
                "no initial state",
                ("(init (stones 3))\n(init (turn left))\n", ""),
                44,
                (11, 35),
                "add `(init (turn ...))`",
            ),
            mistake(
                "a role given by a rule",
                ("(role left)\n(role right)\n", "(<= (role ?x) (opponent ?x ?y))\n"),
                20,
                (2, 5),
                "(role name)",
            ),
        ],
    ),
    (
        "Rules",
        &[
            mistake(
                "another arrow",
                (END, "(=> terminal (true (stones 0)))"),
                50,
                (17, 2),
                "(<= head condition ...)",
            ),
            mistake(
                "`:-` instead of `<=`",
                (END, "(:- terminal (true (stones 0)))"),
                50,
                (17, 2),
                "(<= head condition ...)",
            ),
            mistake(
                "`<=` in the middle",
                (END, "(terminal <= (true (stones 0)))"),
                11,
                (17, 11),
                "directly after the `(`",
            ),
            mistake(
                "`<=` outside parentheses",
                (END, "terminal <= (true (stones 0))"),
                11,
                (17, 10),
                "(<= head condition ...)",
            ),
            mistake(
                "a rule without `<=`",
                (END, "(terminal (true (stones 0)))"),
                15,
                (17, 1),
                "(<= terminal (true (stones 0)))",
            ),
            mistake("a rule without head", (END, "(<=)"), 11, (17, 1), "(<= head condition ...)"),
            mistake(
                "a rule inside a rule",
                (END, "(<= terminal (<= over (true (stones 0))))"),
                11,
                (17, 15),
                "end the rule before this `<=`",
            ),
            mistake(
                "a fluent without `true`",
                (END, "(<= terminal (stones 0))"),
                44,
                (17, 14),
                "write `(true (stones 0))`",
            ),
            mistake(
                "a fluent without `init`",
                ("(init (stones 3))", "(stones 3)"),
                43,
                (4, 1),
                "write `(init (stones 3))`",
            ),
            mistake(
                "a fluent without `next`",
                (TURN, "(<= (turn ?player) (opponent ?player ?other) (true (turn ?other)))"),
                43,
                (16, 5),
                "write `(next (turn ?player))`",
            ),
            mistake(
                "a move without `does`",
                (TAKE, "(<= (next (stones ?rest)) (true (turn ?player)) (leave ?rest))"),
                44,
                (15, 49),
                "write `(does role (leave ?rest))`",
            ),
            mistake(
                "`true` of a relation",
                (END, "(<= terminal (true (fewer 0 1)))"),
                44,
                (17, 14),
                "remove `true`",
            ),
            mistake(
                "`true` inside `next`",
                (TURN, "(<= (next (true (turn ?player))) (opponent ?player ?other) (true (turn ?other)))"),
                19,
                (16, 11),
                "write `(next (turn ?player))`",
            ),
            mistake(
                "`true` in a head",
                (TURN, "(<= (true (turn ?player)) (opponent ?player ?other) (true (turn ?other)))"),
                23,
                (16, 5),
                "write `(next (turn ?player))`",
            ),
            mistake(
                "`true` as a fact",
                ("(init (stones 3))", "(true (stones 3))"),
                23,
                (4, 1),
                "write `(init (stones 3))`",
            ),
            mistake(
                "`does` in a head",
                (WAIT, "(<= (does ?player wait) (opponent ?player ?other) (true (turn ?other)))"),
                23,
                (14, 5),
                "write `(legal ?player wait)`",
            ),
            mistake(
                "`next` in a body",
                (END, "(<= terminal (next (stones 0)))"),
                24,
                (17, 14),
                "write `(true (stones 0))`",
            ),
            mistake(
                "`init` in a body",
                (END, "(<= terminal (init (stones 0)))"),
                21,
                (17, 14),
                "write `(true (stones 0))`",
            ),
            mistake(
                "`does` in a rule for `legal`",
                (WAIT, "(<= (legal ?player wait) (opponent ?player ?other) (does ?other (leave 2)))"),
                25,
                (14, 52),
                "store the move in a fluent",
            ),
            mistake(
                "`does` in a rule for `terminal`",
                (END, "(<= terminal (does left (leave 0)))"),
                25,
                (17, 14),
                "store the move in a fluent",
            ),
            mistake(
                "`init` that depends on the state",
                ("(init (turn left))", "(<= (init (turn left)) (true (stones 3)))"),
                22,
                (5, 24),
                "use conditions that do not depend on the state",
            ),
            mistake(
                "`and` between conditions",
                (TAKE, "(<= (next (stones ?rest)) (true (turn ?player)) and (does ?player (leave ?rest)))"),
                12,
                (15, 49),
                "remove `and`",
            ),
            mistake(
                "`not` before its parenthesis",
                (LOSE, "(<= (goal ?player 0) (role ?player) not (true (turn ?player)))"),
                12,
                (19, 37),
                "write `(not condition)`",
            ),
            mistake(
                "`not` of two conditions",
                (END, "(<= terminal (not (true (stones 1)) (true (stones 2))))"),
                12,
                (17, 14),
                "for each condition",
            ),
            mistake(
                "`not` inside `true`",
                (END, "(<= terminal (true (not (stones 3))))"),
                19,
                (17, 20),
                "write `(not (true (stones 3)))`",
            ),
            mistake(
                "`and` in a head",
                (END, "(<= (and terminal over) (true (stones 0)))"),
                18,
                (17, 5),
                "write one rule for each sentence",
            ),
            mistake(
                "a relation that needs its own negation",
                (
                    LOSE,
                    "(<= (goal ?player 0) (loses ?player))\n(<= (loses ?player) (role ?player) (not (wins ?player)))\n(<= (wins ?player) (role ?player) (not (loses ?player)))",
                ),
                30,
                (20, 41),
                "break the cycle",
            ),
            mistake(
                "`!=`",
                (END, "(<= terminal (true (stones ?n)) (!= ?n 0))"),
                44,
                (17, 33),
                "write `(distinct term term)`",
            ),
            mistake(
                "`<`",
                (END, "(<= terminal (true (stones ?n)) (< ?n 1))"),
                44,
                (17, 33),
                "GDL has no arithmetic",
            ),
            mistake(
                "arithmetic",
                (TAKE, "(<= (next (stones (- ?n 1))) (true (stones ?n)))"),
                60,
                (15, 19),
                "(succ 1 2)",
            ),
        ],
    ),
    (
        "Variables",
        &[
            mistake(
                "a role variable without `?`",
                (LOSE, "(<= (goal player 0) (true (turn player)))"),
                52,
                (19, 11),
                "write `?player`",
            ),
            mistake(
                "a variable without `?`",
                (TAKE, "(<= (next (stones ?rest)) (true (turn ?player)) (does ?player (leave rest)))"),
                26,
                (15, 19),
                "write `?rest` there",
            ),
            mistake(
                "a misspelt variable",
                (TAKE, "(<= (next (stones ?rest)) (true (turn ?player)) (does ?plaeyr (leave ?rest)))"),
                40,
                (15, 55),
                "write `?player`",
            ),
            mistake(
                "an unbound variable in the head",
                (TAKE, "(<= (next (stones ?new)) (true (turn ?player)) (does ?player (leave ?rest)))"),
                26,
                (15, 19),
                "?player or ?rest",
            ),
            mistake(
                "a variable in a fact",
                ("(fewer 0 1)", "(fewer 0 ?any)"),
                26,
                (10, 10),
                "write a name instead of `?any`",
            ),
            mistake(
                "a variable that only `not` contains",
                (WAIT, "(<= (legal ?player wait) (not (true (turn ?player))))"),
                26,
                (14, 12),
                "(role ?player)",
            ),
            mistake(
                "an unbound variable of `not`",
                (LOSE, "(<= (goal ?player 0) (true (turn ?player)) (not (opponent ?player ?winner)))"),
                28,
                (19, 67),
                "add a condition that contains `?winner`",
            ),
            mistake(
                "an unbound variable of `distinct`",
                (LOSE, "(<= (goal ?player 0) (true (turn ?player)) (distinct ?player ?winner))"),
                29,
                (19, 62),
                "remove the `distinct`",
            ),
            mistake("a variable as a condition", (END, "(<= terminal ?over)"), 13, (17, 14), "(true ?over)"),
        ],
    ),
    (
        "Names and arguments",
        &[
            mistake(
                "a misspelt relation",
                (WAIT, "(<= (legal ?player wait) (oponent ?player ?other) (true (turn ?other)))"),
                44,
                (14, 26),
                "write `opponent`",
            ),
            mistake(
                "a misspelt fluent",
                (END, "(<= terminal (true (stoens 0)))"),
                44,
                (17, 14),
                "write `stones`",
            ),
            mistake(
                "a misspelt move",
                (TAKE, "(<= (next (stones ?rest)) (true (turn ?player)) (does ?player (leaves ?rest)))"),
                44,
                (15, 49),
                "write `leave`",
            ),
            mistake(
                "a misspelt keyword in a body",
                (END, "(<= terminal (ture (stones 0)))"),
                44,
                (17, 14),
                "write `true`",
            ),
            mistake(
                "a misspelt keyword in a head",
                (END, "(<= termnal (true (stones 0)))"),
                36,
                (17, 5),
                "write `terminal` instead of `termnal`",
            ),
            mistake(
                "a misspelt role",
                (
                    WAIT,
                    "(<= (legal rigth wait) (true (turn left)))\n(<= (legal left wait) (true (turn right)))",
                ),
                52,
                (14, 12),
                "write `right`",
            ),
            mistake(
                "a fluent without its own parentheses",
                (END, "(<= terminal (true stones 0))"),
                15,
                (17, 14),
                "write `(true (stones 0))`",
            ),
            mistake(
                "a move without its own parentheses",
                (WAIT, "(<= (legal ?player wait long) (opponent ?player ?other) (true (turn ?other)))"),
                15,
                (14, 5),
                "write `(legal ?player (wait long))`",
            ),
            mistake(
                "`does` without a role",
                (TAKE, "(<= (next (stones ?rest)) (true (turn ?player)) (does (leave ?rest)))"),
                15,
                (15, 49),
                "add the role",
            ),
            mistake(
                "`goal` without a role",
                (LOSE, "(<= (goal 0) (true (turn ?player)))"),
                15,
                (19, 5),
                "add the role",
            ),
            mistake(
                "`goal` with the value first",
                (LOSE, "(<= (goal 0 ?player) (true (turn ?player)))"),
                52,
                (19, 11),
                "write `(goal ?player 0)`",
            ),
            mistake(
                "`terminal` with an argument",
                (END, "(<= (terminal left) (true (stones 0)))"),
                15,
                (17, 5),
                "write `terminal` without arguments",
            ),
            mistake(
                "a missing argument",
                (TURN, "(<= (next (turn ?player)) (opponent ?player) (true (turn ?other)))"),
                16,
                (16, 27),
                "`opponent` with 2 arguments",
            ),
            mistake(
                "a fluent with another number of arguments",
                (END, "(<= terminal (true (stones left 0)))"),
                44,
                (17, 14),
                "`stones` with 1 argument",
            ),
            mistake(
                "a repeated fact",
                ("(fewer 0 1)", "(fewer 0 1)\n(fewer 0 1)"),
                41,
                (11, 1),
                "remove one of them",
            ),
            mistake(
                "an unused relation",
                ("(fewer 0 1)", "(fewer 0 1)\n(colour red)"),
                43,
                (11, 1),
                "remove it",
            ),
        ],
    ),
    (
        "Goals and play",
        &[
            mistake(
                "a goal value above 100",
                ("(goal ?player 100)", "(goal ?player 200)"),
                38,
                (18, 19),
                "use values from 0 to 100",
            ),
            mistake(
                "a goal value that is a word",
                ("(goal ?player 100)", "(goal ?player win)"),
                39,
                (18, 19),
                "write an integer from 0 to 100",
            ),
            mistake(
                "a goal value with a decimal point",
                ("(goal ?player 100)", "(goal ?player 0.5)"),
                39,
                (18, 19),
                "write an integer from 0 to 100",
            ),
            mistake(
                "a game that no role can win",
                ("(goal ?player 100)", "(goal ?player 90)"),
                53,
                (18, 1),
                "(goal left 100)",
            ),
            mistake(
                "a role without goal values",
                (
                    "(<= (goal ?player 100) (opponent ?player ?other) (true (turn ?other)))\n(<= (goal ?player 0) (true (turn ?player)))\n",
                    "(<= (goal left 100) (true (turn right)))\n(<= (goal left 0) (true (turn left)))\n",
                ),
                53,
                (18, 1),
                "(goal right 100)",
            ),
            mistake("no goal value for the loser", (LOSE, ""), 55, (18, 1), "exactly one value"),
            mistake(
                "two goal values for the winner",
                (LOSE, "(<= (goal ?player 0) (role ?player))"),
                55,
                (18, 1),
                "exactly one value",
            ),
            mistake("no move for the role that waits", (WAIT, ""), 61, (13, 1), "`noop`"),
            mistake("a fluent without a rule that keeps it", (TURN, ""), 54, (13, 1), "`noop`"),
            mistake(
                "a game that never ends",
                (TAKE, "(<= (next (stones ?count)) (true (stones ?count)))"),
                56,
                (17, 1),
                "`terminal`",
            ),
        ],
    ),
];

/// The text with the mistake.
fn text(mistake: &Mistake) -> String {
    if mistake.instead_of.is_empty() {
        return mistake.written.to_owned();
    }
    assert_eq!(GAME.matches(mistake.instead_of).count(), 1, "{} changes one place", mistake.title);
    GAME.replace(mistake.instead_of, mistake.written)
}

fn source(mistake: &Mistake) -> Source {
    let text = text(mistake);
    match mistake.title {
        "UTF-16" => {
            Source::from_bytes("game", text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>())
        }
        _ => Source::from_text("game", text),
    }
}

/// What `ggp check` reports.
fn faults(source: &Source) -> Vec<Diagnostic> {
    let reading = read(source);
    let mut faults = reading.diagnostics;
    if let Some(description) = reading.description
        && let Ok(game) = load(description, Backend::Relational, &Limits::default())
    {
        faults.extend(run_trial(game.machine.relational().unwrap(), &TrialBudget::default()).faults);
    }
    faults
}

/// The fault of a mistake, if it is reported at the right place with the right remedy.
fn fault(mistake: &Mistake) -> Result<Diagnostic, String> {
    let source = source(mistake);
    let faults = faults(&source);
    let found = faults.iter().find(|fault| {
        fault.code.0 == mistake.code
            && source.position(fault.span().start) == mistake.place
            && [&fault.message, &fault.expected, &fault.help].iter().any(|text| text.contains(mistake.remedy))
    });
    found.cloned().ok_or_else(|| {
        let list = faults.iter().map(|fault| {
            let (line, column) = source.position(fault.span().start);
            format!(
                "\n  {} {line}:{column} {} / {} / {}",
                fault.code, fault.message, fault.expected, fault.help
            )
        });
        format!("{}:{}", mistake.title, list.collect::<String>())
    })
}

/// The message, the expectation and the remedy of every mistake, with its title.
pub(super) fn messages() -> impl Iterator<Item = (&'static str, [String; 3])> {
    let mistakes = GROUPS.iter().flat_map(|(_, mistakes)| mistakes.iter());
    mistakes.map(|mistake| {
        let fault = fault(mistake).unwrap();
        (mistake.title, [fault.message, fault.expected, fault.help])
    })
}

#[test]
fn the_game_without_mistakes_has_no_fault() {
    assert_eq!(faults(&Source::from_text("game", GAME)), []);
}

#[test]
fn every_mistake_is_reported_at_its_place_with_its_remedy() {
    let mistakes = || GROUPS.iter().flat_map(|(_, mistakes)| mistakes.iter());
    let missing: Vec<String> = mistakes().filter_map(|mistake| fault(mistake).err()).collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(mistakes().count() >= 60);
}

/// Text as code in a cell of a table.
fn code(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    match lines[..] {
        [] => String::new(),
        _ => lines
            .iter()
            .map(|line| format!("`` {} ``", line.replace('|', "\\|")))
            .collect::<Vec<_>>()
            .join("<br>"),
    }
}

fn page() -> String {
    let count: usize = GROUPS.iter().map(|(_, mistakes)| mistakes.len()).sum();
    let mut page = format!(
        "# Common mistakes\n\n\
         This page lists {count} common mistakes in GDL, with the message of `ggp check` and what to do. Each mistake \
         changes one place\nof the game below. `GDL015, 17:14` is the code of the message, and the line and column of the \
         mistake. `ggp check --explain GDL015`\nexplains a code. A test makes all these mistakes and writes this page.\n\n```text\n{GAME}```\n"
    );
    for (group, mistakes) in GROUPS {
        let _ =
            write!(page, "\n## {group}\n\n| mistake | written | message | what to do |\n|---|---|---|---|\n");
        for mistake in *mistakes {
            let fault = fault(mistake).unwrap();
            let written = match (mistake.written, mistake.instead_of) {
                ("", "") => String::new(),
                ("", removed) => format!("without {}", code(removed)),
                (written, _) => code(written.trim_start_matches('\u{feff}')),
            };
            let expected = if fault.expected.is_empty() {
                String::new()
            } else {
                format!("expected {}; ", fault.expected)
            };
            let cell = |text: &str| text.replace('|', "\\|");
            let _ = writeln!(
                page,
                "| {} | {written} | {}, {}:{}: {} | {}{} |",
                mistake.title,
                fault.code,
                mistake.place.0,
                mistake.place.1,
                cell(&fault.message),
                cell(&expected),
                cell(&fault.help)
            );
        }
    }
    page + &crate::command_line_mistakes::section()
}

#[test]
fn the_page_lists_every_mistake() {
    let (file, page) = ("docs/guide/mistakes.md", page());
    if std::env::var_os("GGP_BLESS").is_some() {
        std::fs::write(file, &page).unwrap();
    }
    let kept = std::fs::read_to_string(file).unwrap_or_default();
    assert!(kept == page, "{file} is stale: run `GGP_BLESS=1 cargo test --test documents mistakes::`");
}
