package import Aries
package import DIDComm
import Encoding

// The question whether the peer keeps messages for us.
extension AgentLink {
    /// Asks the peer whether it keeps messages for us, before anything is delivered. Returns false if there is nothing
    /// to do now.
    func ask(at now: Instant) -> Bool {
        guard connection.isComplete, mediation != nil else { return false }
        denied(mediation?.expire(at: now))
        guard connection.wantsMessage, let question = mediation?.message(at: now) else { return false }
        inbox.append(.deliver(question))
        return true
    }

    /// When ``ask(at:)`` has something to do at the latest; nil: never.
    var askDeadline: Instant? {
        connection.isComplete && (connection.wantsMessage || mediation?.isOpen == true) ? mediation?.deadline : nil
    }

    /// Takes the peer's answer to the question.
    func answered(_ message: Message) {
        do throws(MailboxProblem) {
            granted = try mediation?.take(message, at: surroundings.clock.now())
        } catch {
            denied(error.failure)
        }
    }

    /// Reports that the peer grants no mailbox; nil: that is not so.
    func denied(_ failure: MailboxFailure?) {
        guard let failure else { return }
        notes.note(asksForMailbox: false)
        surroundings.observe(.mailboxDenied(failure))
    }
}

extension AgentLink: MailReceiver {
    /// The mailbox takes messages for `key` there.
    package func take(_ address: MailboxAddress, for key: Verkey) {
        inbox.append(.address(address, for: key))
        nap.end()
    }

    /// The mailbox will never take messages for `key`.
    package func refuse(_ key: Verkey) {
        inbox.append(.keyRefused(key))
        nap.end()
    }

    /// A message out of the mailbox; it is released there once what it leads to is durable.
    package func take(_ message: MailboxMessage) {
        mail.append(message)
        nap.end()
    }
}
