// Plays a game at random to its end, with the chances of every role on the way: node env_client.js GGP GAME
const { spawn } = require("node:child_process");
const readline = require("node:readline");

class Game {
  constructor(ggp, game, ...functions) {
    const chosen = functions.flatMap((name) => ["--functions", name]);
    this.server = spawn(ggp, ["env", game, "--serve", ...chosen], { stdio: ["pipe", "pipe", "inherit"] });
    this.answers = readline.createInterface({ input: this.server.stdout })[Symbol.asyncIterator]();
  }

  async ask(request) {
    this.server.stdin.write(JSON.stringify(request) + "\n");
    const answer = JSON.parse((await this.answers.next()).value);
    if (answer.error) throw new Error(answer.error);
    return answer;
  }
}

async function main() {
  const game = new Game(process.argv[2], process.argv[3]);
  let now = await game.ask({ successors: true, samples: { playouts: 100 } });
  while (!now.terminal) {
    console.log(now.state.length, "facts;", JSON.stringify(now.samples.mean_goals));
    const next = now.successors[Math.floor(Math.random() * now.successors.length)];
    now = await game.ask({ state: next.state, successors: true, samples: { playouts: 100 } });
  }
  console.log(JSON.stringify(now.goals));
  game.server.stdin.end();
}

main();
