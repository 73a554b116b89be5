/// A repeatable sequence of numbers (SplitMix64), so that a failing mutation can be run again by its seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    mutating func byte() -> UInt8 { UInt8.random(in: .min ... .max, using: &self) }
}

/// A change of one packet, or of its place among the others.
enum Mutation: CaseIterable {
    case truncate, extend, flipBit, edgeByte, randomByte, duplicate, drop, swap, unknownType, replace, tellLength

    /// Changes the packet at `index`; the first `kept` bytes stay unchanged where the kind of mutation allows
    /// it.
    func apply(to packets: inout [[UInt8]], at index: Int, keeping kept: Int, _ random: inout SeededRandom) {
        guard packets.indices.contains(index) else { return }
        let count = packets[index].count
        let place = count > kept ? kept + random.below(count - kept) : nil
        switch self {
        case .truncate: packets[index].removeLast(random.below(count + 1))
        case .extend: packets[index] += (0..<1 + random.below(40)).map { _ in random.byte() }
        case .flipBit: if let place { packets[index][place] ^= 1 << UInt8(random.below(8)) }
        case .edgeByte: if let place { packets[index][place] = [0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF][random.below(6)] }
        case .randomByte: if let place { packets[index][place] = random.byte() }
        case .duplicate: packets.insert(packets[index], at: index)
        case .drop: packets.remove(at: index)
        case .swap: packets.swapAt(index, random.below(packets.count))
        case .unknownType: if count > 0 { packets[index][0] = random.byte() }
        case .replace: packets[index] = (0..<random.below(300)).map { _ in random.byte() }
        case .tellLength:
            // The length fields of events, data packets, L2CAP and signalling.
            let field = [2, 3, 4, 5, 6, 11, 12][random.below(7)]
            if field < count { packets[index][field] = random.byte() }
        }
    }
}
