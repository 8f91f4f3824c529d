//! The machine that a bench runs on.

use std::fs;
use std::path::Path;

use crosswave_lanes::native::Isa;
use serde::Serialize;

/// A data cache.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cache {
    /// 1 is next to the processor.
    pub level: u32,
    /// Its size.
    pub bytes: usize,
    /// True when several processors share it.
    pub shared: bool,
}

/// The machine.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    /// Name of the processor.
    pub processor: String,
    /// Family, model and stepping, which tell what a virtual machine hides.
    pub family_model_stepping: [String; 3],
    /// Threads that this process may use.
    pub threads: usize,
    /// Instruction sets of native code.
    pub isa: Vec<String>,
    /// Data caches, the nearest first.
    pub caches: Vec<Cache>,
    /// Memory.
    pub memory_bytes: usize,
    /// Load of the last minute when the bench began: other work disturbs.
    pub load: String,
}

impl Machine {
    /// This one.
    pub fn here() -> Machine {
        let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let of = |key: &str| field(&processor, key).unwrap_or_else(|| "unknown".to_owned());
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let kib = field(&memory, "MemTotal")
            .and_then(|value| value.split_whitespace().next()?.parse::<usize>().ok());
        let isa = Isa::ALL.into_iter().filter(|isa| isa.is_available());
        Machine {
            processor: of("model name"),
            family_model_stepping: ["cpu family", "model", "stepping"].map(of),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            isa: isa.map(|isa| isa_name(isa).to_owned()).collect(),
            caches: caches(),
            memory_bytes: kib.unwrap_or(0) << 10,
            load: load.split(' ').next().unwrap_or_default().to_owned(),
        }
    }

    /// A few words about it.
    pub fn short(&self) -> String {
        let isa = self.isa.first().map_or("without AVX2", String::as_str);
        let name = self.processor.split('@').next().unwrap_or_default().trim();
        let [family, model, _] = &self.family_model_stepping;
        format!(
            "{} threads of an {name} (family {family}, model {model}, {isa})",
            self.threads
        )
    }

    /// One line.
    pub fn line(&self) -> String {
        let caches = self.caches.iter().map(|cache| {
            let (size, unit) = match cache.bytes >> 20 {
                0 => (cache.bytes >> 10, "KiB"),
                mib => (mib, "MiB"),
            };
            format!("L{} {size} {unit}", cache.level)
        });
        let [family, model, stepping] = &self.family_model_stepping;
        format!(
            "{} (family {family}, model {model}, stepping {stepping}), {} threads, {}, {}, {} GiB, load {}",
            self.processor,
            self.threads,
            self.isa.join(" and "),
            caches.collect::<Vec<_>>().join(", "),
            self.memory_bytes >> 30,
            self.load
        )
    }
}

/// The usual name of an instruction set.
fn isa_name(isa: Isa) -> &'static str {
    match isa {
        Isa::Avx512 => "AVX-512",
        Isa::Avx2 => "AVX2",
    }
}

/// The value of `key : value` in a file of the system.
fn field(text: &str, key: &str) -> Option<String> {
    let value = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then_some(value)
    })?;
    Some(value.trim().to_owned())
}

/// The data caches of processor 0; sizes that are common where the system does
/// not tell.
fn caches() -> Vec<Cache> {
    let folder = Path::new("/sys/devices/system/cpu/cpu0/cache");
    let cache = |index: usize| {
        let read = |name: &str| {
            let text = fs::read_to_string(folder.join(format!("index{index}/{name}")));
            text.ok().map(|text| text.trim().to_owned())
        };
        if read("type")? == "Instruction" {
            return None;
        }
        let size = read("size")?;
        Some(Cache {
            level: read("level")?.parse().ok()?,
            bytes: size.strip_suffix('K')?.parse::<usize>().ok()? << 10,
            shared: read("shared_cpu_list")?.contains(['-', ',']),
        })
    };
    let mut caches: Vec<Cache> = (0..8).filter_map(cache).collect();
    caches.sort_by_key(|cache| cache.level);
    if caches.is_empty() {
        let common = [(1, 32 << 10), (2, 1 << 20), (3, 32 << 20)];
        caches.extend(common.map(|(level, bytes)| Cache {
            level,
            bytes,
            shared: level == 3,
        }));
    }
    caches
}
