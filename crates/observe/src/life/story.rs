//! All records of one message.

use std::io;

use super::record::{AttemptRecord, LifeSink, MessageLife};
use crosswave_network::traffic::EVERY_NODE;

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

    /// The story without the copies of each packet to every node, but for the one that came last.
    pub fn with_last_copies(&self) -> Story {
        let is_copied = |one: &AttemptRecord| {
            let others = self.attempts.iter();
            let mut later = others.filter(|other| {
                other.packet.is_some()
                    && other.packet == one.packet
                    && (other.reached_cycle, other.destination)
                        > (one.reached_cycle, one.destination)
            });
            later.next().is_some()
        };
        let kept = self.attempts.iter().filter(|one| !is_copied(one));
        Story {
            attempts: kept.cloned().collect(),
            ..*self
        }
    }

    /// Its source and destination, in words; `None` while no attempt is known.
    pub fn ends(&self) -> Option<String> {
        let first = self.attempts.first()?;
        let message = self.life.map(|life| life.message.destination);
        let several = |one: &AttemptRecord| one.destination != first.destination;
        let destination = match message {
            Some(destination) => destination,
            None if self.attempts.iter().any(several) => EVERY_NODE,
            None => first.destination,
        };
        Some(match destination {
            EVERY_NODE => format!("node {} to every node", first.source),
            node => format!("node {} to node {node}", first.source),
        })
    }
}

impl LifeSink for &mut Story {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        if attempt.id == self.id {
            self.attempts.push(attempt.clone());
            // One whose outputs become free late is over after the next one.
            self.attempts.sort_by_key(|attempt| {
                let packet = attempt.packet.map_or(0, |packet| packet.number);
                (attempt.attempt, packet, attempt.destination)
            });
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
