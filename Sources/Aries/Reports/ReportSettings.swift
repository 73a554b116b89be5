/// The form in which reports are sent: the setting of `agent.format`.
package enum ReportFormat: String, CaseIterable, Sendable {
    /// ``records`` if the peer supports the protocol verification-report, otherwise ``basicmessage``.
    case auto
    /// Messages of verification-report with several entries of the ledger.
    case records
    /// One basicmessage for each report.
    case basicmessage
    /// One basicmessage for several reports.
    case several = "basicmessage-batch"
}

/// What confirms a report: the setting of `agent.confirm`.
package enum ReportConfirm: String, CaseIterable, Sendable {
    /// ``receipt`` if entries of the ledger are sent, otherwise ``alive``.
    case auto
    /// A receipt of the peer for the entries that it has stored.
    case receipt
    /// A basicmessage of the controller that names the ids of the reports. It can arrive only through a mailbox.
    case controller
    /// The answer to a ping that was sent after the reports. This does not prove that the agent stored them: reports
    /// that it loses from its memory are not sent again.
    case alive
}

/// The operator's settings for reports, and the limits that apply to every gate.
package struct ReportSettings: Sendable {
    /// The form in which reports are sent.
    package var format: ReportFormat
    /// What confirms that the peer has received a report.
    package var confirm: ReportConfirm
    /// How long an entry waits for further entries, so that they share one message: from 1 s to 5 min. With
    /// ``ReportFormat/basicmessage`` an entry does not wait.
    package var batchDelay: Duration
    /// The limits and times of the delivery.
    package var limits = Limits()

    /// Creates the settings from the given values, with the default limits.
    package init(
        format: ReportFormat = .auto, confirm: ReportConfirm = .auto, batchDelay: Duration = .seconds(5)
    ) {
        (self.format, self.confirm, self.batchDelay) = (format, confirm, batchDelay)
    }

    /// Whether ``format`` and ``confirm`` may be combined: receipts confirm only entries, and the two other
    /// confirmations only basicmessages.
    package var isConsistent: Bool {
        switch (format, confirm) {
        case (_, .auto), (.auto, _), (.records, .receipt): true
        case (.basicmessage, let confirm), (.several, let confirm): confirm != .receipt
        case (.records, _): false
        }
    }

    /// The limits and times of the delivery.
    package struct Limits: Sendable {
        /// The largest number of entries in one message.
        package var entries = 256
        /// The largest total size of the entries in one message, in bytes of JSON.
        package var bytes = 256 * 1024
        /// The number of single reports after which a ping asks whether they arrived.
        package var unconfirmedSingles = 32
        /// The largest number of single reports that wait for the controller's acknowledgement. Further reports are not
        /// sent before.
        package var unacknowledgedSingles = 256
        /// The time after which a ping asks whether the accepted reports arrived.
        package var pingAfter = Duration.seconds(5)
        /// The time limit for the peer's answer to a message. After it the peer is pinged, and the answer to the ping
        /// has the same time limit. With three pings, silence is reported within a minute.
        package var answer = Duration.seconds(10)
        /// The time limit for a controller's acknowledgement, after which the peer is pinged.
        package var controllerAnswer = Duration.seconds(25)
        /// The number of unanswered pings in a row after which a peer counts as silent.
        var unansweredPings = 3
        /// The largest number of refused entries that are skipped without a confirmation in between. After that no
        /// further entry is skipped.
        package var refusals = 3
        /// The number of refusals in a row, because another connection writes an earlier ledger, after which the rest
        /// of that ledger is given up. With the waits in between this takes four to five hours: an operator has time to
        /// solve the problem, and a gate that is switched off at night reaches the limit, too.
        package var foreignHolds = 24
        /// The longest wait between attempts at a peer that is silent or does not confirm. The first wait is
        /// ``answer``.
        package var longestWait = Duration.seconds(15 * 60)
        /// The time between two queries for the peer's head.
        package var headInterval = Duration.seconds(86_400)
        /// The wait before the ledger is read again if the last read returned no entry.
        package var readAgain = Duration.seconds(5)

        /// Creates a value whose properties have their defaults.
        package init() {}

        /// Returns the wait before the next attempt at a peer that is silent or does not confirm. `waits`: the number
        /// of waits before it.
        func wait(after waits: Int) -> Duration {
            DoublingWait.after(waits, first: answer, longest: longestWait)
        }
    }
}

/// The form and the proof of the reports to one peer.
package struct ReportWay: Hashable, Sendable {
    /// What a message to the peer contains.
    package enum Form: Hashable, Sendable {
        /// The message contains entries of the ledger (verification-report).
        case records
        /// The message is a basicmessage with one report.
        case single
        /// The message is a basicmessage with several reports.
        case several
    }

    /// What confirms that the peer has received the reports in a message.
    package enum Proof: Hashable, Sendable {
        /// The peer's receipt, which says that the peer has stored the entries.
        case receipt
        /// The controller's acknowledgement of the reports' ids.
        case controller
        /// The answer to a ping that was sent after the message.
        case alive
    }

    /// What each message to the peer contains.
    package let form: Form
    /// What confirms each message.
    package let proof: Proof

    /// Messages with entries, confirmed by receipts.
    package static let records = ReportWay(form: .records, proof: .receipt)

    /// Determines the form and the proof. `discloses`: whether the peer supports verification-report; nil if that is
    /// not known. Returns nil if `discloses` is nil but the settings depend on it.
    package init?(_ settings: ReportSettings, discloses: Bool?) {
        let depends = settings.format == .auto && settings.confirm == .auto
        if depends, discloses == nil { return nil }
        if settings.format == .records || settings.confirm == .receipt || depends && discloses == true {
            self = .records
        } else {
            self.init(
                form: settings.format == .several ? .several : .single,
                proof: settings.confirm == .controller ? .controller : .alive)
        }
    }

    private init(form: Form, proof: Proof) { (self.form, self.proof) = (form, proof) }

    /// Returns how many messages may wait for a confirmation before no further message is sent.
    func window(_ limits: ReportSettings.Limits) -> Int {
        switch (form, proof) {
        case (.single, .controller): limits.unacknowledgedSingles
        case (.single, _): limits.unconfirmedSingles
        case (.several, .controller): 4
        case (.several, _), (.records, _): 1
        }
    }
}
