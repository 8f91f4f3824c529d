//! Papers: what they print, beside what their formulas give and what is simulated.
//!
//! | file | holds |
//! |---|---|
//! | [`registry`] | the list of papers and of their figures |
//! | [`paper`] | what a paper brings: quantities, a report, figures |
//! | [`quantity`] | a quantity, and how its verdict is found |
//! | [`order`] | claims that one mean is below another |
//! | [`checked`] | a paper whose quantities have been judged |
//! | [`page`] | what a report shows, apart from how it looks |
//! | [`steady`] | steady traffic, and where a network saturates |
//! | [`effort`] | how much is simulated |
//! | [`report`] | a paper's sections as the files of a page |
//! | [`fingerprint`] | a sample of results, by which kept ones are told from those of another program |
//! | [`chen2004`] | Chen & Sha's fat stacks and fat pyramid |
//! | [`dehon1990`] | DeHon's fat-tree routing for Transit |
//! | [`dimakopoulos1994`] | Dimakopoulos & Dimopoulos' communications in binary fat trees |
//! | [`strumpen2005`] | Strumpen & Krishnamurthy's collision model |
//! | [`yuan2007`] | Yuan, Nienaber, Duan & Melhem's oblivious routing on m-port n-trees |
//!
//! Formulas are in [`analytic`](crosswave_analytic), which knows no engine. A paper's folder
//! compares them with studies of built networks: what is driven and read off by the study
//! itself, or runs of configurations. The registry stands above the papers, and what they are
//! made with below them.

mod cases;
pub mod checked;
pub mod chen2004;
pub mod dehon1990;
pub mod differences;
pub mod dimakopoulos1994;
pub mod effort;
mod ended;
pub mod fingerprint;
pub mod networks;
pub mod order;
pub mod page;
pub mod paper;
pub mod quantity;
pub mod registry;
pub mod report;
pub mod steady;
pub mod strumpen2005;
pub mod yuan2007;
