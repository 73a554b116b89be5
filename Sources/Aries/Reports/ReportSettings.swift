/// How reports are written; the configuration's `agent.format`.
package enum ReportFormat: String, CaseIterable, Sendable {
    /// ``records`` where the peer discloses the protocol, else ``basicmessage``.
    case auto
    /// Batches of the ledger's own entries.
    case records
    /// One basicmessage for each report.
    case basicmessage
    /// Several reports in one basicmessage.
    case several = "basicmessage-batch"
}

/// What confirms a report; the configuration's `agent.confirm`.
package enum ReportConfirm: String, CaseIterable, Sendable {
    /// A receipt where entries are sent, else ``alive``.
    case auto
    /// The receipt of a peer that has stored the entries.
    case receipt
    /// A basicmessage of the controller with the ids of reports; it arrives only through a mailbox.
    case controller
    /// The answer to a ping that was sent behind the reports. Not durable: what dies in the agent's memory is gone.
    case alive
}

/// What an operator chooses about reports, with the bounds that hold for everybody.
package struct ReportSettings: Sendable {
    /// How reports are written.
    package var format: ReportFormat
    /// What confirms them.
    package var confirm: ReportConfirm
    /// How long an entry waits for others; 1 s to 5 min. Single messages do not wait.
    package var batchDelay: Duration
    /// Bounds and times.
    package var limits = Limits()

    /// These choices.
    package init(
        format: ReportFormat = .auto, confirm: ReportConfirm = .auto, batchDelay: Duration = .seconds(5)
    ) {
        (self.format, self.confirm, self.batchDelay) = (format, confirm, batchDelay)
    }

    /// Whether format and confirmation go together: receipts are for entries, the other two for basicmessages.
    package var isConsistent: Bool {
        switch (format, confirm) {
        case (_, .auto), (.auto, _), (.records, .receipt): true
        case (.basicmessage, let confirm), (.several, let confirm): confirm != .receipt
        case (.records, _): false
        }
    }

    /// Bounds and times.
    package struct Limits: Sendable {
        /// Entries of one message.
        package var entries = 256
        /// Bytes of the entries of one message, as they are written there.
        package var bytes = 256 * 1024
        /// Single reports before a ping asks whether they arrived.
        package var unconfirmedSingles = 32
        /// Single reports that may wait for the controller's word.
        package var unacknowledgedSingles = 256
        /// The longest that a report waits for that ping.
        package var pingAfter = Duration.seconds(5)
        /// How long an answer may take before the peer is asked whether it is there, and the answer to that. With three pings a
        /// silence is told within a minute.
        package var answer = Duration.seconds(10)
        /// The same for the word of a controller.
        package var controllerAnswer = Duration.seconds(25)
        /// Pings without answer that make a peer silent.
        package var unansweredPings = 3
        /// Entries that are passed over, refused one after the other; none further before something was confirmed.
        package var refusals = 3
        /// After so many consecutive answers that another connection writes an earlier ledger, the rest of that ledger
        /// is given up. With the waits in between that takes four to five hours. An operator who learns of it in
        /// working hours can mend it in that time, and a gate that is switched off at night reaches it too.
        package var foreignHolds = 24
        /// Longest wait between attempts at a peer that is silent or does not confirm; the first is ``answer``.
        package var longestWait = Duration.seconds(15 * 60)
        /// How often the peer's head is asked for.
        package var headInterval = Duration.seconds(86_400)
        /// Wait before entries are read once more when there were none.
        package var readAgain = Duration.seconds(5)

        /// The documented defaults.
        package init() {}

        /// The wait for a peer that is there but of no use, after so many before.
        func wait(after waits: Int) -> Duration {
            DoublingWait.after(waits, first: answer, longest: longestWait)
        }
    }
}

/// How reports go to a peer, once it is known what that peer understands.
package struct ReportWay: Hashable, Sendable {
    /// What a message holds.
    package enum Form: Hashable, Sendable {
        /// Entries of the ledger.
        case records
        /// One report.
        case single
        /// Reports.
        case several
    }

    /// What confirms.
    package enum Proof: Hashable, Sendable {
        /// A receipt: the peer has stored it.
        case receipt
        /// The controller's acknowledgement.
        case controller
        /// An answered ping.
        case alive
    }

    /// What a message holds.
    package let form: Form
    /// What confirms it.
    package let proof: Proof

    /// Entries with receipts.
    package static let records = ReportWay(form: .records, proof: .receipt)

    /// The way by `settings`; nil when that depends on what the peer discloses and that is not known.
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

    /// How many messages may wait for confirmation.
    func window(_ limits: ReportSettings.Limits) -> Int {
        switch (form, proof) {
        case (.single, .controller): limits.unacknowledgedSingles
        case (.single, _): limits.unconfirmedSingles
        case (.several, .controller): 4
        case (.several, _), (.records, _): 1
        }
    }
}
