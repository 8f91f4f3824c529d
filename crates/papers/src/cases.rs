//! Claims about every case of many: how many were tried, and how many keep the claim.
//!
//! A count of violations says nothing without the count of what was tried, so the claim is that
//! count, and what is found is the number of cases that keep it.

use super::quantity::{Quantity, Value};

/// Cases of which a paper says that all keep a claim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cases {
    tried: u64,
    kept: u64,
}

impl Cases {
    /// Cases of which so many were tried, and so many break the claim.
    ///
    /// # Panics
    /// When more break it than were tried.
    pub fn broken(tried: u64, broken: u64) -> Cases {
        let kept = tried.checked_sub(broken);
        Cases {
            tried,
            kept: kept.expect("a case that breaks a claim was tried"),
        }
    }

    /// Counts a case.
    pub fn add(&mut self, keeps: bool) {
        self.tried += 1;
        self.kept += u64::from(keeps);
    }

    /// Cases that keep the claim.
    pub fn kept(self) -> Value {
        self.kept.into()
    }

    /// The claim that all cases keep it, of which nothing is known yet. When nothing was tried
    /// it claims a case, which nothing keeps.
    pub fn claim(self, id: impl Into<String>, source: impl Into<String>) -> Quantity {
        Quantity::claimed(id, source, self.tried.max(1))
    }
}

impl FromIterator<bool> for Cases {
    fn from_iter<I: IntoIterator<Item = bool>>(keeps: I) -> Self {
        let mut cases = Cases::default();
        keeps.into_iter().for_each(|keeps| cases.add(keeps));
        cases
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Verdict;

    fn verdict(cases: Cases) -> Verdict {
        let quantity = cases.claim("q", "").analytic(cases.kept());
        quantity.judged(None).verdict
    }

    #[test]
    fn all_must_keep_it_and_some_be_tried() {
        let all: Cases = [true, true].into_iter().collect();
        assert_eq!(all, Cases::broken(2, 0));
        assert_eq!(verdict(all), Verdict::Reproduced);
        let one: Cases = [true, false].into_iter().collect();
        assert_eq!(one, Cases::broken(2, 1));
        assert_eq!(verdict(one), Verdict::NotReproduced);
        assert_eq!(verdict(Cases::default()), Verdict::NotReproduced);
    }
}
