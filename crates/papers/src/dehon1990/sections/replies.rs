//! Section 1.3: whether turning pays.

use super::context::{DehonContext, came_out, claim};
use crate::dehon1990::figures;
use crate::dehon1990::turning::{REPLY_WORDS, REQUEST_WORDS, ReplyPoint, Way, point};
use crate::page::Section;
use crate::quantity::{MeasuredValue, Quantity, Value};
use crosswave_analytic::bidelta::Bidelta;
use crosswave_analytic::replies::Exchange;
use crosswave_base::diagnostic::Error;

/// Stages of the networks in which one processor sends.
const STAGES: [u32; 2] = [3, 4];

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 1.3: does turning pay?");
    section.text(format!(
        "RN1 turns a connection round, so that a reply needs none of its own. The alternative is a second \
         connection, from the host that was asked. A fraction of the processors sends requests of \
         {REQUEST_WORDS} words each, one when the reply of {REPLY_WORDS} words to the last one is there; \
         what is blocked is tried again with back-off. Clocks count from the offer of a request to the end \
         of its reply. Bars are one standard error. The paper gives no clocks, so formula and simulation \
         are compared with each other.",
    ));
    if !context.simulates() {
        return Ok(section);
    }
    if context.draws {
        let drawn = figures::turning::draw(context.effort, context.watch)?;
        let caption = "Cycles to a reply against load, by nodes and by the route of the reply";
        context.put("turning", &drawn, &[caption], &mut section);
    }
    let mut quantities = Vec::new();
    for stages in STAGES {
        for way in Way::ALL {
            context.begin("replies to one processor")?;
            quantities.push(reply(&point(stages, way, 1, 2, context.watch)));
        }
    }
    let found = format!("{} when one processor sends", came_out(&quantities));
    let paper = "a turned connection brings the reply without a connection of its own";
    claim(&mut section, "Turning", paper, found, quantities);
    Ok(section)
}

/// Clocks to a reply when one processor sends.
fn reply(point: &ReplyPoint) -> Quantity {
    let network = Bidelta::new(point.stages).expect("a size of the range");
    let exchange = Exchange {
        request_words: u64::from(REQUEST_WORDS),
        reply_words: u64::from(REPLY_WORDS),
        wire_clocks: 0,
    };
    let (name, clocks) = match point.way {
        Way::Turned => ("turned", exchange.turned_clocks(network)),
        Way::TwoConnections => ("two_connections", exchange.two_connections_clocks(network)),
    };
    Quantity::unprinted(
        format!("section-1.3.h{}.reply_{name}_clocks", point.stages),
        "DeHon 1990, section 1.3, with the protocol of hdl/rn1.md",
    )
    .analytic(clocks)
    .simulated(Some(MeasuredValue {
        value: Value::Real(point.clocks),
        stderr: None,
    }))
    .judged(None)
}
