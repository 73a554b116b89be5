/// The form of reports; the configuration's `agent.format`.
package enum ReportFormat: String, CaseIterable, Sendable {
    /// ``records`` if the peer discloses the protocol, otherwise ``basicmessage``.
    case auto
    /// Batches of the ledger's own entries.
    case records
    /// Reports are sent as basicmessages, one for each report.
    case basicmessage
    /// Several reports in one basicmessage.
    case several = "basicmessage-batch"
}

/// What confirms a report; the configuration's `agent.confirm`.
package enum ReportConfirm: String, CaseIterable, Sendable {
    /// A receipt if entries are sent, otherwise ``alive``.
    case auto
    /// The receipt of a peer that has stored the entries.
    case receipt
    /// A basicmessage of the controller that names the ids of the reports confirms them. The basicmessage can arrive
    /// only through a mailbox.
    case controller
    /// The answer to a ping that was sent after the reports. Not durable: reports that the agent loses from
    /// its memory are lost.
    case alive
}

/// The operator's settings for reports, and the limits that apply to every gate.
package struct ReportSettings: Sendable {
    /// The form of reports.
    package var format: ReportFormat
    /// What confirms reports.
    package var confirm: ReportConfirm
    /// How long an entry waits for others, from 1 s to 5 min. Single messages do not wait.
    package var batchDelay: Duration
    /// Limits and times.
    package var limits = Limits()

    /// Creates the settings from the given values, with the default limits.
    package init(
        format: ReportFormat = .auto, confirm: ReportConfirm = .auto, batchDelay: Duration = .seconds(5)
    ) {
        (self.format, self.confirm, self.batchDelay) = (format, confirm, batchDelay)
    }

    /// Whether format and confirmation fit together: receipts confirm entries; the two other kinds of
    /// confirmation are for basicmessages.
    package var isConsistent: Bool {
        switch (format, confirm) {
        case (_, .auto), (.auto, _), (.records, .receipt): true
        case (.basicmessage, let confirm), (.several, let confirm): confirm != .receipt
        case (.records, _): false
        }
    }

    /// Limits and times.
    package struct Limits: Sendable {
        /// The maximum number of entries in one message.
        package var entries = 256
        /// The maximum size of the entries of one message, in bytes as written in the message.
        package var bytes = 256 * 1024
        /// The maximum number of single reports after which a ping asks whether they arrived.
        package var unconfirmedSingles = 32
        /// The maximum number of single reports that wait for the controller's acknowledgement.
        package var unacknowledgedSingles = 256
        /// The longest time that a report waits for the ping that confirms it.
        package var pingAfter = Duration.seconds(5)
        /// The time limit for an answer, after which the peer is pinged. It is also the time limit for the
        /// answer to that ping. With three pings, silence is reported within a minute.
        package var answer = Duration.seconds(10)
        /// The time limit for a controller's acknowledgement, after which the peer is pinged.
        package var controllerAnswer = Duration.seconds(25)
        /// The number of unanswered pings after which a peer counts as silent.
        var unansweredPings = 3
        /// The maximum number of entries that are skipped because they were refused one after another. No
        /// further entry is skipped before an entry is confirmed.
        package var refusals = 3
        /// After this number of consecutive answers that another connection writes an earlier ledger, the
        /// rest of that ledger is given up. With the waits in between, this takes four to five hours. An
        /// operator who notices the problem in working hours can solve it in that time. A gate that is
        /// switched off at night reaches the limit, too.
        package var foreignHolds = 24
        /// The longest wait between attempts at a peer that is silent or does not confirm; the first wait is
        /// ``answer``.
        package var longestWait = Duration.seconds(15 * 60)
        /// The time between two questions for the peer's head.
        package var headInterval = Duration.seconds(86_400)
        /// The wait before entries are read again if the last read returned none.
        package var readAgain = Duration.seconds(5)

        /// Creates the documented defaults.
        package init() {}

        /// Returns the wait for a peer that is reachable but of no use, after `waits` earlier waits.
        func wait(after waits: Int) -> Duration {
            DoublingWait.after(waits, first: answer, longest: longestWait)
        }
    }
}

/// The form and the proof of reports to a peer, once it is known what the peer understands.
package struct ReportWay: Hashable, Sendable {
    /// The content of a message.
    package enum Form: Hashable, Sendable {
        /// The message has entries of the ledger.
        case records
        /// The message has one report.
        case single
        /// The message has several reports.
        case several
    }

    /// What confirms a message.
    package enum Proof: Hashable, Sendable {
        /// A receipt confirms the reports: the peer has stored them.
        case receipt
        /// The controller's acknowledgement confirms the reports.
        case controller
        /// An answered ping confirms the reports.
        case alive
    }

    /// The content of a message.
    package let form: Form
    /// What confirms the reports.
    package let proof: Proof

    /// Entries that receipts confirm.
    package static let records = ReportWay(form: .records, proof: .receipt)

    /// Determines the way from `settings`; nil if it depends on what the peer discloses and that is not
    /// known.
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

    /// Returns how many messages may wait for confirmation.
    func window(_ limits: ReportSettings.Limits) -> Int {
        switch (form, proof) {
        case (.single, .controller): limits.unacknowledgedSingles
        case (.single, _): limits.unconfirmedSingles
        case (.several, .controller): 4
        case (.several, _), (.records, _): 1
        }
    }
}
