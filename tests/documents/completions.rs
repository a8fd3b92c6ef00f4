//! The shells bash, zsh and fish complete a command line with the scripts that `ggp completions` prints. The tests of zsh
//! and fish are ignored if the shell is not installed.

use std::path::Path;
use std::process::{Command, Stdio};

use assert_cmd::cargo::CommandCargoExt;

/// Completes a line as bash does: calls the function of the script with the words and reads the array that it fills.
const BASH: &str = r#"
eval "$(ggp completions bash)"
complete_line() {
  COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9 COMPREPLY=()
  _clap_complete_ggp ggp "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" 2> /dev/null
  printf '%s\n' "${COMPREPLY[@]}"
}
complete -p ggp > /dev/null && complete_line ggp analyze connect_fi
complete_line ggp tour
complete_line ggp study --che
complete_line ggp serve --player alphabeta:stat
"#;

/// Presses Tab in a zsh on a pseudo-terminal and waits for the answer.
const ZSH: &str = r#"
zmodload zsh/zpty
zpty shell zsh -f -i
wait_for() {
  local output= more= tries=0
  while (( tries++ < 300 )); do
    if zpty -r -t shell more; then output+=$more; else sleep 0.1; fi
    [[ $output == *$1* ]] && return 0
  done
  print -r -- "no $1 in: $output"
  return 1
}
zpty -w shell "PS1='> '; autoload -Uz compinit; compinit -u -D; source <(ggp completions zsh); echo all is rea''dy"
wait_for 'all is ready' || exit 1
zpty -w -n shell $'ggp analyze connect_fi\t'
wait_for connect_five || exit 1
zpty -w -n shell $'\C-uggp check --explain GDL00\t'
wait_for GDL007 || exit 1
zpty -d shell
print all is well
"#;

/// Completes lines as fish does for Tab, without the descriptions.
const FISH: &str = r#"
ggp completions fish | source
for line in "ggp analyze connect_fi" "ggp tour" "ggp study --che" "ggp serve --player alphabeta:stat"
  complete -C $line | string split -f 1 \t
end
"#;

/// The output of a shell for a script, with `ggp` on its path.
fn shell_output(shell: &str, script: &str) -> String {
    let program = Command::cargo_bin("ggp").unwrap();
    let folder = Path::new(program.get_program()).parent().unwrap().to_owned();
    let path = std::env::join_paths(
        [folder].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let run = Command::new(shell)
        .args(match shell {
            "bash" => ["--norc", "-c"],
            "zsh" => ["-f", "-c"],
            _ => ["--no-config", "-c"],
        })
        .arg(script)
        .env("PATH", path.unwrap())
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .output();
    let output = run.unwrap_or_else(|error| panic!("{shell} is needed: {error}"));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn bash_completes() {
    let output = shell_output("bash", BASH);
    let lines: Vec<&str> = output.lines().map(str::trim).collect();
    assert_eq!(lines, ["connect_five", "tournament", "--check", "alphabeta:statistical"], "{output}");
}

#[test]
#[cfg_attr(not(has_zsh), ignore = "zsh is not installed")]
fn zsh_completes() {
    let output = shell_output("zsh", ZSH);
    assert_eq!(output.trim(), "all is well");
}

#[test]
#[cfg_attr(not(has_fish), ignore = "fish is not installed")]
fn fish_completes() {
    let output = shell_output("fish", FISH);
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, ["connect_five", "tournament", "--check", "alphabeta:statistical"], "{output}");
}
