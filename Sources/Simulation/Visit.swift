/// One visitor of a script: who comes when, with what, and how they behave.
package struct Visit: Sendable {
    /// When the person comes.
    package enum Arrival: Equatable, Sendable {
        /// That long after the start of the simulation.
        case at(Duration)
        /// That long after the visit before ended; the first one after the start.
        case afterPrevious(Duration)
    }

    /// A name for people, such as "Android, photo credential".
    package var name: String
    /// When the person comes.
    package var arrival: Arrival
    /// The phone.
    package var phone: PhoneTraits
    /// What its wallet shares.
    package var submission: WalletSubmission
    /// What goes wrong on the visitor's side; nil: nothing.
    package var misbehaviour: Misbehaviour?

    /// A visit.
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

    /// The same with a wallet of its own: another key pair and nonce, made from `seed`. What is a recording stays as it is.
    package func withKeys(seed: UInt64) -> Visit {
        guard case .seal(let record, _, _) = submission else { return self }
        var visit = self
        visit.submission = .sealing(record, seed: seed)
        return visit
    }
}
