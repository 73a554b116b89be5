import Aries
import Encoding
import Ledger

// From a connection that only hears answers to one with a mailbox: the agent is asked for one over the first, which then leads there,
// and a second connection is made by the same invitation. When that is not answered the first goes on as before.
extension Destination {
    /// The agent of `link` keeps messages for us: from now on that connection leads to the mailbox.
    func adopt(_ link: AgentLink, _ state: JSON, _ address: MailboxAddress) async {
        guard let mail = surroundings.mail else { return }
        do {
            try await mail.adopt(link.id, state: state, address: address)
            try await beginTrial(link.invitation)
        } catch {
            surroundings.notice(.storeFailed("\(error)"))
            // The connection as it is stored, whichever it is now, is taken up at the next start; until then it runs as it was.
            await sleep()
            add(link)
        }
    }

    /// A second connection by an invitation that led to one, this time through the mailbox.
    private func beginTrial(_ invitation: Invitation) async throws {
        let link = try AgentLinks.new(invitation, reception: .mailbox, surroundings.settings, surroundings.link)
        try await link.keep()
        watch(link)
        add(link)
    }

    /// With the destination's own agent the first connection waits meanwhile, so the time runs at once; another mailbox may take as
    /// long as it likes to say its address.
    private func watch(_ link: AgentLink) {
        trial = (link, surroundings.mail?.isForAll == true ? nil : trialEnd)
    }

    private var trialEnd: Instant { surroundings.link.clock.now().advanced(by: surroundings.trial) }

    /// What an earlier run began with a mailbox.
    func resumeTrial() async {
        guard let mail = surroundings.mail else { return }
        if mail.isForAll {
            if links.count > 1, let link = links.last, link.reception == .mailbox { watch(link) }
            return
        }
        guard surroundings.link.destination == DeliveryCursor.primary, let invitation = await mail.invitation else {
            return
        }
        if let link = links.last(where: { !$0.wasEnded }), link.reception == .mailbox { return watch(link) }
        guard links.isEmpty else { return }
        do {
            if await mail.permits(invitation) {
                try await beginTrial(invitation)
            } else {
                try await goBack()
            }
        } catch {
            surroundings.notice(.storeFailed("\(error)"))
        }
    }

    /// Gives a trial up when its time is over, and begins one where a mailbox serves that a connection does not use yet.
    func lookAtTrial() async {
        guard let mail = surroundings.mail else { return }
        if let (link, until) = trial {
            if await link.isConnected {
                trial = nil
            } else if let until, surroundings.link.clock.now() >= until {
                trial = nil
                await giveUp(link)
            } else if until == nil, await link.hasAddress {
                trial = (link, trialEnd)
            }
            return
        }
        guard mail.isForAll, links.count == 1, let link = links.first, link.reception == .returnRoute,
            await mail.permits(link.invitation), await link.isConnected
        else { return }
        do {
            try await beginTrial(link.invitation)
        } catch {
            surroundings.notice(.storeFailed("\(error)"))
        }
    }

    /// No answer came: not through this mailbox by this invitation. Each step may be the last one before a crash; the next start goes
    /// on from there.
    private func giveUp(_ link: AgentLink) async {
        guard let mail = surroundings.mail else { return }
        do {
            try await mail.refuse(link.invitation)
            links.removeAll { $0 === link }
            await link.stop()
            try await surroundings.link.store.forgetConnection(link.id)
            await mail.close(link.id)
            if !mail.isForAll { try await goBack() }
        } catch {
            surroundings.notice(.storeFailed("\(error)"))
        }
    }

    /// The connection that led to the mailbox delivers again.
    private func goBack() async throws {
        guard let (id, state) = try await surroundings.mail?.release() else { return }
        try await surroundings.link.store.keepConnection(
            id, to: surroundings.link.destination, state.compactBytes, handled: [])
        let stored = try await AgentLinks.stored(surroundings.settings, surroundings.link)
        for link in stored.links where link.id == id { add(link) }
    }
}
