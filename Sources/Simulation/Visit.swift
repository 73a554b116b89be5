/// One visitor of a script: arrival, phone, submission and misbehaviour.
package struct Visit: Sendable {
    /// The time of the visitor's arrival.
    package enum Arrival: Equatable, Sendable {
        /// The visitor arrives the given time after the start of the simulation.
        case at(Duration)
        /// The visitor arrives the given time after the end of the previous visit or, for the first visitor, after the
        /// start.
        case afterPrevious(Duration)
    }

    /// The name of the visit for display, such as "Android, photo credential".
    package var name: String
    /// The time of the visitor's arrival.
    package var arrival: Arrival
    /// The properties of the visitor's phone.
    package var phone: PhoneTraits
    /// The data that the wallet sends.
    package var submission: WalletSubmission
    /// The visitor's misbehaviour; nil: the visitor behaves well.
    package var misbehaviour: Misbehaviour?

    /// Creates a visit.
    package init(
        _ name: String, arrival: Arrival = .afterPrevious(.seconds(1)), phone: PhoneTraits,
        submission: WalletSubmission, misbehaviour: Misbehaviour? = nil
    ) {
        self.name = name
        self.arrival = arrival
        self.phone = phone
        self.submission = submission
        self.misbehaviour = misbehaviour
    }

    /// Returns the visit with another key pair and nonce, derived from `seed`. A recorded submission stays unchanged.
    package func withKeys(seed: UInt64) -> Visit {
        guard case .seal(let record, _, _) = submission else { return self }
        var visit = self
        visit.submission = .sealing(record, seed: seed)
        return visit
    }
}
