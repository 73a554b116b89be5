import Aries
import Credentials
import DIDComm
import Encoding
import Ledger
import Store

/// The view of one connection that an operator gets. It contains no keys and no content of messages.
struct AgentCard {
    /// The state of a connection.
    enum State: String {
        /// The handshake is not complete.
        case connecting
        /// The connection is the active one of its destination, or may become the active one at once.
        case connected
        /// A newer connection is active. This connection is deleted when the destination has confirmed
        /// something over the newer one.
        case replaced
        /// The peer has ended the connection.
        case ended
        /// The connection is marked for deletion. Its link ends first; then, if requested, the service
        /// notifies its peer.
        case deleting
        /// The stored state of the connection cannot be read.
        case unreadable
    }

    /// The limit for one text of the peer, in bytes. A longer text is not shown.
    private static let textLimit = 2048

    let id: Text
    let destination: Text
    let state: State
    let pairwiseDID: Text?
    private let members: JSONObject

    /// Creates the card of a stored connection.
    ///
    /// - `cursor`: the delivery cursor of its destination; nil for a mailbox, which receives no reports.
    /// - `isOlder`: whether the active connection of its destination is newer.
    /// - `waiting`: the number of entries that the destination has not confirmed.
    /// - `notes`: the notes of its link, if the link runs.
    init(
        _ stored: StoredConnection, _ cursor: DeliveryCursor?, isOlder: Bool, waiting: Int, faults: [ReasonCode],
        notes: LinkNotes?
    ) {
        (id, destination) = (stored.id, stored.destination)
        var members: JSONObject = ["id": .string(stored.id), "destination": .string(stored.destination)]
        func add(_ name: Text, _ value: JSON?) {
            if let value { _ = members.appendIfNew(.init(name, value)) }
        }
        // The snapshot of a mailbox contains the snapshot of its connection.
        let snapshot = (try? JSON.parse(stored.snapshot)).map { $0["connection"] ?? $0 }
        if let snapshot, let random = try? AgentLinks.randomStream(),
            let connection = try? AgentConnection(
                restoring: snapshot, configuration: AgentConnection.Configuration(label: ""), random: random)
        {
            state =
                stored.isDeleting
                ? .deleting
                : connection.isEnded
                    ? .ended : !connection.isComplete ? .connecting : isOlder ? .replaced : .connected
            pairwiseDID = connection.verkey.unqualifiedDID
            let invitation = connection.invitation
            let endpoint = connection.peer?.service.endpoint ?? (try? invitation.service())?.endpoint
            add("state", .text(state.rawValue))
            add("label", Self.text(invitation.label))
            add("logo", Self.text(invitation.json["imageUrl"]?.string ?? invitation.json["profileUrl"]?.string))
            add("goal", Self.text(invitation.json["goal"]?.string))
            add("goalCode", Self.text(invitation.json["goal_code"]?.string))
            add("invitation", .string(invitation.id))
            add("handshake", snapshot["handshake"])
            add("pwDid", .string(connection.verkey.unqualifiedDID))
            add("theirDid", Self.text(connection.peer?.did))
            add("endpoint", Self.text(endpoint))
            // A connection without a mailbox receives only answers to its own messages.
            if connection.reception == .mailbox { add("mailbox", Self.text(connection.address?.endpoint)) }
        } else if let label = snapshot?["label"]?.string, let stage = snapshot?["stage"] {
            // A mailbox that needs no connection.
            state = stored.isDeleting ? .deleting : stage == "ready" ? .connected : .connecting
            pairwiseDID = nil
            add("state", .text(state.rawValue))
            add("label", Self.text(label))
        } else {
            state = stored.isDeleting ? .deleting : .unreadable
            pairwiseDID = nil
            add("state", .text(state.rawValue))
        }
        add("made", stored.made.map { .text($0.rfc3339) })
        add("mailbox", .null)
        let isPresent = cursor?.connection == stored.id
        add("present", .bool(isPresent))
        if let cursor, isPresent || cursor.connection == nil {
            add("confirmed", .int(cursor.confirmed))
            add("waiting", .int(waiting))
        }
        add("answered", notes?.answered.map { .text($0.rfc3339) })
        add("answeredSince", notes.map { .text($0.since.rfc3339) })
        add("asksForMailbox", notes?.asksForMailbox.map(JSON.bool))
        add("problem", notes?.problem.map(Self.told) ?? Self.problem(state))
        if let ping = notes?.ping {
            let took = ping.took.map { JSON.int(Int(max(.zero, $0) / .milliseconds(1))) }
            add("ping", ["number": .int(ping.number), "milliseconds": took ?? .null])
        }
        add("faults", .array(faults.map { .text($0.text) }))
        self.members = members
    }

    /// The card in JSON, for machines.
    var json: JSON { .object(members) }

    private static func text(_ text: Text?) -> JSON? {
        text.flatMap { $0.utf8.count <= textLimit ? .string($0) : nil }
    }

    private static func told(_ notice: AgentNotice) -> JSON {
        ["text": .text(notice.text), "remedy": notice.remedy.map { .text($0) } ?? .null]
    }

    private static func problem(_ state: State) -> JSON? {
        switch state {
        case .ended: told(.ended)
        case .unreadable:
            ["text": "its stored state cannot be read", "remedy": "delete it, and connect again with a new invitation"]
        case .connecting, .connected, .replaced, .deleting: nil
        }
    }
}
