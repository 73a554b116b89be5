/// A moment of a visit.
package enum VisitStep: Equatable, Sendable {
    /// The link stands.
    case connected
    /// Identify went out.
    case identified
    /// The response size went out.
    case chosen
    /// This chunk was handed over (from 1).
    case chunk(Int)
    /// The report request went out.
    case reportRequested
    /// The verifier reported SUCCESS.
    case delivered
}

/// What a visitor does that a well-behaved wallet would not.
package enum Misbehaviour: Equatable, Sendable {
    /// Disconnects at that moment.
    case leaves(VisitStep)
    /// Goes out of range at that moment: nothing more is heard.
    case vanishes(VisitStep)
    /// Connects and never says a word.
    case silent
    /// Takes the verdict but does not disconnect.
    case lingers
    /// Starts another transfer after SUCCESS.
    case secondTransfer
    /// Sends everything so many times more before it asks for the report.
    case startsOver(times: Int)
    /// A bit of this chunk's payload is flipped in the first pass.
    case corruptsChunk(Int)
    /// Every chunk whose number is a multiple of this is lost inside the phone in the first pass.
    case losesEvery(Int)
    /// Sends that many random packets on all channels, 5 ms apart, then leaves.
    case garbage(packets: Int)
    /// Asks for pairing first and otherwise behaves.
    case pairs
    /// Needs no code, the key being on the air; connects, does that, and comes again with another wallet key as soon as
    /// the link is gone, for as long as its patience lasts.
    case besieges(Siege)
}

/// How a visitor keeps others out.
package enum Siege: Equatable, Sendable {
    /// Says nothing.
    case silent
    /// Leaves at once.
    case storm
    /// Identifies, and then nothing.
    case identified
    /// Identifies, announces a response and sends a chunk each time that has gone by.
    case drips(every: Duration)
    /// The same behind so many chunks that it sends at once.
    case bursts(chunks: Int, every: Duration)
    /// Falls silent at once, without leaving; makes another link as soon as that time has gone by.
    case ghost(every: Duration)
    /// Asks one question, and so many more at once after that time; acknowledges no answer from then on; then as
    /// ``ghost(every:)``.
    case gag(requests: Int, after: Duration = .zero, every: Duration)
    /// Sends at once what it has, and takes the verdict.
    case shares
}
