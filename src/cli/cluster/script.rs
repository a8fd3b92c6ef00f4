//! `ggp cluster script`: a run dealt out to many machines, by the schedulers that they have.

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use super::super::{Exit, print};

/// What the job file is for.
#[derive(Args, Debug)]
pub(super) struct ScriptArguments {
    /// Who runs the parts
    #[arg(value_enum)]
    scheduler: Scheduler,
    /// Parts; some more than there are places to run them, so that none waits long for the last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    parts: u64,
    /// Processors of a part, which its command gets as --threads
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    threads: u32,
    /// Parts that run at once, where the scheduler asks [default: as many as it has room for]
    #[arg(long, value_name = "J", value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Option<u32>,
    /// The program, as the machines find it
    #[arg(long, value_name = "PATH", default_value = "ggp")]
    program: String,
    /// The command: tournament, study or sweep with its options, --out among them
    #[arg(last = true, required = true, value_name = "COMMAND")]
    words: Vec<String>,
}

/// Who runs the parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scheduler {
    /// GNU parallel: one machine, or several by ssh
    Parallel,
    /// A job array of Slurm
    Slurm,
    /// An array of tasks of `HyperQueue`
    Hyperqueue,
}

/// Commands that come in parts.
const DEALT_OUT: [&str; 3] = ["tournament", "study", "sweep"];

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
        if !DEALT_OUT.contains(&name) {
            bail!("`{name}` does not come in parts; {} do", DEALT_OUT.join(", "));
        }
        for given in ["--part", "--merge", "--threads", "--fresh"] {
            if words.iter().any(|word| word == given || word.starts_with(&format!("{given}="))) {
                bail!("{given} is given by the job file: leave it out");
            }
        }
        let out = out(words).context("the command needs --out DIR: where all parts leave their logs")?;
        let quoted = |word: &str| {
            let quoted = shlex::try_quote(word).map(|quoted| quoted.into_owned());
            quoted.with_context(|| format!("{word:?} can't be written in a job file"))
        };
        let all: Vec<String> = words.iter().map(|word| quoted(word)).collect::<anyhow::Result<_>>()?;
        let command = format!("{} {}", quoted(&self.program)?, all.join(" "));
        let (parts, threads) = (self.parts, self.threads);
        // All of these take lists, which would go on with what follows.
        let part = format!("{command} --threads {threads} --part");
        let merge = format!(
            "find {} -name 'part-*-of-{parts}.jsonl' -print0 | sort -zV | xargs -0 -r {command} --merge",
            quoted(out)?
        );
        let about = format!(
            "# {parts} parts of: {command}\n# A part that was cut off resumes when it is run again.\n"
        );
        Ok(match self.scheduler {
            Scheduler::Parallel => {
                let jobs = self.jobs.map_or_else(String::new, |jobs| format!("--jobs {jobs} "));
                let jobs = if jobs.is_empty() && threads > 1 {
                    format!("--jobs \"$(( $(nproc) / {threads} ))\" ")
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

/// The folder of results that a command names.
fn out(words: &[String]) -> Option<&str> {
    let place = words.iter().position(|word| word == "--out");
    let next = place.and_then(|place| words.get(place + 1)).map(String::as_str);
    next.or_else(|| words.iter().find_map(|word| word.strip_prefix("--out=")))
}
