"""Plays a game at random against one move ahead by a function: python3 env_client.py GGP GAME FUNCTION"""
import json
import subprocess
import sys


class Game:
    def __init__(self, ggp, game, *functions):
        chosen = [word for function in functions for word in ("--functions", function)]
        self.server = subprocess.Popen([ggp, "env", game, "--serve", *chosen], text=True,
                                       bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, **request):
        self.server.stdin.write(json.dumps(request) + "\n")
        answer = json.loads(self.server.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer


if __name__ == "__main__":
    game, function = Game(*sys.argv[1:4]), sys.argv[3]
    now, role = game.ask(successors=True, values=True), function.split(".")[1]
    while not now["terminal"]:
        next = now["successors"]
        if role in now["to_move"]:
            next = sorted(next, key=lambda s: s["goals"][role] if s["terminal"] else s["values"][function])
        now = game.ask(state=next[-1]["state"], successors=True, values=True)
    print(now["goals"])
