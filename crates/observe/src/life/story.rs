//! All records of one message.

use std::io;

use super::record::{AttemptRecord, LifeSink, MessageLife};

/// The attempts of a message in order, and the message when it was acknowledged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Story {
    /// The message.
    pub id: u32,
    /// Its attempts.
    pub attempts: Vec<AttemptRecord>,
    /// The record of the message, once it was acknowledged.
    pub life: Option<MessageLife>,
}

impl Story {
    /// The story of a message, of which nothing is known yet.
    pub fn of(id: u32) -> Story {
        Story {
            id,
            attempts: Vec::new(),
            life: None,
        }
    }
}

impl LifeSink for &mut Story {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        if attempt.id == self.id {
            self.attempts.push(attempt.clone());
            // One whose outputs become free late is over behind the next one.
            self.attempts.sort_by_key(|attempt| attempt.attempt);
        }
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        if life.id == self.id {
            self.life = Some(*life);
        }
        Ok(())
    }

    fn is_satisfied(&self) -> bool {
        self.life.is_some()
    }
}
