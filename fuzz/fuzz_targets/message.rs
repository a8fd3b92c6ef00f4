//! Any text parses as a message or gives an error, and a message reads back unchanged from its own output.
#![no_main]

use ggp::protocol::{CaseMap, Message};
use ggp::simulate::canonical;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    match text.parse::<Message>() {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(message) => {
            let written = message.to_string();
            let again: Message = written.parse().expect("what was written can be read");
            assert_eq!(again.to_string(), written);
            if let Message::Start(start) = message {
                let spelling = CaseMap::of(&start.rules, false);
                let once = spelling.restore(&start.role);
                assert_eq!(spelling.restore(&once), once);
                let different = CaseMap::of(&start.rules, true);
                let name = canonical(&different.received(&start.role));
                assert_eq!(canonical(&different.received(&different.restore(&name))), name);
            }
        }
    }
});
