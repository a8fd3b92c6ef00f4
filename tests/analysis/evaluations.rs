//! An evaluation function is a document that runs on the same game, for any layout of document and rules. An
//! edited document runs and is marked as edited; one that cannot be used is refused with its place and the remedy.

use std::path::Path;

use ggp::evaluation::document::SCHEMA;
use ggp::evaluation::{
    BuildContext, Document, DocumentError, FunctionError, GameIdentity, Kind, Parameters,
    function_statistics, functions,
};
use ggp::feature::{Feature, FeatureError, StateEvaluator, measure};
use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Machine, load};
use ggp::report::evaluation_files::{index, to_json, write_documents};
use ggp::simulate::{Budget, Context};
use ggp::structure::detect;
use proptest::prelude::*;
use serde_json::{Value, json};

struct Game {
    machine: Box<dyn Machine>,
    identity: GameIdentity,
    documents: Vec<Document>,
}

fn game(name: &str) -> Game {
    make_game(&Source::load(Path::new("games").join(name).with_extension("kif")).unwrap(), 1)
}

fn make_game(source: &Source, threads: usize) -> Game {
    let description = read(source).description.unwrap();
    let loaded = load(description, Backend::Auto, &Limits::default()).unwrap();
    let machine = loaded.machine;
    let budget = Budget { playouts: 60, threads, ..Budget::default() };
    let context = Context::default();
    let structures = detect(&*machine, &loaded.statics, &budget, &context).unwrap().0;
    let report = measure(&*machine, &structures, &budget, &context).unwrap();
    let features: Vec<Feature> = report.features.iter().map(|measured| measured.feature.clone()).collect();
    let material = BuildContext::new(&*machine, &structures, &features, &budget);
    let made = functions(&material, &Parameters::default());
    let measured = function_statistics(&*machine, &made.list, &report.sequences, &budget).unwrap();
    let identity = GameIdentity::new(source.bytes(), machine.description());
    let document =
        |(function, quality)| Document::new(&identity, &*machine, &structures, function, Some(quality));
    let documents = made.list.into_iter().zip(measured).map(document).collect();
    Game { machine, identity, documents }
}

fn value(game: &Game, document: &Document) -> f64 {
    let mut measure = document.function.bind(&*game.machine).unwrap();
    let mut state_evaluator = StateEvaluator::new(&*game.machine);
    measure.value(&state_evaluator.at(game.machine.initial()).unwrap())
}

fn parse(value: &Value) -> Result<Document, DocumentError> {
    Document::parse(value.to_string().as_bytes())
}

#[test]
fn documents_are_self_contained() {
    for name in ["tic_tac_toe", "three_player_race", "racetrack_corridor", "eight_puzzle", "nim"] {
        let game = game(name);
        assert!(game.documents.iter().any(|document| document.kind == Kind::Fuzzy), "{name}");
        for document in &game.documents {
            let text = to_json(document).unwrap();
            let again = Document::parse(text.as_bytes()).unwrap();
            assert_eq!(again, *document, "{name}");
            assert!(!again.edited && again.is_for(&game.identity).is_ok());
            let found = value(&game, &again);
            assert_eq!(found, value(&game, document));
            assert!(document.range[0] <= found && found <= document.range[1], "{name} {}", document.id);
            assert!(!document.formula.is_empty() && document.quality.is_some());
            // Key order and white space do not change the document.
            let value: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(parse(&value).unwrap(), *document);
        }
    }
}

#[test]
fn documents_do_not_depend_on_threads() {
    let source = Source::load("games/breakthrough.kif").unwrap();
    let [one, two] = [1, 2].map(|threads| make_game(&source, threads).documents);
    let text = |documents: &[Document]| documents.iter().map(|d| to_json(d).unwrap()).collect::<String>();
    assert!(text(&one) == text(&two));
}

#[test]
fn the_layout_of_the_rules_does_not_matter() {
    let text = std::fs::read_to_string("games/tic_tac_toe.kif").unwrap();
    let game = game("tic_tac_toe");
    let other = format!("; the same game\n{}", text.replace("?", "?of_"));
    let source = Source::from_text("renamed", other);
    let identity = GameIdentity::new(source.bytes(), &read(&source).description.unwrap());
    assert_ne!(identity.sha256, game.identity.sha256);
    game.documents[0].is_for(&identity).unwrap();

    let connect_four = self::game("connect_four_4x4").identity;
    let error = game.documents[0].is_for(&connect_four).unwrap_err().to_string();
    assert!(error.contains("`tic_tac_toe`") && error.contains("`connect_four_4x4`"), "{error}");
}

fn of_kind(game: &Game, kind: Kind) -> Value {
    let document = game.documents.iter().find(|document| document.kind == kind).unwrap();
    serde_json::to_value(document).unwrap()
}

#[test]
fn edited_documents_run_and_are_marked() {
    let game = game("tic_tac_toe");
    let plain = of_kind(&game, Kind::Kuhlmann);
    let mut edited = plain.clone();
    edited["function"]["feature"]["feature"]["range"] = json!([0.0, 3.0]);
    let edited = parse(&edited).unwrap();
    assert!(edited.edited);
    value(&game, &edited);

    let mut renamed = plain.clone();
    renamed["id"] = json!("mine");
    assert!(parse(&renamed).unwrap().edited);

    let mut fuzzy = of_kind(&game, Kind::Fuzzy);
    // Before the first move both sides have the same value for any parameters, so leave out the other side.
    fuzzy["function"]["fuzzy"]["against"] = json!([]);
    let before = value(&game, &parse(&fuzzy).unwrap());
    fuzzy["function"]["fuzzy"]["parameters"]["p"] = json!(0.9);
    let error = parse(&fuzzy).unwrap_err().to_string();
    assert!(error.contains("`parameters`") && error.contains("0.9") && error.contains("0.8"), "{error}");
    fuzzy["parameters"]["p"] = json!(0.9);
    let edited = parse(&fuzzy).unwrap();
    assert!(edited.edited);
    assert_ne!(value(&game, &edited), before);
}

#[test]
fn invalid_parts_are_rejected() {
    let game = game("tic_tac_toe");
    let (plain, fuzzy) = (of_kind(&game, Kind::Kuhlmann), of_kind(&game, Kind::Fuzzy));
    let feature = "/function/feature/feature";
    // The edit, and the words that the error must contain.
    for (document, key, new, expected) in [
        (&plain, "/schema", json!("ggp.evaluation/9"), vec!["ggp.evaluation/9", SCHEMA]),
        (&plain, "/schema", json!(1), vec!["`1`", SCHEMA]),
        (&plain, "/kind", json!("kulhmann"), vec!["unknown variant `kulhmann`", "`kuhlmann`"]),
        (&plain, "/kind", json!("fuzzy"), vec!["`kind` is fuzzy", "kuhlmann"]),
        (&plain, "/role", json!("nobody"), vec!["`role` is nobody"]),
        (&plain, "/rewards", json!([0, 50]), vec!["`rewards` is [0, 50]", "[0, 100]"]),
        (&plain, "/range", json!([9, 1]), vec!["`range` goes from 9 to 1"]),
        (&plain, "/range", json!(["1", 2]), vec!["range", "string", "f64"]),
        (&plain, "/surplus", json!(true), vec!["unknown field `surplus`", "`formula`"]),
        (&plain, &format!("{feature}/range"), json!([9, 0]), vec!["range of the feature", "from 9 to 0"]),
        (
            &plain,
            &format!("{feature}/range/0"),
            json!("0"),
            vec!["function.feature.feature.range[0]", "string"],
        ),
        (&plain, &format!("{feature}/spec/kind"), json!("cout"), vec!["cout", "`count`"]),
        (&plain, &format!("{feature}/spec/weight"), json!(2), vec!["unknown field `weight`"]),
        (&plain, &format!("{feature}/extra"), json!(2), vec!["unknown field `extra`"]),
        (
            &fuzzy,
            "/function/fuzzy/parameters/threshold",
            json!(0.4),
            vec!["threshold is 0.4", "more than 0.5"],
        ),
        (&fuzzy, "/function/fuzzy/goals/0/condition", json!("3"), vec!["goals[0].condition", "string"]),
        (&fuzzy, "/function/fuzzy/parameters/norm/family", json!("sum"), vec!["unknown variant `sum`"]),
        (&plain, "/quality/goal/low", json!([1]), vec!["quality.goal.low"]),
        (
            &plain,
            "/evidence/0/evidence/methods/0",
            json!("guess"),
            vec!["evidence[0]", "`guess`", "`syntax`"],
        ),
    ] {
        let mut document = document.clone();
        let (parent, last) = key.rsplit_once('/').unwrap();
        match document.pointer_mut(parent).unwrap() {
            Value::Array(list) => list[last.parse::<usize>().unwrap()] = new,
            parent => parent[last] = new,
        }
        let error = parse(&document).unwrap_err().to_string();
        assert!(expected.iter().all(|words| error.contains(words)), "{key}: {error}");
    }
}

#[test]
fn parts_missing_in_the_game_are_rejected() {
    let game = game("tic_tac_toe");
    let plain = of_kind(&game, Kind::Kuhlmann);
    for (pattern, expected) in [
        (
            "(marc ?x ?y cross)",
            (|error| matches!(error, FeatureError::UnknownFluent { fluent, .. } if fluent == "marc/3"))
                as fn(&FeatureError) -> bool,
        ),
        ("(mark ?x ?y circle)", |error| {
            matches!(error, FeatureError::NoMatch { argument: 3, known, .. }
                if known.starts_with("`cross`, `nought`"))
        }),
        ("(mark ?x", |error| matches!(error, FeatureError::Syntax { .. })),
    ] {
        let mut document = plain.clone();
        document["function"]["feature"]["feature"]["spec"]["pattern"] = json!(pattern);
        let error = parse(&document).unwrap().function.bind(&*game.machine).err().unwrap();
        assert!(matches!(&error, FunctionError::Feature(error) if expected(error)), "{error:?}");
    }
    let mut nobody = plain.clone();
    nobody["role"] = json!("circles");
    nobody["function"]["feature"]["role"] = json!("circles");
    let error = parse(&nobody).unwrap().function.bind(&*game.machine).err().unwrap();
    assert!(
        matches!(&error, FunctionError::Feature(FeatureError::UnknownRole { role, known })
            if role == "circles" && known == "`crosses`, `noughts`"),
        "{error:?}"
    );

    let mut fuzzy = of_kind(&game, Kind::Fuzzy).to_string();
    fuzzy = fuzzy.replacen("(mark 1 1 cross)\"}", "(mark 1 9 cross)\"}", 1);
    let error = Document::parse(fuzzy.as_bytes()).unwrap().function.bind(&*game.machine).err().unwrap();
    assert!(error.to_string().contains("(mark 1 9 cross)"), "{error}");
}

#[test]
fn invalid_texts_are_rejected() {
    let plain = to_json(&game("tic_tac_toe").documents[0]).unwrap();
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let nan = plain.replacen("1.0", "NaN", 1);
    let infinite = plain.replacen("1.0", "1e999", 1);
    let twice = plain.replacen("\"id\"", "\"kind\": \"fuzzy\", \"id\"", 1);
    for (text, place, expected) in [
        ("", None, "it is empty"),
        (" \n", None, "it is empty"),
        ("{}", None, "no key `schema`"),
        ("[1, 2]", None, "no key `schema`"),
        ("7", None, "no key `schema`"),
        ("(role x)", Some((1, 1)), "a value is expected"),
        ("{\n  \"schema\": \"ggp.evaluation/1\",\n}", Some((3, 1)), "trailing comma"),
        ("{\n  \"schema\": \"ggp.evaluation/1\"\n}", Some((3, 1)), "missing field `id`"),
        (&plain[..plain.len() / 2], Some((0, 0)), "EOF"),
        (&deep, Some((1, 128)), "127 deep"),
        (&nan, Some((0, 0)), "no NaN"),
        (&infinite, Some((0, 0)), "too large"),
        (&twice, Some((0, 0)), "duplicate field `kind`"),
    ] {
        let error = Document::parse(text.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        let found = error.place().map(|place| (place.line, place.column));
        assert!(found == place || place == Some((0, 0)) && found.is_some(), "{error} at {found:?}");
    }
    let error = Document::parse(b"{\"schema\":\n \"\xff\"}").unwrap_err();
    assert_eq!(error.place().map(|place| (place.line, place.column)), Some((2, 3)));
    let huge = vec![b' '; (64 << 20) + 1];
    assert_eq!(Document::parse(&huge), Err(DocumentError::TooLarge));
    assert_eq!(
        Document::parse(format!("\u{feff}{plain}").as_bytes()).map(|document| document.edited),
        Ok(false)
    );

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.json");
    std::fs::write(&path, "{\n  \"schema\": NaN}").unwrap();
    let error = Document::load(&path).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{}:2:13: ", path.display())), "{error}");
    let absent = folder.path().join("absent.json");
    let error = Document::load(&absent).unwrap_err();
    assert!(error.path == absent && matches!(error.error, DocumentError::Unreadable(_)), "{error:?}");
}

#[test]
fn a_second_set_replaces_the_first() {
    let game = game("tic_tac_toe");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("evaluations");
    let names = |documents: &[Document]| {
        let mut names: Vec<String> = index(documents).into_iter().map(|entry| entry.file).collect();
        names.extend(["index.json".to_owned(), "mine.json".to_owned()]);
        names.sort();
        names
    };
    let listed = || {
        let files = std::fs::read_dir(&path).unwrap();
        let mut files: Vec<_> =
            files.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        files.sort();
        files
    };
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("mine.json"), "{}").unwrap();
    write_documents(&path, &game.documents).unwrap();
    assert_eq!(listed(), names(&game.documents));
    let (some, _) = game.documents.split_at(3);
    write_documents(&path, some).unwrap();
    assert_eq!(listed(), names(some));
    let list: Value = serde_json::from_slice(&std::fs::read(path.join("index.json")).unwrap()).unwrap();
    for entry in list.as_array().unwrap() {
        let document = Document::load(&path.join(entry["file"].as_str().unwrap())).unwrap();
        assert_eq!(entry["id"], document.id);
        assert_eq!(entry["role"], document.role);
        assert_eq!(entry["kind"], document.kind.name());
    }
}

/// Replaces values with ones that other places of a document may hold, and deletes or changes bytes.
fn mutated(text: &str, edits: &[(usize, usize, u8)]) -> Vec<u8> {
    let words: [&[u8]; 16] = [
        b"null",
        b"1e308",
        b"-1e308",
        b"0",
        b"-1",
        b"4294967296",
        b"\"\"",
        b"\"(\"",
        b"[]",
        b"{}",
        b"\"?x\"",
        b"1.5",
        b"\"(mark ?x ?y ?z)\"",
        b"-2147483648",
        b"true",
        b"2",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for &(from, length, what) in edits {
        // Replaces whole values, so that most results are still valid JSON.
        let value = |byte: &u8| matches!(byte, b':' | b',' | b'[' | b'{');
        let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}');
        let from = from % bytes.len();
        let start = bytes[from..].iter().position(value).map_or(from, |at| from + at + 1);
        let end = bytes[start..].iter().position(ends).map_or(bytes.len(), |at| start + at);
        match what {
            0..200 => drop(bytes.splice(start..end, words[what as usize % words.len()].iter().copied())),
            200..230 => drop(bytes.drain(from..(from + length % 20).min(bytes.len()))),
            _ => bytes[from] = bytes[from].wrapping_add(length as u8),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]
    #[test]
    fn mutated_documents_never_panic(
        which in 0usize..1000,
        edits in prop::collection::vec((any::<usize>(), any::<usize>(), any::<u8>()), 1..4),
    ) {
        thread_local!(static GAME: (Game, Vec<String>) = {
            let game = game("tic_tac_toe");
            let texts = game.documents.iter().map(|document| to_json(document).unwrap()).collect();
            (game, texts)
        });
        GAME.with(|(game, texts)| {
            let bytes = mutated(&texts[which % texts.len()], &edits);
            if let Ok(document) = Document::parse(&bytes) {
                let _ = document.is_for(&game.identity);
                to_json(&document).unwrap();
                if let Ok(mut measure) = document.function.bind(&*game.machine) {
                    let mut state_evaluator = StateEvaluator::new(&*game.machine);
                    let found = measure.value(&state_evaluator.at(game.machine.initial()).unwrap());
                    prop_assert!(found.is_finite(), "{found}");
                }
            }
            Ok(())
        })?;
    }
}
