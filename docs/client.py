"""Values the initial state of a game and names the best move: python3 client.py GGP GAME FUNCTION"""
import json
import subprocess
import sys


class Evaluator:
    def __init__(self, ggp, game, function):
        self.server = subprocess.Popen([ggp, "eval", game, function, "--serve"], text=True,
                                       bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0

    def ask(self, **request):
        self.number += 1
        self.server.stdin.write(json.dumps({"id": self.number, **request}) + "\n")
        answer = json.loads(self.server.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def close(self):
        self.server.stdin.close()
        return self.server.wait()


if __name__ == "__main__":
    evaluator = Evaluator(*sys.argv[1:4])
    answer = evaluator.ask(moves=True)  # no state: the initial one
    print(answer["value"], answer["moves"][0]["move"])
    sys.exit(evaluator.close())
