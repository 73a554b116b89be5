/// The SplitMix64 generator (Steele, Lea and Flood 2014). It is small, fast and the same on every machine, so that a
/// seed reproduces a run. It is only for simulated losses and choices, never for keys of real data.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator whose seed is `seed`.
    package init(seed: UInt64) {
        state = seed
    }

    /// Returns the next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns whether an event of the given probability (0 to 1) happens. A probability of 0 or less uses no value of
    /// the sequence.
    package mutating func happens(_ probability: Double) -> Bool {
        guard probability > 0 else { return false }
        return Double(next() >> 11) * 0x1p-53 < probability
    }

    /// Returns `count` random bytes. The array is empty for a negative count.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<max(0, count)).map { _ in UInt8(truncatingIfNeeded: next() >> 56) }
    }

    /// Returns an independent generator whose seed is the next value of this generator.
    package mutating func fork() -> SplitMix64 { SplitMix64(seed: next()) }
}
