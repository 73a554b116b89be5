/// A moment of a visit.
package enum VisitStep: Equatable, Sendable {
    /// The link is established.
    case connected
    /// Identify was sent.
    case identified
    /// The response size was sent.
    case chosen
    /// This chunk was passed to the phone (from 1).
    case chunk(Int)
    /// The report request was sent.
    case reportRequested
    /// The verifier reported SUCCESS.
    case delivered
}

/// A behaviour that a well-behaved wallet does not show.
package enum Misbehaviour: Equatable, Sendable {
    /// Disconnects at that step.
    case leaves(VisitStep)
    /// Goes out of range at that step: the link falls silent.
    case vanishes(VisitStep)
    /// Connects and never sends anything.
    case silent
    /// Receives the verdict but does not disconnect.
    case lingers
    /// Starts another transfer after SUCCESS.
    case secondTransfer
    /// Sends the size and all chunks this many more times before it requests the report.
    case startsOver(times: Int)
    /// Flips a bit of this chunk's payload in the first pass.
    case corruptsChunk(Int)
    /// Loses every chunk whose number is a multiple of this inside the phone in the first pass.
    case losesEvery(Int)
    /// Sends this many random packets on all channels, 5 ms apart, then disconnects.
    case garbage(packets: Int)
    /// Requests pairing first and otherwise behaves.
    case pairs
    /// Needs no code, because the key is in the advertisement. Connects, performs the siege, and returns with
    /// another wallet key as soon as the link is gone, until its patience ends.
    case besieges(Siege)
}

/// A way to occupy a gate so that other visitors are not served.
package enum Siege: Equatable, Sendable {
    /// Sends nothing.
    case silent
    /// Disconnects at once.
    case storm
    /// Sends Identify, and then nothing.
    case identified
    /// Sends Identify and a response size, then one chunk per interval.
    case drips(every: Duration)
    /// The same after sending this many chunks at once.
    case bursts(chunks: Int, every: Duration)
    /// Falls silent at once, without disconnecting; connects again after that time.
    case ghost(every: Duration)
    /// Sends one request, and after `after` this many requests at once; acknowledges no answer from then on.
    /// Continues like ``ghost(every:)``.
    case gag(requests: Int, after: Duration = .zero, every: Duration)
    /// Sends its data at once, and receives the verdict.
    case shares
}
