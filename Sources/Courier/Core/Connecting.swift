import Encoding
import Observation

/// The state or result of carrying out an invitation that an operator gave.
struct Connecting: Hashable, Sendable {
    /// How the invitation is carried out.
    var way: InvitationReport.Way
    /// The id of the connection that the invitation led to; nil if it led to none.
    var id: Text?
    /// Whether the work is not complete yet. When the operator gives the same invitation again later, the answer
    /// contains the result.
    var isUnderWay = false
    /// The reason why the invitation failed; nil if it did not fail.
    var failure: String?
}

/// The reason why an invitation was not carried out.
struct ConnectFailure: Error, Hashable, Sendable {
    /// The problem, in plain words.
    let text: String
    /// The remedy, for the operator.
    let remedy: String
    /// The text for the log: by default the problem and the remedy.
    let line: String

    init(_ text: String, remedy: String, line: String? = nil) {
        (self.text, self.remedy, self.line) = (text, remedy, line ?? "\(text): \(remedy)")
    }

    /// The stored connections are not loaded yet.
    static let notReady = ConnectFailure("the service is starting", remedy: "try again in a moment")
    /// The connection over which the inviter was to be asked, or its requests answered, has ended or cannot send now.
    static let interrupted = ConnectFailure(
        "the connection to its inviter cannot be used now", remedy: "repeat the command",
        line: "the connection to its inviter cannot be used now; the service retries")
    /// A connection that could not be stored is still to be removed.
    static let leftover = ConnectFailure(
        "the database has failed", remedy: "check the disk, and try again in a moment")
    /// The maximum number of connections is reached.
    static let tooMany = ConnectFailure(
        "there are already \(DestinationCore.routesLimit) connections",
        remedy: "delete those that were never established: gatehouse agent list, then gatehouse agent delete")
}
