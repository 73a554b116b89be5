/// The SplitMix64 generator (Steele, Lea and Flood 2014): small, fast and the same on every machine, so a run is repeated
/// by its seed. For simulated losses and choices only, never for keys that protect anything.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// A generator whose sequence is fixed by `seed`.
    package init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether an event of that probability (0 … 1) happens. A probability of 0 or less draws nothing from the sequence.
    package mutating func happens(_ probability: Double) -> Bool {
        guard probability > 0 else { return false }
        return Double(next() >> 11) * 0x1p-53 < probability
    }

    /// That many bytes; none for a negative count.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<max(0, count)).map { _ in UInt8(truncatingIfNeeded: next() >> 56) }
    }

    /// A generator of its own whose sequence depends on this one's next value.
    package mutating func fork() -> SplitMix64 { SplitMix64(seed: next()) }
}
