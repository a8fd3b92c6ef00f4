//! `ggp cluster script`: writes a job file with which a batch scheduler runs the parts of a command on many computers.

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use super::super::{Exit, print};

/// Arguments of `ggp cluster script`.
#[derive(Args, Debug)]
pub(super) struct ScriptArguments {
    /// The scheduler that runs the parts
    #[arg(value_enum)]
    scheduler: Scheduler,
    /// Number of parts; use a few more than can run at once, so that few processors are idle at the end
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    parts: u64,
    /// Processors for each part, passed to its command as --threads
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// Maximum number of parts that run at once, for parallel and slurm [default: as many as the scheduler has room for]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// Path of ggp on the computers that run the parts
    #[arg(long, value_name = "PATH", default_value = "ggp")]
    program: String,
    /// The command: tournament, study or sweep with its options, including --out
    #[arg(last = true, required = true, value_name = "COMMAND")]
    words: Vec<String>,
}

/// A scheduler that runs the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scheduler {
    /// GNU parallel: one machine, or several by ssh
    Parallel,
    /// A job array of Slurm
    Slurm,
    /// An array of tasks of `HyperQueue`
    Hyperqueue,
}

/// Commands with the options `--part` and `--merge`.
const COMMANDS_WITH_PARTS: [&str; 3] = ["tournament", "study", "sweep"];

/// Prints a job file.
pub(super) fn run(script: &ScriptArguments) -> anyhow::Result<Exit> {
    print(&script.text()?)?;
    Ok(Exit::Ok)
}

impl ScriptArguments {
    fn text(&self) -> anyhow::Result<String> {
        let words: &[String] = match &self.words[..] {
            [first, rest @ ..] if first == "ggp" => rest,
            all => all,
        };
        let name = words.first().map_or("", String::as_str);
        if !COMMANDS_WITH_PARTS.contains(&name) {
            bail!("`{name}` does not come in parts; {} do", COMMANDS_WITH_PARTS.join(", "));
        }
        for given in ["--part", "--merge", "--threads", "--fresh"] {
            if words.iter().any(|word| word == given || word.starts_with(&format!("{given}="))) {
                bail!("{given} can't be used in a job file: leave it out");
            }
        }
        let out = out(words).context("the command needs --out DIR, the folder for the logs of all parts")?;
        let quoted = |word: &str| {
            let quoted = shlex::try_quote(word).map(|quoted| quoted.into_owned());
            quoted.with_context(|| format!("{word:?} can't be written in a job file"))
        };
        let all: Vec<String> = words.iter().map(|word| quoted(word)).collect::<anyhow::Result<_>>()?;
        let command = format!("{} {}", quoted(&self.program)?, all.join(" "));
        let (parts, threads) = (self.parts, self.threads);
        // `--part` is last because the scheduler appends its value, `--merge` because it takes a list.
        let part = format!("{command} --threads {threads} --part");
        let merge = format!(
            "find {} -name 'part-*-of-{parts}.jsonl' -print0 | sort -zV | xargs -0 -r {command} --merge",
            quoted(out)?
        );
        // A line break in a word would end the comment.
        let shown = command.replace('\n', " ");
        let about =
            format!("# {parts} parts of: {shown}\n# An interrupted part resumes when it is run again.\n");
        Ok(match self.scheduler {
            Scheduler::Parallel => {
                let jobs = self.jobs.map_or_else(String::new, |jobs| format!("--jobs {jobs} "));
                let jobs = if jobs.is_empty() && threads > 1 {
                    format!("--jobs \"$(( ($(nproc) + {threads} - 1) / {threads} ))\" ")
                } else {
                    jobs
                };
                let (part, out) = (quoted(&format!("{part} {{}}/{parts}"))?, quoted(out)?);
                format!(
                    "#!/bin/sh\n{about}# On other machines, too: parallel --sshlogin HOST1,HOST2 --workdir . ..., with the folder shared.\nset -eu\nmkdir -p {out}\nseq {parts} | parallel {jobs}--retries 3 --joblog {out}/joblog.tsv {part}\n{merge}\n"
                )
            }
            Scheduler::Slurm => {
                let at_once = self.jobs.map_or_else(String::new, |jobs| format!("%{jobs}"));
                format!(
                    "#!/bin/bash\n#SBATCH --job-name=ggp\n#SBATCH --array=1-{parts}{at_once}\n#SBATCH --cpus-per-task={threads}\n#SBATCH --requeue\n{about}# Submit with: job=$(sbatch --parsable job.sh)\n# and then:    sbatch --dependency=afterok:$job --array=0 job.sh\nset -euo pipefail\nif [ \"$SLURM_ARRAY_TASK_ID\" = 0 ]; then\n    {merge}\nelse\n    srun {part} \"$SLURM_ARRAY_TASK_ID/{parts}\"\nfi\n"
                )
            }
            Scheduler::Hyperqueue => {
                let task = quoted(&format!("{part} $HQ_TASK_ID/{parts}"))?;
                format!(
                    "#!/bin/bash\n{about}# A server and workers have to run: hq server start, hq worker start.\nset -euo pipefail\nhq submit --wait --array 1-{parts} --cpus {threads} --crash-limit 3 -- bash -c {task}\n{merge}\n"
                )
            }
        })
    }
}

/// The value of `--out` in a command.
fn out(words: &[String]) -> Option<&str> {
    let place = words.iter().position(|word| word == "--out");
    let next = place.and_then(|place| words.get(place + 1)).map(String::as_str);
    next.or_else(|| words.iter().find_map(|word| word.strip_prefix("--out=")))
}
