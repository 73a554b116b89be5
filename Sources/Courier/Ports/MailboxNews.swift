import Aries
import Encoding
import Mailboxes

enum MailboxNews: Sendable {
    /// The connection with the id `for` receives messages at the given address.
    case address(MailboxAddress, for: Text)
    /// The mailbox does not work, for the given reason, for the connection with the id `for`; nil: for no connection.
    case failed(MailboxFailure, for: Text?)
    /// The mailbox has deleted the key of the connection. `isComplete` is false if a part of the deletion failed.
    case closed(connection: Text, isComplete: Bool)
    /// Messages from the mailbox, each with the id of its connection.
    case messages([MailboxMessage])
    /// Posts to the mailbox have begun to succeed (nil), or to fail for the given reason.
    case reachability(ExchangeFailure?)
    /// The state of the mailbox could not be stored; the text is the reason.
    case storeFailed(String)
    /// The state of the mailbox is stored again after such a failure.
    case stored
}
