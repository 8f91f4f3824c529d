//! The names inside a design: a tree of scopes with the nets that have names in them.
//!
//! An instance is a scope. Where a name is itself a path, as in modules that Yosys has flattened
//! (`stage.state`) and in generated blocks (`rows[2].cell`), each name before a dot is a scope too,
//! if a name follows the dot: `w.[1]` is one name. A scope that an instance and such a name share
//! occurs once.
//!
//! Scopes are held one by one. Names of nets are held once for each module, so that a design takes
//! a few bytes for each instance, however many nets its module has.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::yosys::NetVector;
use crosswave_netlist::{Design, DesignHierarchy, Module};
use crosswave_probe::signal::Hierarchy;

#[cfg(test)]
mod tests;

/// Scopes of the largest design whose names are looked at.
pub const SCOPES_MAX: u64 = 1 << 24;

/// Names of nets of the largest design whose names are looked at.
pub const NAMES_MAX: u64 = 1 << 28;

/// The names inside a design below its root.
#[derive(Debug)]
pub struct InstanceTree<'a> {
    net_vectors: &'a [Vec<NetVector>],
    /// The scopes of each module below the root.
    modules: Vec<ModuleScopes<'a>>,
    /// The root, then every instance after the one around it; the instances in one are consecutive,
    /// in the order of the cells.
    instances: Vec<TreeInstance>,
    scopes: Vec<TreeScope<'a>>,
    /// The scopes of a module for each instance, one instance after the other.
    scope_of: Vec<u32>,
    names: usize,
}

/// The scopes within a module, of which the first is an instance of it.
#[derive(Debug, Default)]
struct ModuleScopes<'a> {
    /// The scope around each, and its own name; the first has neither.
    scopes: Vec<(u32, &'a str)>,
    /// The scope that each instance is, and its module.
    instances: Vec<(u32, usize)>,
    /// The scope of each name of nets, and its last part.
    nets: Vec<(u32, &'a str)>,
}

#[derive(Debug)]
struct TreeInstance {
    module: usize,
    /// The first instance within it.
    children: u32,
    /// Its first entry in [`InstanceTree::scope_of`].
    scopes: u32,
    /// The number of its first name.
    first_name: usize,
}

#[derive(Debug)]
struct TreeScope<'a> {
    parent: Option<u32>,
    name: &'a str,
}

impl<'a> ModuleScopes<'a> {
    /// The scopes of a module of a design that has passed a check.
    fn new(
        hierarchy: &DesignHierarchy<'_>,
        module: &'a Module,
        net_vectors: &'a [NetVector],
    ) -> ModuleScopes<'a> {
        let mut found = ModuleScopes {
            scopes: vec![(0, "")],
            ..ModuleScopes::default()
        };
        let mut known = BTreeMap::new();
        for (cell, instance) in module.instances() {
            let (within, name) = found.enter(&cell.name, &mut known);
            let scope = found.scope(within, name, &mut known);
            let child = hierarchy.find(&instance.module);
            let child = child.expect("a module of the design");
            found.instances.push((scope, child));
        }
        for vector in net_vectors {
            let entry = found.enter(&vector.name, &mut known);
            found.nets.push(entry);
        }
        found
    }

    /// The scope of a path within the module, which is made when need be, and its last name.
    fn enter(
        &mut self,
        path: &'a str,
        known: &mut BTreeMap<(u32, &'a str), u32>,
    ) -> (u32, &'a str) {
        let mut scope = 0;
        let mut start = 0;
        for (dot, _) in path.match_indices('.') {
            let begins = |c: char| c.is_alphabetic() || c == '_';
            if dot > start && path[dot + 1..].starts_with(begins) {
                scope = self.scope(scope, &path[start..dot], known);
                start = dot + 1;
            }
        }
        (scope, &path[start..])
    }

    /// The scope of this name within another one, which is made when need be.
    fn scope(
        &mut self,
        within: u32,
        name: &'a str,
        known: &mut BTreeMap<(u32, &'a str), u32>,
    ) -> u32 {
        *known.entry((within, name)).or_insert_with(|| {
            self.scopes.push((within, name));
            self.scopes.len() as u32 - 1
        })
    }
}

impl<'a> InstanceTree<'a> {
    /// The names below the module with index `root` of a design that has passed a check;
    /// `net_vectors` has those of each module.
    ///
    /// # Errors
    /// When there are more than [`SCOPES_MAX`] scopes or [`NAMES_MAX`] names.
    pub fn new(
        design: &'a Design,
        net_vectors: &'a [Vec<NetVector>],
        root: usize,
    ) -> Result<InstanceTree<'a>, Error> {
        let hierarchy = DesignHierarchy::new(design, root);
        let mut modules = Vec::new();
        modules.resize_with(design.modules.len(), ModuleScopes::default);
        let (mut scopes, mut names) = (0u64, 0u64);
        for &module in &hierarchy.order {
            let vectors = net_vectors.get(module).map_or(&[][..], Vec::as_slice);
            modules[module] = ModuleScopes::new(&hierarchy, &design.modules[module], vectors);
            let times = hierarchy.occurrences[module];
            let sum = |sum: u64, one: usize| sum.saturating_add(times.saturating_mul(one as u64));
            scopes = sum(scopes, modules[module].scopes.len() - 1);
            names = sum(names, modules[module].nets.len());
        }
        if scopes > SCOPES_MAX || names > NAMES_MAX {
            let name = &design.modules[root].name;
            let found = format!(
                "the design has {scopes} scopes with {names} names of nets; at most {SCOPES_MAX} \
                 scopes and {NAMES_MAX} names are searched"
            );
            let help = "run a smaller module as the top";
            let found = Diagnostic::new(format!("module {name}"), found, help);
            return Err(Error::one(Class::Input, name.clone(), found));
        }
        let mut tree = InstanceTree {
            net_vectors,
            modules,
            instances: Vec::new(),
            scopes: vec![TreeScope {
                parent: None,
                name: &design.modules[root].name,
            }],
            scope_of: Vec::new(),
            names: 0,
        };
        tree.add_instances(root);
        Ok(tree)
    }

    /// Adds the root and all instances below it.
    fn add_instances(&mut self, root: usize) {
        // Instances that are known and whose scopes are not: scope, module.
        let mut known = vec![(0, root)];
        let mut next = 0;
        while let Some(&(scope, number)) = known.get(next) {
            next += 1;
            let module = &self.modules[number];
            let first = self.scope_of.len();
            self.instances.push(TreeInstance {
                module: number,
                children: known.len() as u32,
                scopes: first as u32,
                first_name: self.names,
            });
            self.names += module.nets.len();
            self.scope_of.push(scope);
            for &(within, name) in &module.scopes[1..] {
                let parent = Some(self.scope_of[first + within as usize]);
                self.scope_of.push(self.scopes.len() as u32);
                self.scopes.push(TreeScope { parent, name });
            }
            let instances = module.instances.iter();
            let scopes = &self.scope_of[first..];
            known.extend(instances.map(|&(scope, module)| (scopes[scope as usize], module)));
        }
    }

    /// Number of instances, the root among them, which is the first.
    pub(super) fn instance_count(&self) -> usize {
        self.instances.len()
    }

    /// The instance with a place among those of a module, within an instance of it.
    pub(super) fn child(&self, instance: usize, ordinal: u32) -> usize {
        (self.instances[instance].children + ordinal) as usize
    }

    /// The instance that a name belongs to, and the nets that it names.
    pub(super) fn vector(&self, name: usize) -> (usize, &'a NetVector) {
        let (instance, at) = self.place(name);
        (
            instance,
            &self.net_vectors[self.instances[instance].module][at],
        )
    }

    /// The instance that a name belongs to, and its place among the names of the module.
    fn place(&self, name: usize) -> (usize, usize) {
        let after = self.instances.partition_point(|one| one.first_name <= name);
        (after - 1, name - self.instances[after - 1].first_name)
    }
}

impl Hierarchy for InstanceTree<'_> {
    fn scope_count(&self) -> usize {
        self.scopes.len()
    }

    fn scope_name(&self, scope: usize) -> Cow<'_, str> {
        Cow::Borrowed(self.scopes[scope].name)
    }

    fn parent(&self, scope: usize) -> Option<usize> {
        self.scopes[scope].parent.map(|parent| parent as usize)
    }

    fn signal_count(&self) -> usize {
        self.names
    }

    fn signal(&self, signal: usize) -> (&str, Option<usize>) {
        let (instance, at) = self.place(signal);
        let instance = &self.instances[instance];
        let (scope, name) = self.modules[instance.module].nets[at];
        let scope = self.scope_of[(instance.scopes + scope) as usize];
        (name, Some(scope as usize))
    }
}
