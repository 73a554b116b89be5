/// A small linear congruential generator (Knuth's MMIX constants): the same choice in every run.
package struct FixedGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator with that initial state.
    package init(state: UInt64) { self.state = state }

    package mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}
