//! The messages of a game manager to a player, as text in both directions.
//!
//! Reading is lenient, as managers differ: the first word in any case, no space around parentheses, additional arguments,
//! a word without parentheses. Terms keep their spelling.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::expression::{ExpressionError, expressions, inside, rewritten};

/// Clocks are limited to this (30 days), so that adding one to a time never overflows.
pub const LONGEST_CLOCK: Duration = Duration::from_secs(30 * 24 * 3600);

/// A message from a game manager to a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Asks for the player's name and state.
    Info,
    /// The older form of [`Message::Info`], with or without a match.
    Ping {
        /// The match.
        id: Option<String>,
    },
    /// Announces rules.
    Preview {
        /// The rules in their order, unchanged.
        rules: String,
        /// Time for reading them.
        clock: Duration,
    },
    /// A match begins.
    Start(Start),
    /// A move is due.
    Play {
        /// The match.
        id: String,
        /// The content about the last step.
        last: LastStep,
    },
    /// A match has ended.
    Stop {
        /// The match.
        id: String,
        /// The content about the last step.
        last: LastStep,
    },
    /// A match is aborted.
    Abort {
        /// The match.
        id: String,
    },
}

/// The content of a message about the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastStep {
    /// The moves of all roles, in role order; in the older form of GDL-II the player's percepts. None before the first move.
    List(Option<Vec<String>>),
    /// The player's move and percepts, in the later form of GDL-II.
    Percepts {
        /// Steps played so far.
        turn: u32,
        /// The player's own move; none before the first one.
        action: Option<String>,
        /// Its percepts.
        percepts: Vec<String>,
    },
}

/// The content of START.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The match.
    pub id: String,
    /// The player's role.
    pub role: String,
    /// The rules in their order, unchanged.
    pub rules: String,
    /// Time before the first move.
    pub startclock: Duration,
    /// Time for each move.
    pub playclock: Duration,
}

/// Errors in a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// Its parentheses don't match.
    #[error("this is not a message: {0}")]
    Expression(#[from] ExpressionError),
    /// The first word is unknown.
    #[error("there is no message `{0}`; the protocol has INFO, PREVIEW, START, PLAY, STOP, ABORT and PING")]
    Unknown(String),
    /// Too few arguments.
    #[error("{word} has {found} arguments instead of {expected}")]
    Arguments {
        /// The message.
        word: &'static str,
        /// Their number.
        found: usize,
        /// The expected arguments.
        expected: &'static str,
    },
    /// A turn that is not a number.
    #[error("{word}: `{found}` is not the number of a turn")]
    Turn {
        /// The message.
        word: &'static str,
        /// The text.
        found: String,
    },
    /// A clock is not a number of seconds.
    #[error("`{0}` is not a clock; use a number of seconds")]
    Clock(String),
    /// A list is missing.
    #[error("{word}: put {what} in parentheses instead of `{found}`")]
    List {
        /// The message.
        word: &'static str,
        /// The expected list.
        what: &'static str,
        /// The text.
        found: String,
    },
}

/// The beginning of a text, for errors.
fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

impl FromStr for Message {
    type Err = MessageError;

    fn from_str(text: &str) -> Result<Message, MessageError> {
        let whole = expressions(text)?;
        let parts = match whole[..] {
            [] => return Err(ExpressionError::Nothing.into()),
            [one] if one.starts_with('(') => expressions(inside(one)?)?,
            [word] => vec![word],
            _ => return Err(ExpressionError::Surplus.into()),
        };
        let Some((&word, arguments)) = parts.split_first() else {
            return Err(ExpressionError::Nothing.into());
        };
        let needs = |word, count: usize, expected| match arguments.len() {
            found if found < count => Err(MessageError::Arguments { word, found, expected }),
            _ => Ok(()),
        };
        let text = |place: usize| arguments[place].to_owned();
        match word.to_ascii_uppercase().as_str() {
            "INFO" => Ok(Message::Info),
            "PING" => Ok(Message::Ping { id: arguments.first().map(|&id| id.to_owned()) }),
            "PREVIEW" => {
                needs("PREVIEW", 2, "the rules and a clock")?;
                Ok(Message::Preview { rules: rules("PREVIEW", arguments[0])?, clock: clock(arguments[1])? })
            }
            "START" => {
                needs("START", 5, "a match, a role, the rules and two clocks")?;
                Ok(Message::Start(Start {
                    id: text(0),
                    role: text(1),
                    rules: rules("START", arguments[2])?,
                    startclock: clock(arguments[3])?,
                    playclock: clock(arguments[4])?,
                }))
            }
            "PLAY" => {
                needs("PLAY", 2, "a match and the last moves")?;
                Ok(Message::Play { id: text(0), last: last_step("PLAY", &arguments[1..])? })
            }
            "STOP" => {
                needs("STOP", 2, "a match and the last moves")?;
                Ok(Message::Stop { id: text(0), last: last_step("STOP", &arguments[1..])? })
            }
            "ABORT" => {
                needs("ABORT", 1, "a match")?;
                Ok(Message::Abort { id: text(0) })
            }
            _ => Err(MessageError::Unknown(short(word))),
        }
    }
}

fn rules(word: &'static str, text: &str) -> Result<String, MessageError> {
    let list = |_| MessageError::List { word, what: "rules", found: short(text) };
    Ok(inside(text).map_err(list)?.trim().to_owned())
}

fn clock(text: &str) -> Result<Duration, MessageError> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    let seconds = seconds.ok_or_else(|| MessageError::Clock(short(text)))?;
    Ok(Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST_CLOCK).min(LONGEST_CLOCK))
}

/// The content of a message about the last step. The number of arguments distinguishes the forms.
fn last_step(word: &'static str, arguments: &[&str]) -> Result<LastStep, MessageError> {
    let [turn, action, percepts, ..] = arguments else {
        return Ok(LastStep::List(list(word, "moves", arguments[0])?));
    };
    Ok(LastStep::Percepts {
        turn: turn.parse().map_err(|_| MessageError::Turn { word, found: short(turn) })?,
        action: (!action.eq_ignore_ascii_case("nil")).then(|| (*action).to_owned()),
        percepts: list(word, "percepts", percepts)?.unwrap_or_default(),
    })
}

fn list(word: &'static str, what: &'static str, text: &str) -> Result<Option<Vec<String>>, MessageError> {
    if text.eq_ignore_ascii_case("nil") {
        return Ok(None);
    }
    let no_list = |_| MessageError::List { word, what, found: short(text) };
    Ok(Some(expressions(inside(text).map_err(no_list)?)?.into_iter().map(str::to_owned).collect()))
}

/// Writes the message as the most common manager does; `rules` and moves are unchanged.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |text: &str| rewritten(text, |word| word);
        let list = |terms: &[String]| {
            format!("({})", terms.iter().map(|term| plain(term)).collect::<Vec<_>>().join(" "))
        };
        let step = |last: &LastStep| match last {
            LastStep::List(None) => "NIL".to_owned(),
            LastStep::List(Some(terms)) => list(terms),
            LastStep::Percepts { turn, action: None, percepts } if percepts.is_empty() => {
                format!("{turn} NIL NIL")
            }
            LastStep::Percepts { turn, action, percepts } => {
                let action = action.as_ref().map_or_else(|| "NIL".to_owned(), |action| plain(action));
                format!("{turn} {action} {}", list(percepts))
            }
        };
        match self {
            Message::Info => write!(f, "( INFO )"),
            Message::Ping { id: None } => write!(f, "( PING )"),
            Message::Ping { id: Some(id) } => write!(f, "( PING {id} )"),
            Message::Preview { rules, clock } => {
                write!(f, "( PREVIEW ({}) {} )", plain(rules), clock.as_secs_f64())
            }
            Message::Start(Start { id, role, rules, startclock, playclock }) => {
                let (start, play) = (startclock.as_secs_f64(), playclock.as_secs_f64());
                write!(f, "( START {id} {role} ({}) {start} {play})", plain(rules))
            }
            Message::Play { id, last } => write!(f, "( PLAY {id} {} )", step(last)),
            Message::Stop { id, last } => write!(f, "( STOP {id} {} )", step(last)),
            Message::Abort { id } => write!(f, "( ABORT {id} )"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Message {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn messages_of_managers_are_parsed() {
        assert_eq!(read("( INFO )"), Message::Info);
        assert_eq!(read("info"), Message::Info);
        assert_eq!(read("(ping)"), Message::Ping { id: None });
        assert_eq!(read("(PING m.1)"), Message::Ping { id: Some("m.1".into()) });
        let start = "( START match.1 White ((role White) (<= terminal(true over))) 60 15 extra (more))";
        let Message::Start(start) = read(start) else { panic!("not a start") };
        assert_eq!((start.id.as_str(), start.role.as_str()), ("match.1", "White"));
        assert_eq!(start.rules, "(role White) (<= terminal(true over))");
        assert_eq!((start.startclock.as_secs(), start.playclock.as_secs()), (60, 15));
        assert_eq!(read("( PLAY m NIL )"), Message::Play { id: "m".into(), last: LastStep::List(None) });
        assert_eq!(
            read("(play m((Mark 1 1)noop))"),
            Message::Play {
                id: "m".into(),
                last: LastStep::List(Some(vec!["(Mark 1 1)".into(), "noop".into()]))
            }
        );
        assert_eq!(
            read("( STOP m ( a b ) )"),
            Message::Stop { id: "m".into(), last: LastStep::List(Some(vec!["a".into(), "b".into()])) }
        );
        let step = |turn, action: Option<&str>, percepts: &[&str]| LastStep::Percepts {
            turn,
            action: action.map(str::to_owned),
            percepts: percepts.iter().map(|&text| text.to_owned()).collect(),
        };
        let play = |last| Message::Play { id: "m".into(), last };
        assert_eq!(read("( PLAY m 0 NIL NIL )"), play(step(0, None, &[])));
        let heard = step(2, Some("(Say a)"), &["(near 1)", "right"]);
        assert_eq!(read("( play m 2 (Say a) ((near 1)right))"), play(heard));
        let last = step(3, Some("wait"), &[]);
        assert_eq!(read("( STOP m 3 wait () )"), Message::Stop { id: "m".into(), last });
        assert_eq!(read("(Abort m)"), Message::Abort { id: "m".into() });
        let Message::Preview { rules, clock } = read("( PREVIEW ((role a)) 10 )") else { panic!() };
        assert_eq!((rules.as_str(), clock.as_secs()), ("(role a)", 10));
    }

    #[test]
    fn invalid_messages_have_a_reason() {
        let error = |text: &str| text.parse::<Message>().unwrap_err().to_string();
        assert!(error("").contains("empty"));
        assert!(error("()").contains("empty"));
        assert!(error("( PLAY m (a").contains("ends before"));
        assert!(error("( PLAY m )").contains("a match and the last moves"));
        assert!(error("( FROB )").contains("`FROB`"));
        assert!(error("( PLAY m (a) b () )").contains("turn"));
        assert!(error("( PLAY m 1 a b )").contains("percepts"));
        assert!(error("( START m r rules 1 1)").contains("rules"));
        assert!(error("( START m r () x 1)").contains("`x`"));
        assert!(error("( START m r () -1 1)").contains("`-1`"));
        assert!(error("( START m r () NaN 1)").contains("`NaN`"));
        assert!(error("( INFO ) ( INFO )").contains("after the last"));
    }

    #[test]
    fn endless_clocks_are_limited() {
        let Message::Start(start) = read("(START m r () 1e300 inf)") else { panic!() };
        assert_eq!((start.startclock, start.playclock), (LONGEST_CLOCK, LONGEST_CLOCK));
    }

    fn word() -> impl Strategy<Value = String> {
        "[A-Za-z0-9_.+<=?-]{1,8}".prop_filter("a word of its own", |word| !word.eq_ignore_ascii_case("nil"))
    }

    fn term() -> impl Strategy<Value = String> {
        let leaf = word().boxed();
        leaf.prop_recursive(3, 12, 3, |inner| {
            (word(), proptest::collection::vec(inner, 1..4))
                .prop_map(|(head, rest)| format!("({head} {})", rest.join(" ")))
        })
    }

    fn message() -> impl Strategy<Value = Message> {
        let last = || {
            let percepts = || proptest::collection::vec(term(), 0..4);
            prop_oneof![
                proptest::option::of(percepts()).prop_map(LastStep::List),
                (0..1000_u32, proptest::option::of(term()), percepts())
                    .prop_map(|(turn, action, percepts)| LastStep::Percepts { turn, action, percepts }),
            ]
        };
        let clock = || (0_u64..100_000).prop_map(|tenths| Duration::from_millis(tenths * 100));
        let rules = || proptest::collection::vec(term(), 0..4).prop_map(|rules| rules.join(" "));
        prop_oneof![
            Just(Message::Info),
            proptest::option::of(word()).prop_map(|id| Message::Ping { id }),
            (rules(), clock()).prop_map(|(rules, clock)| Message::Preview { rules, clock }),
            (word(), word(), rules(), clock(), clock()).prop_map(
                |(id, role, rules, startclock, playclock)| {
                    Message::Start(Start { id, role, rules, startclock, playclock })
                }
            ),
            (word(), last()).prop_map(|(id, last)| Message::Play { id, last }),
            (word(), last()).prop_map(|(id, last)| Message::Stop { id, last }),
            word().prop_map(|id| Message::Abort { id }),
        ]
    }

    proptest! {
        #[test]
        fn printed_messages_read_back(message in message()) {
            prop_assert_eq!(message.to_string().parse::<Message>(), Ok(message));
        }

        #[test]
        fn spaces_and_case_of_the_first_word_do_not_matter(message in message()) {
            let text = message.to_string();
            let (word, rest) = text["( ".len()..].split_once(' ').unwrap();
            let glued = format!("({}{}", word.to_lowercase(), format!(" {rest}").replace(" )", ")").replace(" (", "("));
            let read = glued.parse::<Message>().map(|message| message.to_string());
            prop_assert_eq!(read, Ok(text));
        }

        #[test]
        fn any_text_is_read_or_rejected(text in "[()A-Za-z0-9 ;?\\n\u{e9}]{0,60}") {
            if let Ok(message) = text.parse::<Message>() {
                prop_assert_eq!(message.to_string().parse::<Message>(), Ok(message));
            }
        }
    }
}
