import Aries
import Encoding

// The trial of a connection through a mailbox, in place of a connection that receives only answers. There are two
// cases. If the mailbox is at the destination's own agent, the agent grants it over the first connection, which then
// becomes the connection to the mailbox; a second connection to the agent is made by the same invitation, through the
// mailbox. If the mailbox is elsewhere, the first connection delivers meanwhile. In both cases, if the second
// connection gets no answer, the first one is used as before.
extension DestinationCore {
    /// Begins the trial: a connection by `invitation` through the mailbox.
    private mutating func beginTrial(_ invitation: Invitation) -> [Action] {
        let route = Route(id: newID(), invitation: invitation, reception: .mailbox)
        starting = route
        return [.beginTrial(route)]
    }

    mutating func trialBegun(_ id: Text, _ start: TrialStart, at now: Instant) -> [Action] {
        guard let route = starting, route.id == id else {
            // The connection was deleted meanwhile.
            if case .denied = start { return [] }
            forget(id)
            return [.discard(id)]
        }
        switch start {
        case .begun:
            starting = nil
            routes.append(route)
            watch(route, at: now)
            return [.start(id)]
        case .denied:
            starting = nil
            return policy.mailbox == .own ? goBack() : []
        case .failed(let reason): return again(.beginTrial(route), reason, at: now)
        }
    }

    /// Sets the time limit of a trial. If the mailbox is at the destination's own agent, the time begins now, because
    /// the first connection delivers nothing during the trial. With another mailbox, the time begins when the
    /// connection's address there is known.
    private mutating func watch(_ route: Route, at now: Instant) {
        trial = Trial(
            id: route.id, invitation: route.invitation,
            until: policy.mailbox == .shared ? nil : now.advanced(by: policy.trial))
    }

    /// Continues a trial that an earlier run of the program began.
    mutating func resumeTrial(_ loaded: Loaded, at now: Instant) -> [Action] {
        guard policy.delivers else { return [] }
        switch policy.mailbox {
        case .none: return []
        case .shared:
            // A pending connection without an earlier connection by the same invitation is not a trial, and has no
            // time limit.
            guard let last = live.last, last.reception == .mailbox, !last.isConnected,
                live.dropLast().contains(where: { $0.invitation.id == last.invitation.id })
            else { return [] }
            watch(last, at: now)
            return []
        case .own:
            guard let mailbox = loaded.mailbox else { return [] }
            if let last = live.last(where: { $0.reception == .mailbox }) {
                watch(last, at: now)
                return []
            }
            return loaded.isMailboxHeld ? beginTrial(mailbox) : []
        }
    }

    /// Ends the trial if its time has passed or its connection has ended. Begins a trial if there is none, a mailbox
    /// elsewhere is in use, and the only connection does not use it yet.
    mutating func lookAtTrial(at now: Instant) -> [Action] {
        guard policy.delivers else { return [] }
        if let watched = trial {
            guard !watched.isEnding else { return [] }
            let route = route(watched.id)
            if route?.isConnected == true {
                trial = nil
            } else if route?.end != nil || watched.until.map({ now >= $0 }) == true {
                trial?.isEnding = true
                return [.giveUp(watched.id, watched.invitation)]
            } else if watched.until == nil, route?.hasAddress == true {
                trial?.until = now.advanced(by: policy.trial)
            }
            return []
        }
        // If an agent has ended a connection through the mailbox, do not make another one by the same invitation.
        guard policy.mailbox == .shared, starting == nil, live.count == 1, let only = live.first,
            only.reception == .returnRoute, only.isConnected,
            !routes.contains(where: { $0.reception == .mailbox && $0.invitation.id == only.invitation.id })
        else { return [] }
        return beginTrial(only.invitation)
    }

    /// Handles the end of a trial without an answer. If a step failed, all steps are tried again later; if the
    /// program ended between two steps, the next start continues there. If the connection has completed its handshake
    /// in the last moment, it stays (`kept`).
    mutating func gaveUp(_ id: Text, _ result: TrialEnd) -> [Action] {
        guard trial?.id == id else { return [] }
        trial?.isEnding = false
        switch result {
        case .kept: return []
        case .failed(let reason): return [.notice(.storeFailed(reason))]
        case .deleted:
            trial = nil
            forget(id)
            return policy.mailbox == .own ? goBack() : []
        }
    }

    /// Handles the result of adopting a granted mailbox: the connection with this id is now the connection to the
    /// mailbox.
    mutating func adopted(_ id: Text, _ reason: String?, at now: Instant) -> [Action] {
        // The connection was deleted meanwhile, so its mailbox must not be used.
        guard let route = route(id) else { return reason == nil ? [.disown(id)] : [] }
        if let reason { return again(.adopt(id), reason, at: now) }
        routes.removeAll { $0.id == id }
        return beginTrial(route.invitation)
    }
}
