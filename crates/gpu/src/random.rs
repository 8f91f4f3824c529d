//! Random bits in shaders: the functions of [`crosswave_base::random`] on pairs of 32-bit words, low
//! word first.

use crosswave_base::random::{SPLITMIX_FACTORS, SPLITMIX_INCREMENT, SPLITMIX_SHIFTS, THIRD_STEPS};

/// A 64-bit number as a pair.
fn pair(value: u64) -> String {
    format!("vec2<u32>({}u, {}u)", value as u32, value >> 32)
}

/// The functions: `fair(key, group, high)` and `third(key, group, high)` give one half of the word of a
/// group of 64 instances, the upper one where `high` says so.
pub fn functions() -> String {
    let [first, second, last] = SPLITMIX_SHIFTS;
    let [factor, second_factor] = SPLITMIX_FACTORS.map(pair);
    let shifted = |name: &str, by: u8| {
        format!(
            "vec2<u32>({name}.x ^ (({name}.x >> {by}u) | ({name}.y << {}u)), {name}.y ^ ({name}.y >> {by}u))",
            32 - by
        )
    };
    let (one, two, three) = (
        shifted("a", first),
        shifted("b", second),
        shifted("c", last),
    );
    let increment = pair(SPLITMIX_INCREMENT);
    let back = pair(SPLITMIX_INCREMENT.wrapping_neg());
    let step = pair(SPLITMIX_INCREMENT.wrapping_mul(THIRD_STEPS));
    let pairs = THIRD_STEPS / 2;
    format!(
        "fn sum(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {{
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + u32(low < a.x));
}}
fn product(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {{
  let al = a.x & 0xffffu; let ah = a.x >> 16u; let bl = b.x & 0xffffu; let bh = b.x >> 16u;
  let lh = al * bh; let hl = ah * bl;
  let middle = ((al * bl) >> 16u) + (lh & 0xffffu) + (hl & 0xffffu);
  return vec2<u32>(a.x * b.x, ah * bh + (lh >> 16u) + (hl >> 16u) + (middle >> 16u) + a.x * b.y + a.y * b.x);
}}
fn mix64(a: vec2<u32>) -> vec2<u32> {{
  let b = product({one}, {factor});
  let c = product({two}, {second_factor});
  return {three};
}}
fn fair(key: vec2<u32>, group: u32, high: bool) -> u32 {{
  let word = mix64(sum(key, product({increment}, vec2<u32>(group + 1u, 0u))));
  return select(word.x, word.y, high);
}}
fn third(key: vec2<u32>, group: u32, high: bool) -> u32 {{
  var counter = sum(key, product({step}, vec2<u32>(group + 1u, 0u)));
  var open = 0xffffffffu;
  var bits = 0u;
  for (var number = 0u; number < {pairs}u; number++) {{
    let keep = mix64(counter);
    counter = sum(counter, {back});
    let ones = mix64(counter);
    counter = sum(counter, {back});
    open &= select(keep.x, keep.y, high);
    let taken = select(ones.x, ones.y, high);
    bits |= open & taken;
    open &= ~taken;
    if (open == 0u) {{ break; }}
  }}
  return bits;
}}
"
    )
}
