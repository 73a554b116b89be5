package import Aries
package import DIDComm
import Encoding
package import Mailboxes

// Asks the peer whether it keeps messages for this gate.
extension AgentLink {
    /// Asks the peer whether it keeps messages for this gate, before anything is delivered. Returns false if
    /// no question has to be sent now.
    func ask(at now: Instant) -> Bool {
        guard connection.isComplete, mediation != nil else { return false }
        denied(mediation?.expire(at: now))
        guard connection.wantsMessage, let question = mediation?.message(at: now) else { return false }
        inbox.append(.deliver(question))
        return true
    }

    /// The latest time at which ``ask(at:)`` has a question to send or a time limit to check; nil: never.
    var askDeadline: Instant? {
        connection.isComplete && (connection.wantsMessage || mediation?.isOpen == true) ? mediation?.deadline : nil
    }

    /// Takes the peer's answer to the question.
    func answered(_ message: Message) {
        do throws(MailboxProblem) {
            granted = try mediation?.take(message, at: dependencies.clock.now())
        } catch {
            denied(error.failure)
        }
    }

    /// Reports that the peer grants no mailbox. Does nothing if `failure` is nil.
    func denied(_ failure: MailboxFailure?) {
        guard let failure else { return }
        notes.note(asksForMailbox: false)
        dependencies.observe(.mailboxDenied(failure))
    }
}

extension AgentLink: MailReceiver {
    /// Handles the mailbox's grant: it accepts messages for `key` at `address`.
    package func take(_ address: MailboxAddress, for key: Verkey) {
        inbox.append(.address(address, for: key))
        nap.end()
    }

    /// Handles the mailbox's refusal: it will never accept messages for `key`.
    package func refuse(_ key: Verkey) {
        inbox.append(.keyRefused(key))
        nap.end()
    }

    /// Handles a message from the mailbox. The mailbox releases the message once its effects are durable.
    package func take(_ message: MailboxMessage) {
        mail.append(message)
        nap.end()
    }
}
