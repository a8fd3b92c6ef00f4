//! Plays 512 games of Connect Four at once, as a learning program would: one call steps all games.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use ggp::{AutoReset, GamesArrays, GamesOptions, LaneGames, LoadedGame};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = LoadedGame::open("games/connect_four.kif")?;
    let program = game.machine().lanes().ok_or("this game can't be stepped many at once")?;
    let options = GamesOptions { auto_reset: AutoReset::Never, ..GamesOptions::default() };
    let mut games = LaneGames::new(program, 512, options)?;
    // Observations, masks and rewards after a step, and one action for every game.
    let (mut seen, mut actions) = (GamesArrays::new(&games), vec![0; 512]);

    let (mut steps, mut moves, mut wins) = (0, 0, [0, 0]);
    while seen.terminated.contains(&0) {
        moves += seen.terminated.iter().filter(|&&ended| ended == 0).count();
        // Random legal actions; your own program would choose them from `seen.observations` and `seen.masks`.
        games.sample(&mut actions);
        games.step(program, &actions, Some(seen.view()), None)??;
        steps += 1;
        // The results (0 to 100) of red and yellow in every game that ended with this step.
        for result in seen.rewards.chunks(2) {
            (0..2).for_each(|role| wins[role] += usize::from(result[role] == 100.0));
        }
    }
    println!("512 games, {moves} moves in {steps} steps");
    println!("red won {}, yellow won {}, draws {}", wins[0], wins[1], 512 - wins[0] - wins[1]);
    Ok(())
}
