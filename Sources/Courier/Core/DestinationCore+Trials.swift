import Aries
import Encoding

// Replaces a connection that receives only answers by one with a mailbox. The destination's own agent is asked for a
// mailbox over the first connection. If it grants one, the first connection leads to the mailbox, and a second
// connection is made by the same invitation. With a mailbox elsewhere the first connection delivers meanwhile. If the
// second one is not answered, the first one is used as before.
extension DestinationCore {
    /// Begins the trial of a connection by `invitation`, through the mailbox.
    private mutating func beginTrial(_ invitation: Invitation) -> [Action] {
        let route = Route(id: newID(), invitation: invitation, reception: .mailbox)
        starting = route
        return [.beginTrial(route)]
    }

    mutating func trialBegun(_ id: Text, _ start: TrialStart, at now: Instant) -> [Action] {
        guard let route = starting, route.id == id else {
            // It was deleted meanwhile.
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

    /// Watches a trial. With the mailbox of the destination's own agent the time limit begins at once, because the
    /// first connection delivers nothing during the trial. With another mailbox it begins when the mailbox's address
    /// is known, however long that takes.
    private mutating func watch(_ route: Route, at now: Instant) {
        trial = Trial(
            id: route.id, invitation: route.invitation,
            until: policy.mailbox == .shared ? nil : now.advanced(by: policy.trial))
    }

    /// Resumes a trial that an earlier run began.
    mutating func resumeTrial(_ loaded: Loaded, at now: Instant) -> [Action] {
        guard policy.delivers else { return [] }
        switch policy.mailbox {
        case .none: return []
        case .shared:
            // A pending connection by a new invitation is no trial: it is not given up.
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

    /// Gives up the trial after its time limit, or after its connection has ended. Begins a trial if a mailbox is in
    /// use and the only connection does not use it yet.
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
        // An agent that has ended a connection through the mailbox gets no other one by the same invitation.
        guard policy.mailbox == .shared, starting == nil, live.count == 1, let only = live.first,
            only.reception == .returnRoute, only.isConnected,
            !routes.contains(where: { $0.reception == .mailbox && $0.invitation.id == only.invitation.id })
        else { return [] }
        return beginTrial(only.invitation)
    }

    /// Handles the result of giving up: no answer arrived through this mailbox by this invitation. After a crash
    /// between two steps the next start continues from there. After a failed step all steps are tried again. A
    /// connection that was connected at the last moment stays; if it has ended since, it is given up at the next look.
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

    /// Handles the adoption of a granted mailbox: its connection leads to the mailbox from now on.
    mutating func adopted(_ id: Text, _ reason: String?, at now: Instant) -> [Action] {
        // The connection was deleted meanwhile: its mailbox goes with it.
        guard let route = route(id) else { return reason == nil ? [.disown(id)] : [] }
        if let reason { return again(.adopt(id), reason, at: now) }
        routes.removeAll { $0.id == id }
        return beginTrial(route.invitation)
    }
}
