//! `ggp replay` and `ggp show` read a match record with any JSON layout and encoding.

use assert_cmd::Command;
use serde_json::Value;

fn ggp(arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("ggp").unwrap().args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

const GAME: &str = "games/nim.kif";

#[test]
fn records_with_line_breaks_a_byte_order_mark_and_text_goals_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.json");
    let name = record.to_str().unwrap();
    let (status, text, errors) = ggp(&["play", GAME, "--playouts", "10", "--format", "json"]);
    assert_eq!(status, 0, "{errors}");
    let mut json: Value = serde_json::from_str(&text).unwrap();
    let replayed = |bytes: &[u8]| {
        std::fs::write(&record, bytes).unwrap();
        let (status, text, errors) = ggp(&["replay", GAME, name, "--format", "json"]);
        let document: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}{errors}"));
        let found = &document["comparisons"][0];
        (status, found["playouts"].as_u64(), found["differences"].as_u64())
    };
    assert_eq!(replayed(text.as_bytes()), (0, Some(1), Some(0)));
    let goals = json["goalValues"].as_array_mut().unwrap();
    goals.iter_mut().for_each(|goal| *goal = goal.to_string().into());
    let pretty = serde_json::to_string_pretty(&json).unwrap();
    let marked = format!("\u{feff}{}", pretty.replace('\n', "\r\n"));
    let wide: Vec<u8> = marked.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let twice = format!("{pretty}\n{pretty}\n");
    for (bytes, matches) in
        [(pretty.as_bytes(), 1), (marked.as_bytes(), 1), (&wide, 1), (twice.as_bytes(), 2)]
    {
        assert_eq!(replayed(bytes), (0, Some(matches), Some(0)));
    }
    // A changed goal value is a difference.
    let won = pretty.replace("\"100\"", "\"99\"");
    assert_ne!(won, pretty);
    assert_eq!(replayed(won.as_bytes()), (4, Some(1), Some(1)));

    std::fs::write(&record, &marked).unwrap();
    let page = folder.path().join("match.html");
    let (status, _, errors) =
        ggp(&["show", GAME, name, "--playouts", "100", "--out", page.to_str().unwrap()]);
    assert_eq!(status, 0, "{errors}");
    assert!(page.is_file());
}

#[test]
fn errors_name_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("match.json");
    std::fs::write(&record, "{\n  \"matchId\": \"m\",\n  \"states\": x\n}\n").unwrap();
    let (status, _, errors) = ggp(&["replay", GAME, record.to_str().unwrap()]);
    assert_eq!(status, 1);
    assert!(errors.contains("match.json:3:"), "{errors}");
}
