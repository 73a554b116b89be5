import Aries
import Encoding
import Observation

// How a destination carries out an invitation from a file or from an operator.
extension DestinationCore {
    /// The way in which an invitation is to be carried out.
    private enum Found {
        /// A connection by this invitation exists or is being made. No other one is made.
        case existing(Text)
        /// A new connection is made. `replacing`: the id of a pending connection to the same inviter, which it
        /// replaces; nil if there is none.
        case new(replacing: Text?)
        /// A connection to the inviter exists. The inviter is asked whether it accepts that connection for this
        /// invitation.
        case known(Text)
        /// A connection to the inviter exists. The invitation contains only requests, which are answered over that
        /// connection.
        case asked(Text)
        /// The requests are answered over a new connection that is used for nothing else.
        case once
    }

    private func find(_ invitation: Invitation) -> Found {
        let usable = (routes + [starting].compactMap(\.self)).filter { $0.end == nil }
        if let same = usable.first(where: { $0.invitation.match(invitation) == .sameInvitation }) {
            return .existing(same.id)
        }
        let matching = usable.filter { $0.invitation.match(invitation) != nil }
        let known = matching.last { $0.isConnected && !$0.isOneTime }
        switch (InvitationPlan(invitation, connectionExists: known != nil), known) {
        case (.answerOnExisting, let known?): return .asked(known.id)
        case (.reuse, let known?): return .known(known.id)
        case (.oneTime, _): return matching.last { $0.isOneTime }.map { .asked($0.id) } ?? .once
        default:
            return .new(
                replacing: matching.last { !$0.isOneTime && $0.id != trial?.id && $0.id != starting?.id }?.id)
        }
    }

    // MARK: - Beginning

    /// Handles an invitation that was read from a file. If it was accepted before and its connection no longer
    /// exists, does not carry it out again: an old file may have been restored.
    mutating func read(_ file: Int, _ result: Result<Invitation, ConnectFailure>, at now: Instant) -> [Action] {
        guard isLoaded else {
            // Read the file again when the stored connections are loaded.
            reading[file] = nil
            return []
        }
        switch result {
        case .failure(let failure): return finish(file, failure, at: now)
        case .success(let invitation):
            if let index = jobs.firstIndex(where: { $0.invitation.id == invitation.id }) {
                jobs[index].files.append(file)
                return []
            }
            let found = find(invitation)
            if case .existing = found { return finish(file, nil, at: now) }
            guard !accepted.contains(invitation.id) else {
                return finish(file, nil, at: now, .usedBefore(isConnected: !live.isEmpty))
            }
            return begin(found, invitation, files: [file], at: now)
        }
    }

    /// Handles an invitation that an operator gives, even if it was accepted before and its connection no longer
    /// exists.
    mutating func connect(_ invitation: Invitation, _ request: Int, at now: Instant) -> [Action] {
        guard isLoaded else { return [.reply(request, .failure(.notReady))] }
        if let index = asides.firstIndex(where: { $0.invitation == invitation.id }) {
            let state = asides[index].state
            if !state.isUnderWay { asides.remove(at: index) }
            return [.reply(request, .success(state))]
        }
        let found = find(invitation)
        if case .existing(let id) = found {
            // The connection of a trial may not be stored yet. Then its id is of no use to the operator.
            let isStored = id != starting?.id
            return [.reply(request, isStored ? .success(Connecting(way: .known, id: id)) : .failure(.notReady))]
        }
        if let job = jobs.first(where: { $0.invitation.id == invitation.id }) { return aside(job, request) }
        switch found {
        case .existing: return []
        case .new, .once: return begin(found, invitation, requests: [request], at: now)
        case .known, .asked:
            let actions = begin(found, invitation, at: now)
            guard let job = jobs.last else { return actions }
            return aside(job, request) + actions
        }
    }

    /// Answers the operator before the work is done. Stores the result until the operator asks for it.
    private mutating func aside(_ job: Job, _ request: Int) -> [Action] {
        let begun = Connecting(way: job.way, id: job.route, isUnderWay: true)
        asides = asides.suffix(Self.routesLimit - 1) + [(job.invitation.id, begun)]
        return [.reply(request, .success(begun))]
    }

    private mutating func begin(
        _ found: Found, _ invitation: Invitation, files: [Int] = [], requests: [Int] = [], at now: Instant
    ) -> [Action] {
        var job = Job(invitation: invitation, way: .new, route: "", files: files, requests: requests)
        switch found {
        case .existing: return []
        case .new(let replaced):
            job.replaced = replaced
            return make(job, at: now)
        case .once: return make(job, at: now)
        case .known(let id):
            (job.way, job.route) = (.reuse, id)
            jobs.append(job)
            return [.ask(id, invitation)]
        case .asked(let id):
            (job.way, job.route) = (.answer, id)
            jobs.append(job)
            return [.answer(id, invitation)]
        }
    }

    /// Makes a connection, unless there are too many. The connection is in ``routes`` at once, so that the same
    /// invitation does not lead to another connection meanwhile.
    private mutating func make(_ job: Job, at now: Instant) -> [Action] {
        var job = job
        let route = newRoute(job.invitation)
        if hasLeftover { return finish(job, .leftover, at: now) }
        if !route.isOneTime, job.replaced == nil, live.count >= Self.routesLimit {
            return finish(job, .tooMany, at: now)
        }
        (job.way, job.route) = (route.isOneTime ? .once : .new, route.id)
        jobs.append(job)
        routes.append(route)
        // The connection is stored before the id of its invitation: if the program ends in between, the connection is
        // not lost.
        return [.make(route, accepted: accept(job.invitation.id))]
    }

    // MARK: - Results

    mutating func made(_ id: Text, _ failure: ConnectFailure?, at now: Instant) -> [Action] {
        guard let index = jobs.firstIndex(where: { $0.route == id }) else { return [] }
        let job = jobs.remove(at: index)
        if let failure {
            accepted.removeAll { $0 == job.invitation.id }
            forget(id)
            return [.discard(id)] + finish(job, failure, at: now)
        }
        var actions: [Action] = route(id) == nil ? [] : [.start(id)]
        if job.way == .once { actions.append(.notice(.answeredOnce(id))) }
        // Remove connections that have ended first: the link of another one may still have answers to send.
        let once = routes.filter(\.isOneTime)
        let old = (once.filter { $0.end != nil } + once.filter { $0.end == nil }).dropLast(Self.oneTimeLimit).map(\.id)
        for gone in old + [job.replaced].compactMap(\.self) where route(gone)?.isConnected != true || old.contains(gone)
        {
            forget(gone)
            if gone == job.replaced { noteReplaced(gone, by: id) }
            actions.append(.discard(gone))
        }
        return actions + [.wake] + finish(job, nil, at: now)
    }

    mutating func reused(_ invitation: Text, _ isTaken: Bool?, at now: Instant) -> [Action] {
        guard let index = jobs.firstIndex(where: { $0.invitation.id == invitation && $0.way == .reuse }) else {
            return []
        }
        guard let isTaken else { return finish(jobs.remove(at: index), .interrupted, at: now) }
        if isTaken { return [.note(accept(invitation), for: invitation)] }
        return make(jobs.remove(at: index), at: now)
    }

    mutating func answered(_ invitation: Text, _ isTaken: Bool, at now: Instant) -> [Action] {
        guard let index = jobs.firstIndex(where: { $0.invitation.id == invitation && $0.way == .answer }) else {
            return []
        }
        if isTaken { return [.note(accept(invitation), for: invitation)] }
        return finish(jobs.remove(at: index), .interrupted, at: now)
    }

    mutating func noted(_ invitation: Text, _ failure: ConnectFailure?, at now: Instant) -> [Action] {
        guard let index = jobs.firstIndex(where: { $0.invitation.id == invitation }) else { return [] }
        if failure != nil { accepted.removeAll { $0 == invitation } }
        return finish(jobs.remove(at: index), failure, at: now)
    }

    private mutating func finish(_ job: Job, _ failure: ConnectFailure?, at now: Instant) -> [Action] {
        let result = Connecting(way: job.way, id: job.route, failure: failure?.line)
        if let index = asides.firstIndex(where: { $0.invitation == job.invitation.id }) { asides[index].state = result }
        return job.files.flatMap { finish($0, failure, at: now) }
            + job.requests.map { .reply($0, failure.map { .failure($0) } ?? .success(result)) }
    }

    private mutating func finish(
        _ file: Int, _ failure: ConnectFailure?, at now: Instant, _ notice: DestinationNotice = .invitationRead
    ) -> [Action] {
        guard let edition = reading.removeValue(forKey: file) else { return [] }
        guard let failure else {
            files[file].succeeded(edition)
            return [.notice(notice)]
        }
        files[file].failed(edition, at: now)
        return [
            .notice(
                .invitationFailed(
                    file: files[file].path, reason: failure.line, isConnected: !live.isEmpty))
        ]
    }
}
