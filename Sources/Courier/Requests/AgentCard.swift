import Aries
import DIDComm
import Encoding
import Ledger
import Observation
import Reasons
import Store

/// A stored connection with the notes of its link, from which an operator's answer is made.
struct AgentCard {
    /// The maximum length in bytes of a text of the peer. A longer text is not shown.
    private static let textLimit = 2048

    let id: Text
    let destination: Text
    let state: ConnectionReport.State
    let pairwiseDID: Text?
    /// Whether the connection receives messages through the gate's mailbox.
    let usesMailbox: Bool
    /// The report about the connection that the operator gets.
    let report: ConnectionReport

    /// Creates the card of a stored connection.
    ///
    /// - `cursor`: the delivery cursor of its destination; nil for a mailbox, which receives no reports.
    /// - `isOlder`: whether the active connection of its destination is newer.
    /// - `waiting`: the number of entries that the destination has not confirmed.
    /// - `notes`: the notes of its link, if the link runs.
    /// - `isWhole`: whether the card has the whole invitation.
    init(
        _ stored: StoredConnection, _ cursor: DeliveryCursor?, isOlder: Bool, waiting: Int, faults: [ReasonCode],
        notes: LinkStatus?, isWhole: Bool = false
    ) {
        (id, destination) = (stored.id, stored.destination)
        var waitsForMailbox = false
        var report = ConnectionReport()
        // The snapshot of a mailbox contains the snapshot of its connection.
        let snapshot = (try? JSON.parse(stored.snapshot)).map { $0["connection"] ?? $0 }
        if let snapshot, let random = try? AgentLinks.randomStream(),
            let connection = try? AgentConnection(
                restoring: snapshot, configuration: AgentConnection.Configuration(label: ""), random: random)
        {
            state = Self.state(of: connection, stored, isOlder: isOlder)
            usesMailbox = connection.reception == .mailbox
            waitsForMailbox = usesMailbox && connection.address == nil
            pairwiseDID = connection.verkey.unqualifiedDID
            Self.describe(connection, in: &report)
            if isWhole { report.wholeInvitation = connection.invitation.json }
            report.handshake = snapshot["handshake"]?.string
        } else if let label = snapshot?["label"]?.string, let stage = snapshot?["stage"] {
            // The stored state is that of a mailbox at an agency, which has no connection of its own.
            state = stored.isDeleting ? .deleting : stage == "ready" ? .connected : .connecting
            (pairwiseDID, usesMailbox) = (nil, false)
            report.label = Self.bounded(label)
        } else {
            state = stored.isDeleting ? .deleting : .unreadable
            (pairwiseDID, usesMailbox) = (nil, false)
        }
        (report.id, report.destination, report.state) = (id, destination, state)
        report.made = stored.made
        let isActive = cursor?.connection == stored.id
        report.isActive = isActive
        if let cursor, isActive || cursor.connection == nil {
            (report.confirmed, report.waiting) = (cursor.confirmed, waiting)
        }
        (report.answered, report.answeredSince) = (notes?.answered, notes?.since)
        report.asksForMailbox = notes?.asksForMailbox
        report.unsent = notes?.unsent
        report.problem = notes?.problem.map(Self.problem) ?? Self.problem(state, waitsForMailbox: waitsForMailbox)
        report.ping = notes?.ping.map { ping in
            var told = ConnectionReport.Ping()
            told.number = ping.number
            told.milliseconds = ping.took.map { Int(max(.zero, $0) / .milliseconds(1)) }
            return told
        }
        report.faults = faults.map { Text($0.text) }
        self.report = report
    }

    /// Adds the data of the stored state about the agent and its invitation.
    private static func describe(_ connection: borrowing AgentConnection, in report: inout ConnectionReport) {
        let invitation = connection.invitation
        let endpoint = connection.peer?.service.endpoint ?? (try? invitation.service())?.endpoint
        report.label = bounded(invitation.label)
        report.logo = bounded(invitation.json["imageUrl"]?.string ?? invitation.json["profileUrl"]?.string)
        report.goal = bounded(invitation.json["goal"]?.string)
        report.goalCode = bounded(invitation.json["goal_code"]?.string)
        report.invitation = invitation.id
        report.ownDID = connection.verkey.unqualifiedDID
        report.theirDID = bounded(connection.peer?.did)
        report.endpoint = bounded(endpoint)
        // A connection without a mailbox receives only answers to its own messages, so it has no address.
        if connection.reception == .mailbox { report.mailbox = bounded(connection.address?.endpoint) }
    }

    private static func bounded(_ text: Text?) -> Text? { text.flatMap { $0.utf8.count <= textLimit ? $0 : nil } }

    private static func problem(_ notice: AgentNotice) -> ConnectionReport.Problem {
        ConnectionReport.Problem(notice.text, remedy: notice.remedy)
    }

    private static func state(
        of connection: borrowing AgentConnection, _ stored: StoredConnection, isOlder: Bool
    ) -> ConnectionReport.State {
        if stored.isDeleting { return .deleting }
        if connection.isEnded { return .ended }
        if connection.hasFailed { return .failed }
        guard connection.isComplete else { return .connecting }
        return isOlder ? .replaced : .connected
    }

    private static func problem(
        _ state: ConnectionReport.State, waitsForMailbox: Bool
    ) -> ConnectionReport.Problem? {
        switch state {
        case .ended: problem(AgentNotice.ended)
        case .failed: problem(AgentNotice.gaveUp)
        case .connecting where waitsForMailbox:
            ConnectionReport.Problem(
                "the request waits for the mailbox, which has given no address yet",
                remedy: "check agent.mailbox and [agency], and see gatehouse status")
        case .unreadable:
            ConnectionReport.Problem(
                "its stored state cannot be read", remedy: "delete it, and connect again with a new invitation")
        case .connecting, .connected, .replaced, .deleting: nil
        }
    }
}
