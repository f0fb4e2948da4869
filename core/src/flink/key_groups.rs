//! Which subtask a key belongs to.
//!
//! Source: Flink's `KeyGroupRangeAssignment` and `MathUtils.murmurHash`; a string's hash code is
//! Java's `String.hashCode`. So a country lands on the subtask on which it would land in Flink.

/// Flink's lower bound for the maximum parallelism of an operator.
const DEFAULT_LOWER_BOUND_MAX_PARALLELISM: u32 = 128;
/// Flink's upper bound for the maximum parallelism.
const UPPER_BOUND_MAX_PARALLELISM: u32 = 1 << 15;

/// The maximum parallelism that Flink computes where none is configured: one and a half times the
/// parallelism, rounded up to a power of two, between 128 and 32,768.
pub fn default_max_parallelism(parallelism: u16) -> u32 {
    let wished = u32::from(parallelism) + u32::from(parallelism) / 2;
    wished.next_power_of_two().clamp(
        DEFAULT_LOWER_BOUND_MAX_PARALLELISM,
        UPPER_BOUND_MAX_PARALLELISM,
    )
}

/// The hash by which a key's group is found.
pub fn key_hash(key: &str) -> u32 {
    murmur(java_hash_code(key))
}

/// The subtask, from 0, to which a key of this hash belongs among `parallelism` ones; 0 where that is 0.
pub fn subtask_of(key_hash: u32, parallelism: u16) -> u16 {
    let max_parallelism = default_max_parallelism(parallelism);
    let group = key_hash % max_parallelism;
    u16::try_from(group * u32::from(parallelism) / max_parallelism).unwrap_or(0)
}

/// Java's `String.hashCode`: over UTF-16 units.
fn java_hash_code(text: &str) -> i32 {
    text.encode_utf16().fold(0_i32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(unit))
    })
}

/// Flink's `MathUtils.murmurHash` of one int: never negative.
fn murmur(code: i32) -> u32 {
    let mut code = (code as u32).wrapping_mul(0xcc9e_2d51);
    code = code.rotate_left(15);
    code = code.wrapping_mul(0x1b87_3593);
    code = code.rotate_left(13);
    code = code.wrapping_mul(5).wrapping_add(0xe654_6b64);
    code ^= 4;
    code ^= code >> 16;
    code = code.wrapping_mul(0x85eb_ca6b);
    code ^= code >> 13;
    code = code.wrapping_mul(0xc2b2_ae35);
    code ^= code >> 16;
    // `-code` for negative codes, except for the one that has no positive twin.
    match code as i32 {
        i32::MIN => 0,
        code => code.unsigned_abs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn java_hash_codes() {
        assert_eq!(java_hash_code(""), 0);
        assert_eq!(java_hash_code("Flink"), 67_968_320);
        assert_eq!(java_hash_code("hello"), 99_162_322);
        assert_eq!(java_hash_code("barrier"), -333_143_113);
    }

    #[test]
    fn keys_are_spread_and_within_bounds() {
        let mut seen = [0; 5];
        for n in 0..1_000 {
            let subtask = subtask_of(key_hash(&alloc::format!("key-{n}")), 5);
            seen[usize::from(subtask)] += 1;
        }
        assert!(
            seen.iter().all(|count| (100..400).contains(count)),
            "{seen:?}"
        );
    }

    #[test]
    fn max_parallelism_as_flink_computes_it() {
        for (parallelism, expected) in [(1, 128), (85, 128), (86, 256), (128, 256)] {
            assert_eq!(default_max_parallelism(parallelism), expected);
        }
    }
}
