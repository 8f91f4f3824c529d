//! The distribution of occupied bins after m tosses into b bins, toss by toss.
//!
//! With p(m, k) the probability that m balls occupy k bins,
//!
//! ```text
//! p(0, 0) = 1     p(m+1, k) = p(m, k) k/b + p(m, k-1) (b - k + 1)/b
//! ```
//!
//! What is kept is indexed by the rejected messages r = m - k, which the next round sends.
//!
//! # The band
//!
//! The standard deviation of k stays below sqrt(b)/2, so of the m + 1 probabilities only a
//! band of some 9 sqrt(b) matters. What falls below a cutoff at either end of the band is
//! dropped, and the rest is scaled to sum to 1 again. A toss so changes the distribution
//! by what it dropped, in total variation; [`Occupancy::dropped`] is the sum over all
//! tosses. At 2^20 messages into 104,857 bins it is 4.3e-13.

/// Probability below which entries at the ends of the band are dropped.
pub const CUTOFF: f64 = 1e-18;

/// The distribution of occupied bins after some tosses.
///
/// ```
/// use crosswave_analytic::balls::occupancy::Occupancy;
///
/// let mut occupancy = Occupancy::new(4);
/// occupancy.toss();
/// occupancy.toss();
/// // Two balls in four bins: one is rejected with probability 1/4.
/// assert_eq!(occupancy.rejected(), (0, &[0.75, 0.25][..]));
/// ```
#[derive(Debug, Clone)]
pub struct Occupancy {
    bins: f64,
    cutoff: f64,
    messages: u64,
    /// Rejected messages of the first entry.
    first: u64,
    band: Vec<f64>,
    /// The band after the next toss; its memory is kept.
    next: Vec<f64>,
    /// Sum of the band.
    total: f64,
    dropped: f64,
}

impl Occupancy {
    /// Before the first toss, with a band of entries from [`CUTOFF`] on.
    ///
    /// # Panics
    /// When there are no bins, or 2^31 or more.
    pub fn new(bins: u64) -> Self {
        Self::with_cutoff(bins, CUTOFF)
    }

    /// The same with another cutoff; with 0 nothing is dropped.
    ///
    /// # Panics
    /// As [`Occupancy::new`].
    pub fn with_cutoff(bins: u64, cutoff: f64) -> Self {
        assert!(bins > 0 && bins >> 31 == 0, "{bins} bins: 1 to 2^31 - 1");
        Occupancy {
            bins: bins as f64,
            cutoff,
            messages: 0,
            first: 0,
            band: vec![1.0],
            next: Vec::new(),
            total: 1.0,
            dropped: 0.0,
        }
    }

    /// Balls tossed so far: m.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// The fewest rejected messages of the band, and the probabilities of that many, one
    /// more, and so on. They sum to 1, up to rounding.
    pub fn rejected(&self) -> (u64, &[f64]) {
        (self.first, &self.band)
    }

    /// The probability dropped so far, in all tosses together.
    pub fn dropped(&self) -> f64 {
        self.dropped
    }

    /// One more ball.
    pub fn toss(&mut self) {
        let (bins, size) = (self.bins, self.band.len());
        // Bins that are occupied in the first entry.
        let occupied = (self.messages - self.first) as f64;
        let scale = 1.0 / (bins * self.total);
        self.next.clear();
        self.next.resize(size + 1, 0.0);
        self.next[0] = self.band[0] * (bins - occupied) * scale;
        let inner = self.next[1..size].iter_mut().zip(self.band.windows(2));
        for ((next, pair), at) in inner.zip(1i32..) {
            let at = f64::from(at);
            let hit = pair[0] * (occupied + 1.0 - at);
            let new = pair[1] * (bins - occupied + at);
            *next = (hit + new) * scale;
        }
        self.next[size] = self.band[size - 1] * (occupied + 1.0 - size as f64) * scale;
        self.trim();
        std::mem::swap(&mut self.band, &mut self.next);
        self.total = sum(&self.band);
        self.messages += 1;
    }

    /// Drops what is below the cutoff at the ends of the next band.
    fn trim(&mut self) {
        let keep = |&entry: &f64| entry >= self.cutoff;
        let end = self.next.iter().rposition(keep).expect("a kept entry") + 1;
        let start = self.next.iter().position(keep).expect("a kept entry");
        self.dropped += self.next[end..].iter().sum::<f64>();
        self.dropped += self.next[..start].iter().sum::<f64>();
        self.next.truncate(end);
        self.next.drain(..start);
        self.first += start as u64;
    }
}

/// Lanes of a sum, which the compiler turns into vectors. The order of additions, and so
/// the result, is the same on every machine.
const LANES: usize = 8;

fn sum(values: &[f64]) -> f64 {
    let mut lanes = [0.0; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    lanes.iter().sum::<f64>() + rest
}

/// The sums of w d and of w (variance + d^2), where d = mean - `origin`, for values r with mean
/// `mean[r]` and variance `variance[r]`, drawn with probability `weights[r]` = w.
pub(super) fn moments(weights: &[f64], mean: &[f64], variance: &[f64], origin: f64) -> (f64, f64) {
    let mut first = [0.0; LANES];
    let mut second = [0.0; LANES];
    let size = weights.len();
    let (mean, variance) = (&mean[..size], &variance[..size]);
    for start in (0..size).step_by(LANES) {
        let end = size.min(start + LANES);
        let lanes = first.iter_mut().zip(&mut second);
        let values = weights[start..end]
            .iter()
            .zip(&mean[start..end])
            .zip(&variance[start..end]);
        for ((first, second), ((weight, mean), variance)) in lanes.zip(values) {
            let away = mean - origin;
            *first += weight * away;
            *second += weight * (variance + away * away);
        }
    }
    (first.iter().sum(), second.iter().sum())
}
