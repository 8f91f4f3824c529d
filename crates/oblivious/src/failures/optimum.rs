//! The least maximum link load that a traffic can have on a tree where something has failed.
//!
//! It is a linear program, solved by the simplex method of the crate `microlp`: the load of every
//! whole link is at most z, and z is made least. With [`RoutingFreedom::Shortest`] a variable is
//! the traffic of a pair by a whole top switch. With [`RoutingFreedom::Any`] it is the traffic to a
//! destination that a link carries, as much leaving every switch as enters it; this is the optimal
//! load of section II.A, by paths of any form. Where nothing has failed both are the base load
//! (corollary 1).
//!
//! Numbers are floating point, exact to about 1e-9. Limit: [`VARIABLES_MAX`] variables.

use std::collections::BTreeMap;
use std::fmt;

use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome, Variable};

use super::Failures;
use crate::load::{Demand, TrafficMatrix};
use crate::tree::{PortTree, TreeLink, Vertex};

/// The most variables of a program.
pub const VARIABLES_MAX: usize = 20_000;

/// The paths that traffic may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RoutingFreedom {
    /// Whole shortest ones.
    Shortest,
    /// All that go over whole links.
    Any,
}

/// The least maximum link load found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Optimum {
    /// The least maximum link load.
    pub load: f64,
    /// Traffic between nodes without such a path to each other; it is not in the load.
    pub disconnected: u64,
}

/// The reason why there is no optimum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptimumError {
    /// The program has more than [`VARIABLES_MAX`] variables.
    Variables {
        /// Number of variables.
        found: usize,
    },
    /// The solver gave up, and says why.
    Solver(String),
}

impl fmt::Display for OptimumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptimumError::Variables { found } => write!(
                f,
                "found a linear program of {found} variables, expected at most {VARIABLES_MAX}: a \
                 smaller tree, or less traffic"
            ),
            OptimumError::Solver(why) => write!(f, "the linear program was not solved: {why}"),
        }
    }
}

impl std::error::Error for OptimumError {}

/// The least maximum link load of a traffic matrix.
///
/// # Errors
/// When the program is too large, or not solved.
///
/// # Panics
/// When the matrix has another number of nodes than the tree.
pub fn optimum(
    failures: &Failures,
    traffic: &TrafficMatrix,
    ways: RoutingFreedom,
) -> Result<Optimum, OptimumError> {
    let tree = failures.tree();
    assert_eq!(traffic.nodes(), tree.nodes(), "nodes of the traffic matrix");
    let mut program = Program::new(tree);
    let disconnected = match ways {
        RoutingFreedom::Shortest => program.shortest(failures, traffic)?,
        RoutingFreedom::Any => program.any(failures, traffic)?,
    };
    Ok(Optimum {
        load: program.solve()?,
        disconnected,
    })
}

struct Program {
    tree: PortTree,
    problem: Problem,
    /// z.
    most: Variable,
    variables: usize,
    /// The variables whose traffic each link carries, by the links' dense numbers.
    carried: Vec<Vec<Variable>>,
}

impl Program {
    fn new(tree: PortTree) -> Self {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let most = problem.add_var(1.0, (0.0, f64::INFINITY));
        Program {
            tree,
            problem,
            most,
            variables: 1,
            carried: vec![Vec::new(); tree.links() as usize],
        }
    }

    /// A variable for traffic.
    fn variable(&mut self) -> Variable {
        self.variables += 1;
        self.problem.add_var(0.0, (0.0, f64::INFINITY))
    }

    fn check(&self, more: usize) -> Result<(), OptimumError> {
        let found = self.variables.saturating_add(more);
        match found <= VARIABLES_MAX {
            true => Ok(()),
            false => Err(OptimumError::Variables { found }),
        }
    }

    /// Adds the traffic of pairs by their top switches; gives what is disconnected.
    fn shortest(
        &mut self,
        failures: &Failures,
        traffic: &TrafficMatrix,
    ) -> Result<u64, OptimumError> {
        let tops = |demand: &Demand| self.tree.tops(demand.source, demand.destination) as usize;
        self.check(traffic.demands().iter().map(tops).sum())?;
        let mut disconnected = 0;
        for demand in traffic.demands() {
            let (source, destination) = (demand.source, demand.destination);
            let mut parts = Vec::new();
            for top in failures.whole_tops(source, destination) {
                let variable = self.variable();
                for link in self.tree.path(source, destination, top) {
                    self.carried[self.tree.index(link)].push(variable);
                }
                parts.push((variable, 1.0));
            }
            match parts.is_empty() {
                true => disconnected += u64::from(demand.amount),
                false => {
                    let amount = f64::from(demand.amount);
                    self.problem.add_constraint(parts, ComparisonOp::Eq, amount);
                }
            }
        }
        Ok(disconnected)
    }

    /// Adds the flows to every destination; gives what is disconnected.
    fn any(&mut self, failures: &Failures, traffic: &TrafficMatrix) -> Result<u64, OptimumError> {
        let tree = self.tree;
        let mut demands: BTreeMap<u32, Vec<Demand>> = BTreeMap::new();
        for &demand in traffic.demands() {
            demands.entry(demand.destination).or_default().push(demand);
        }
        let whole: Vec<TreeLink> = (0..tree.links() as usize)
            .map(|index| tree.link(index))
            .filter(|&link| !failures.has_failed(link))
            .collect();
        self.check(whole.len().saturating_mul(demands.len()))?;
        let mut disconnected = 0;
        for (destination, demands) in demands {
            let destination = Vertex::Node(destination);
            let sent: BTreeMap<Vertex, u32> = demands
                .iter()
                .map(|demand| (Vertex::Node(demand.source), demand.amount))
                .collect();
            // Nodes pass nothing on.
            let is_usable = |link: &&TreeLink| {
                let (from, to) = tree.ends(**link);
                let passes = !matches!(to, Vertex::Node(_)) || to == destination;
                passes && (!matches!(from, Vertex::Node(_)) || sent.contains_key(&from))
            };
            let links: Vec<TreeLink> = whole.iter().filter(is_usable).copied().collect();
            let reach = reaching(tree, &links, destination);
            let mut flows: BTreeMap<Vertex, Vec<(Variable, f64)>> = BTreeMap::new();
            for &link in &links {
                let (from, to) = tree.ends(link);
                if reach.contains(&from) && reach.contains(&to) {
                    let variable = self.variable();
                    self.carried[tree.index(link)].push(variable);
                    flows.entry(from).or_default().push((variable, 1.0));
                    flows.entry(to).or_default().push((variable, -1.0));
                }
            }
            for (&source, &amount) in &sent {
                if !reach.contains(&source) {
                    disconnected += u64::from(amount);
                }
            }
            for (vertex, flows) in flows {
                if vertex != destination {
                    let amount = sent.get(&vertex).copied().unwrap_or(0);
                    let amount = f64::from(amount);
                    self.problem.add_constraint(flows, ComparisonOp::Eq, amount);
                }
            }
        }
        Ok(disconnected)
    }

    fn solve(mut self) -> Result<f64, OptimumError> {
        for carried in self.carried {
            if !carried.is_empty() {
                let mut row: Vec<(Variable, f64)> = carried
                    .into_iter()
                    .map(|variable| (variable, 1.0))
                    .collect();
                row.push((self.most, -1.0));
                self.problem.add_constraint(row, ComparisonOp::Le, 0.0);
            }
        }
        match self.problem.solve() {
            Ok(SolveOutcome::Solution(solution)) => Ok(solution.objective()),
            // No limit is set.
            Ok(SolveOutcome::Interrupted(_)) => Err(OptimumError::Solver("it stopped".to_owned())),
            Err(error) => Err(OptimumError::Solver(error.to_string())),
        }
    }
}

/// The vertices from which links lead to a destination.
fn reaching(
    tree: PortTree,
    links: &[TreeLink],
    destination: Vertex,
) -> std::collections::BTreeSet<Vertex> {
    let mut into: BTreeMap<Vertex, Vec<Vertex>> = BTreeMap::new();
    for &link in links {
        let (from, to) = tree.ends(link);
        into.entry(to).or_default().push(from);
    }
    let mut reached = std::collections::BTreeSet::from([destination]);
    let mut stack = vec![destination];
    while let Some(vertex) = stack.pop() {
        for &from in into.get(&vertex).into_iter().flatten() {
            if reached.insert(from) {
                stack.push(from);
            }
        }
    }
    reached
}
