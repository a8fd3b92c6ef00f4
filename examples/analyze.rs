//! Analyses a game: its structures, and the evaluation functions that predict the result best.
//! `cargo run --example analyze -- games/connect_four.kif` analyses another game.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use ggp::{AnalysisContext, LoadedGame, Plan, analyze};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "games/tic_tac_toe.kif".to_owned());
    let game = LoadedGame::open(&path)?;

    // 2,000 random games; `Plan::default()` plays up to 100,000.
    let plan = Plan { playouts: Some(2_000), ..Plan::default() };
    let analysis = analyze(&game.game(), &plan, &AnalysisContext::default())?;

    println!("{path} has the players {}.", game.roles().join(" and "));
    println!("Random games: {}", analysis.simulation.playouts);
    println!("One player wins what the other loses: {}", analysis.structures.zero_sum);
    let symbols = &game.machine().description().symbols;
    for fluent in &analysis.structures.fluents {
        println!("{}: {:?}", fluent.fluent.signature(symbols), fluent.kind);
    }

    // The correlation of a state's value with the result of the game, from -1 to 1.
    let mut functions: Vec<_> = analysis.functions.list.iter().zip(&analysis.statistics).collect();
    functions.sort_by(|a, b| b.1.goal_correlation().total_cmp(&a.1.goal_correlation()));
    println!("Best evaluation functions, by correlation with the result (1 is perfect):");
    for (function, statistics) in functions.iter().take(5) {
        println!("{:5.2} {} for {}", statistics.goal_correlation(), function.id(), function.role());
    }
    Ok(())
}
