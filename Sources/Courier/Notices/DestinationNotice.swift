import Encoding

/// A notice of a destination that does not come from one of its links.
enum DestinationNotice: Hashable, Sendable {
    /// The stored connection with the given id cannot be read.
    case unreadable(Text)
    /// The courier's database does not contain the active connection: the file was damaged, removed or replaced. The
    /// text describes the damage and names the file.
    case lost(String)
    /// A stored connection was ended by its peer.
    case ended
    /// A stored connection got no answer to its connection requests, and no more are sent.
    case neverAnswered
    /// An invitation was read. A connection by it exists or is being made.
    case invitationRead
    /// The invitation in `file` cannot be used. `reason`: the remedy, or else the error. `isConnected`: whether the
    /// destination has a connection.
    case invitationFailed(file: String, reason: String, isConnected: Bool)
    /// An invitation offers no handshake. Its requests are answered over the connection with the given id.
    case answeredOnce(Text)
    /// A notice of a connection that only answers the requests of its invitation.
    case ofRequests(AgentNotice)
    /// An invitation was accepted before, and its connection no longer exists. If the destination has another
    /// connection (`isConnected`), this is not a fault.
    case usedBefore(isConnected: Bool)
    /// The destination has invitation files, but no connection exists.
    case unconnected
    /// The connections could not be read from the store or written to it; the text is the reason.
    case storeFailed(String)
    /// The connections can be read and stored again after such a failure.
    case stored

    /// A line for the log, with the remedy.
    var text: String {
        switch self {
        case .unreadable(let id):
            "the stored connection \(id) cannot be read: restore the key that seals it (agent.keyFile), or connect "
                + "again"
        case .lost(let detail): "the connection is lost (\(detail)): connect again with a new invitation"
        case .ended: "the agent has ended the connection: ask its operator for a new invitation"
        case .neverAnswered:
            "the agent never answered the connection request: ask its operator for a new multi-use invitation"
        case .invitationRead: "the invitation was read"
        case .invitationFailed(let file, let reason, _): "the invitation in \(file) cannot be used: \(reason)"
        case .answeredOnce(let id):
            "the invitation offers no lasting connection; its requests are answered over the connection \(id)"
        case .ofRequests(let notice): "about the requests of an invitation: \(notice.text)"
        case .usedBefore: "the invitation has been used, and its connection no longer exists: ask for a new one"
        case .unconnected: "there is no connection: connect with an invitation"
        case .storeFailed(let reason): "the connections could not be read or stored: \(reason)"
        case .stored: "the connections can be read and stored again"
        }
    }
}
