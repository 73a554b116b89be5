import Aries
import Encoding
import Mailboxes

enum MailboxNews: Sendable {
    /// The connection `for` can be reached at the given address.
    case address(MailboxAddress, for: Text)
    /// The mailbox does not work for the connection `for`; nil: it works for none. The failure is the reason.
    case failed(MailboxFailure, for: Text?)
    /// The mailbox has forgotten the connection. `isComplete` is false if the mailbox could not forget it
    /// completely.
    case closed(connection: Text, isComplete: Bool)
    /// Messages for connections.
    case messages([MailboxMessage])
    /// Posts to the mailbox began to succeed (nil) or to fail (the reason).
    case reachability(ExchangeFailure?)
    /// The state of the mailbox could not be stored; the text is the reason.
    case storeFailed(String)
}
