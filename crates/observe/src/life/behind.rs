//! Records that are taken on a thread of their own, so that a run need not wait until they are
//! written.

use std::io;
use std::thread;

use crossbeam::channel::{Receiver, Sender, bounded};

use super::record::{AttemptRecord, LifeSink, MessageLife};

/// Attempts that are handed over together.
const TOGETHER: usize = 256;
/// Hand-overs that may wait; a run that is faster than what takes its records waits then.
const WAITING: usize = 16;

/// Records that are handed over.
#[derive(Debug, Default)]
struct Records {
    attempts: Vec<AttemptRecord>,
    /// Messages, each with the number of attempts before it.
    messages: Vec<(usize, MessageLife)>,
}

impl Records {
    /// Gives them to a sink in their order, and forgets them.
    fn drain(&mut self, sink: &mut impl LifeSink) -> io::Result<()> {
        let mut messages = self.messages.drain(..).peekable();
        let mut attempts = self.attempts.drain(..).enumerate();
        loop {
            let attempt = attempts.next();
            let place = attempt.as_ref().map_or(usize::MAX, |(place, _)| *place);
            while let Some((_, life)) = messages.next_if(|(before, _)| *before <= place) {
                sink.message(&life)?;
            }
            match attempt {
                Some((_, attempt)) => sink.attempt(&attempt)?,
                None => return Ok(()),
            }
        }
    }
}

/// Takes records for a sink on another thread.
#[derive(Debug)]
pub struct Behind {
    full: Sender<Records>,
    empty: Receiver<Records>,
    records: Records,
}

/// Does some work with a sink whose records another sink takes, in their order, on a thread of
/// its own; what the work gives, and the first error of that sink, or that the system starts no
/// thread. When there is one, what the work is given fails too, some records later.
///
/// ```
/// use crosswave_observe::life::{AttemptRecord, LifeSink, MessageLife, behind};
/// struct Full;
/// impl LifeSink for Full {
///     fn attempt(&mut self, _: &AttemptRecord) -> std::io::Result<()> {
///         Err(std::io::ErrorKind::StorageFull.into())
///     }
///     fn message(&mut self, _: &MessageLife) -> std::io::Result<()> {
///         Ok(())
///     }
/// }
/// let (given, taken) = behind::behind(Full, |_| 5);
/// assert!(given == 5 && taken.is_ok());
/// ```
pub fn behind<S: LifeSink + Send, T>(
    mut sink: S,
    work: impl FnOnce(Behind) -> T,
) -> (T, io::Result<()>) {
    let (full, taken) = bounded::<Records>(WAITING);
    let (used, empty) = bounded(WAITING + 1);
    thread::scope(|scope| {
        let taker = thread::Builder::new().spawn_scoped(scope, move || -> io::Result<()> {
            for mut records in taken {
                records.drain(&mut sink)?;
                // Nobody may be there who needs it.
                let _ = used.try_send(records);
            }
            Ok(())
        });
        let given = work(Behind {
            full,
            empty,
            records: Records::default(),
        });
        let taker = taker.map_err(|error| {
            let message = format!("no thread could be started: {error}");
            io::Error::new(error.kind(), message)
        });
        let taken = taker.and_then(|taker| {
            let taken = taker.join();
            taken.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        (given, taken)
    })
}

impl Behind {
    /// Hands over what there is.
    fn hand_over(&mut self) -> io::Result<()> {
        let next = self.empty.try_recv();
        let next = next.unwrap_or_default();
        let records = std::mem::replace(&mut self.records, next);
        let sent = self.full.send(records);
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

/// Hands over the rest; the sink says what became of it.
impl Drop for Behind {
    fn drop(&mut self) {
        let _ = self.hand_over();
    }
}

impl LifeSink for Behind {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        if self.records.attempts.len() == TOGETHER {
            self.hand_over()?;
        }
        self.records.attempts.push(attempt.clone());
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        let before = self.records.attempts.len();
        self.records.messages.push((before, *life));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;
    use crate::life::EndOfAttempt;
    use crosswave_probe::message::{MessageRecord, NEVER};

    /// Notes what comes: attempts by their message and number, messages by theirs.
    struct Order<'o>(&'o mut Vec<(u32, Option<u32>)>);

    impl LifeSink for Order<'_> {
        fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
            self.0.push((attempt.id, Some(attempt.attempt)));
            Ok(())
        }

        fn message(&mut self, life: &MessageLife) -> io::Result<()> {
            self.0.push((life.id, None));
            Ok(())
        }
    }

    /// Messages come behind the attempts before them and ahead of those after them, also where
    /// what is handed over together begins or ends with one, or is nothing else.
    #[test]
    fn records_keep_their_order() {
        let attempt = |id, attempt| AttemptRecord {
            id,
            attempt,
            packet: None,
            source: 0,
            destination: 1,
            launched_cycle: 1,
            hops: smallvec![],
            reached_cycle: NEVER,
            collision: None,
            end: EndOfAttempt::Acknowledged,
            end_cycle: 2,
        };
        let message = |id| MessageLife {
            id,
            message: MessageRecord::new(0, 1, 1),
            connection: None,
            breakdown: None,
        };
        for attempts in [
            0,
            1,
            2,
            TOGETHER as u32 - 1,
            TOGETHER as u32,
            TOGETHER as u32 + 1,
        ] {
            let mut expected = vec![(u32::MAX, None)];
            for id in 0..3 {
                expected.extend((0..attempts).map(|attempt| (id, Some(attempt))));
                expected.extend([(id, None), (1000 + id, None)]);
            }
            let mut found = Vec::new();
            let (given, taken) = behind(Order(&mut found), |mut sink| {
                expected.iter().try_for_each(|&(id, number)| match number {
                    Some(number) => sink.attempt(&attempt(id, number)),
                    None => sink.message(&message(id)),
                })
            });
            assert!(given.is_ok() && taken.is_ok());
            assert_eq!(found, expected, "{attempts}");
        }
    }
}
