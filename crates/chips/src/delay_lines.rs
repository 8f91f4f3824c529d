//! `delay_line`, `rn1_delay_line` and `stack_delay_line`: one extra clock on a link, both
//! directions, for each kind of link.

use super::ports::{chip, circuit_link, model_types};
use super::rn1::{input_link, output_link};
use super::rn1_protocol::RN1_WORDS;
use super::stack::stack_link;
use super::{LinkWord, Model, RandomPins};

/// Link port towards the leaves; of RN1 on the side of the sender.
pub const NEAR: usize = 0;
/// Link port towards the root.
pub const FAR: usize = 1;

/// Writes the module of a delay line from its kinds of link ports: its table and its model.
macro_rules! delay_line {
    ($chip:ident, $model:ident, $source:literal, $words:expr, $near:ident, $far:ident) => {
        #[doc = concat!("`", stringify!($chip), "`: its table and its model.")]
        pub mod $chip {
            use super::*;
            pub use super::{FAR, NEAR};

            chip! {
                name: $chip,
                links: ["near", "far"],
                words: $words,
                sources: [$source],
                ports {
                    $near!(NEAR, "near");
                    $far!(FAR, "far");
                }
            }

            /// The model: what comes in on one side goes out on the other a clock later.
            #[derive(Debug)]
            pub struct $model;

            impl Model for $model {
                model_types!((), (), [LinkWord; 2]);
                const STEP_REPORTS_OUTPUT_CHANGE: bool = true;

                fn step(_: &mut (), _: &(), _: &impl RandomPins, words: &mut [LinkWord]) -> bool {
                    words.swap(NEAR, FAR);
                    false
                }

                fn output(_: &(), _: usize) -> u64 {
                    0
                }
            }
        }
    };
}

delay_line! { delay_line, DelayLine, "delay_line.v", &[], circuit_link, circuit_link }
delay_line! {
    rn1_delay_line, Rn1DelayLine, "rn1_delay_line.v", &RN1_WORDS, input_link, output_link
}
delay_line! {
    stack_delay_line, StackDelayLine, "stack_delay_line.v", &[], stack_link, stack_link
}
