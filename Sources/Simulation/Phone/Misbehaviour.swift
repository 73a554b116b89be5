/// A moment of a visit.
package enum VisitStep: Equatable, Sendable {
    /// The link is established.
    case connected
    /// The wallet sent Identify.
    case identified
    /// The response size was sent.
    case chosen
    /// The chunk with the given number (from 1) was passed to the phone's stack.
    case chunk(Int)
    /// The report request was sent.
    case reportRequested
    /// The verifier reported SUCCESS.
    case delivered
}

/// A behaviour that well-behaved wallets do not show.
package enum Misbehaviour: Equatable, Sendable {
    /// The phone disconnects at the given step.
    case leaves(VisitStep)
    /// The phone goes out of range at the given step: the link falls silent.
    case vanishes(VisitStep)
    /// The phone connects and never sends anything.
    case silent
    /// The phone receives the verdict but does not disconnect.
    case lingers
    /// The wallet starts another transfer after SUCCESS.
    case secondTransfer
    /// The phone sends the size and all chunks `times` more times before it requests the report.
    case startsOver(times: Int)
    /// The phone flips a bit in the payload of the chunk with the given number in the first pass.
    case corruptsChunk(Int)
    /// The phone loses every chunk whose number is a multiple of the given number in the first pass.
    case losesEvery(Int)
    /// The phone sends the given number of random packets on all channels, 5 ms apart, then disconnects.
    case garbage(packets: Int)
    /// The phone requests pairing first and otherwise behaves normally.
    case pairs
    /// The phone needs no code, because the key is in the advertisement. The phone connects and performs the siege.
    /// After the end of each link it returns with another wallet key, until its patience ends.
    case besieges(Siege)
}

/// A way to occupy a gate and so exclude other visitors.
package enum Siege: Equatable, Sendable {
    /// The phone sends nothing.
    case silent
    /// The phone disconnects at once.
    case storm
    /// The phone sends Identify and nothing else.
    case identified
    /// The phone sends Identify and a response size, then one chunk after each time `every`.
    case drips(every: Duration)
    /// The phone sends Identify, a response size and `chunks` chunks at once, then one chunk after each time `every`.
    case bursts(chunks: Int, every: Duration)
    /// The phone falls silent at once, without disconnecting. After `every`, the phone connects again.
    case ghost(every: Duration)
    /// The phone sends one request and, after the time `after`, `requests` requests at once. From then on it
    /// acknowledges no answer, and continues like ``ghost(every:)``.
    case gag(requests: Int, after: Duration = .zero, every: Duration)
    /// The phone sends its data at once, and receives the verdict.
    case shares
}
