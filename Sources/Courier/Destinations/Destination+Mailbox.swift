import Aries
import Encoding
import Ledger

// Replaces a connection that receives only answers by one with a mailbox. The gate asks the agent for a
// mailbox over the first connection. If the agent grants one, the first connection leads to the mailbox, and
// a second connection is made by the same invitation. If the second one is not answered, the first one is
// used as before.
extension Destination {
    /// Handles the grant of a mailbox: the agent of `link` keeps messages for this gate, and the connection
    /// of `link` leads to the mailbox from now on.
    func adopt(_ link: AgentLink, _ state: JSON, _ address: MailboxAddress) async {
        guard let mail = dependencies.mail else { return }
        do {
            try await mail.adopt(link.id, state: state, address: address)
        } catch {
            dependencies.notice(.storeFailed("\(error)"))
            await sleep()
            // The link still holds the grant, so it ends with the grant again at once.
            if !Task.isCancelled { add(link) }
            return
        }
        while !Task.isCancelled {
            do {
                return try await beginTrial(link.invitation)
            } catch {
                dependencies.notice(.storeFailed("\(error)"))
                await sleep()
            }
        }
    }

    /// Begins a trial: makes a second connection, this time through the mailbox, by an invitation that
    /// already led to a connection.
    private func beginTrial(_ invitation: Invitation) async throws {
        let link = try AgentLinks.new(invitation, reception: .mailbox, dependencies.settings, dependencies.link)
        try await link.keep()
        watch(link)
        add(link)
    }

    /// Watches the trial of `link`. With the mailbox of the destination's own agent the time limit begins at
    /// once, because the first connection delivers nothing during the trial. With another mailbox the time
    /// limit begins when the mailbox's address is known, however long that takes.
    private func watch(_ link: AgentLink) {
        trial = (link, dependencies.mail?.isForAll == true ? nil : trialEnd)
    }

    private var trialEnd: Instant { dependencies.link.clock.now().advanced(by: dependencies.trial) }

    /// Resumes a trial that an earlier run began.
    func resumeTrial() async throws {
        guard let mail = dependencies.mail else { return }
        if mail.isForAll {
            if links.count > 1, let link = links.last, link.reception == .mailbox { watch(link) }
            return
        }
        guard dependencies.link.destination == DeliveryCursor.primary, let invitation = await mail.invitation else {
            return
        }
        if let link = links.last(where: { !$0.wasEnded }), link.reception == .mailbox { return watch(link) }
        guard links.isEmpty else { return }
        if await mail.permits(invitation) { try await beginTrial(invitation) } else { try await goBack() }
    }

    /// Gives up the trial after its time limit. Begins a trial if a mailbox is in use and a connection does
    /// not use it yet.
    func lookAtTrial() async {
        guard let mail = dependencies.mail else { return }
        if let (link, until) = trial {
            if await link.isConnected {
                trial = nil
            } else if let until, dependencies.link.clock.now() >= until {
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
            dependencies.notice(.storeFailed("\(error)"))
        }
    }

    /// Gives up the trial: no answer arrived through this mailbox by this invitation. After a crash between
    /// two steps the next start continues from there. After a failed step all steps are tried again.
    private func giveUp(_ link: AgentLink) async {
        guard let mail = dependencies.mail else { return }
        do {
            try await mail.refuse(link.invitation)
            links.removeAll { $0 === link }
            await link.stop()
            try await dependencies.link.store.forgetConnection(link.id)
            await mail.close(link.id)
            if !mail.isForAll { try await goBack() }
            trial = nil
        } catch {
            dependencies.notice(.storeFailed("\(error)"))
        }
    }

    /// Ends the trial of a connection that is deleted. The deletion says nothing about its invitation.
    func endTrial(of link: AgentLink, hasSucceeded: Bool) async {
        guard trial?.link === link else { return }
        trial = nil
        guard !hasSucceeded, dependencies.mail?.isForAll == false else { return }
        do {
            try await goBack()
        } catch {
            dependencies.notice(.storeFailed("\(error)"))
        }
    }

    /// Makes the connection that led to the mailbox deliver again.
    private func goBack() async throws {
        try await dependencies.mail?.release(to: dependencies.link.destination)
        let stored = try await AgentLinks.stored(dependencies.settings, dependencies.link)
        for link in stored.links where self.link(link.id) == nil { add(link) }
    }
}
