//! Words of a group's links that shuffle, in one cycle: by machine code, or plainly.

use super::super::workspace::LaneWorkspace;
use super::{Around, Work};
use crate::gather::put;
use crosswave_lanes::planes::Planes;
use crosswave_lanes::shuffle::Shuffle;
use crosswave_lanes::windows::Term;

impl Work<'_> {
    /// The shuffle of a group, its number, and the regions that it reads, if some links have one.
    #[inline(always)]
    fn shuffle_of(&self, group: usize) -> Option<(&Shuffle, usize, &[Term])> {
        let terms = &self.chunk.terms;
        let number = (*terms.shuffled.get(group)?)? as usize;
        let regions = &terms.regions[terms.region_starts[group] as usize..];
        Some((&self.shared.wiring.shuffles[number], number, regions))
    }

    /// Puts together what the links of a group bring that shuffle: a bit for each. Native code does it
    /// in its scratch memory; where there is none, values are used.
    pub(super) fn shuffle_by_code<const W: usize>(
        &self,
        group: usize,
        around: &dyn Around,
        workspace: &mut LaneWorkspace<W>,
    ) {
        let Some((_, number, regions)) = self.shuffle_of(group) else {
            return;
        };
        let sources = self.sources(group);
        let region = |region: u8| around.planes(sources, &regions[usize::from(region)]);
        match &self.shared.shuffle_codes[self.array][number] {
            Some(code) => {
                let (arrived, scratch) = workspace.planes();
                code.run(region, arrived, scratch);
            }
            None => {
                let LaneWorkspace {
                    arrived, values, ..
                } = workspace;
                self.shuffle::<W>(group, around, arrived.words_mut(), values);
            }
        }
    }

    /// The same without code.
    pub(super) fn shuffle<const W: usize>(
        &self,
        group: usize,
        around: &dyn Around,
        arrived: &mut [u64],
        values: &mut Planes,
    ) -> u32 {
        let Some((shuffle, _, regions)) = self.shuffle_of(group) else {
            return 0;
        };
        let sources = self.sources(group);
        let (values, _) = values.words_mut().as_chunks_mut();
        for bit in 0..self.shared.link_bits {
            let region = |region: u8| around.planes(sources, &regions[usize::from(region)]);
            shuffle.run::<W>(bit, values, region, |link, value| {
                let inputs = &self.plan.link_inputs[usize::from(link)];
                for &(_, target) in inputs.iter().filter(|input| input.0 == bit) {
                    put(arrived, target, value);
                }
            });
        }
        shuffle.links
    }
}
