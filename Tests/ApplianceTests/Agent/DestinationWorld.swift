import Aries
import Encoding
import Testing

@testable import Courier

/// A driver without links: a store that can fail, files, inviters that answer as the test says, and a clock that
/// jumps from deadline to deadline.
final class DestinationWorld {
    var core: DestinationCore
    var now = Instant.zero
    /// What the store has about the destination.
    var loaded = DestinationCore.Loaded()
    /// Whether every write and read of the store fails.
    var isBroken = false
    var editions: [InvitationFile.Edition]
    var contents: [Result<Invitation, ConnectFailure>] = []
    /// Whether the mailbox permits a connection by any invitation.
    var permits = true
    /// The data that are restored with the connection that led to the mailbox.
    var returning: [DestinationCore.Route] = []
    /// Whether the way back cannot be loaded.
    var breaksReturn = false
    /// What inviters say about reuse.
    var reuse: Bool? = true
    /// Whether connections take the requests of further invitations.
    var takesRequests = true
    /// Whether a connection on trial is connected at the moment at which it is given up.
    var connectsLate = false
    /// Whether its agent ends it right after that.
    var endsLate = false
    /// Whether results of loading, of new connections and of adoptions are held back until ``release()``.
    var holds = false
    private var held: [DestinationCore.Event] = []

    private(set) var made: [DestinationCore.Route] = []
    private(set) var started: [Text] = []
    private(set) var gone: [Text] = []
    private(set) var asked: [Text] = []
    private(set) var answered: [Text] = []
    private(set) var refused: [Text] = []
    private(set) var disowned: [Text] = []
    private(set) var accepted: [Text] = []
    private(set) var replies: [Int: Result<Connecting, ConnectFailure>] = [:]
    private(set) var notices: [DestinationNotice] = []
    private(set) var adoptions = 0
    private(set) var returns = 0

    init(_ mailbox: DestinationCore.Policy.Mailbox = .none, files: [String] = [], delivers: Bool = true) {
        core = DestinationCore(
            DestinationCore.Policy(mailbox: mailbox, files: files, delivers: delivers), random: freshStream())
        editions = files.map { _ in .absent }
    }

    private var failure: ConnectFailure? {
        isBroken ? ConnectFailure("the disk is full", remedy: "make room") : nil
    }

    func feed(_ event: DestinationCore.Event) {
        var events = [event]
        while !events.isEmpty {
            for action in core.handle(events.removeFirst(), at: now) {
                guard let result = carryOut(action) else { continue }
                if holds, isHeld(result) { held.append(result) } else { events.append(result) }
            }
        }
    }

    private func isHeld(_ result: DestinationCore.Event) -> Bool {
        switch result {
        case .loaded, .made, .adopted, .wentBack: true
        default: false
        }
    }

    func release() {
        holds = false
        for event in held { feed(event) }
        held = []
    }

    func run(for time: Duration) {
        let end = now.advanced(by: time)
        while let deadline = core.deadline, deadline <= end {
            now = max(now, deadline)
            feed(.deadlineReached)
        }
        now = end
    }

    /// Reports the states of links.
    func say(_ id: Text, isConnected: Bool = false, hasAddress: Bool = true) {
        feed(.states([.init(id: id, isConnected: isConnected, hasAddress: hasAddress)]))
    }

    private func carryOut(_ action: DestinationCore.Action) -> DestinationCore.Event? {
        switch action {
        case .load: return failure.map { .notLoaded($0.line) } ?? .loaded(loaded)
        case .look: return .looked(editions)
        case .read(let file): return .read(file: file, contents[file])
        case .make(let route, let accepted):
            made.append(route)
            if failure == nil { self.accepted = accepted }
            return .made(route.id, failure)
        case .start(let id): started.append(id)
        case .stop(let id), .close(let id): gone.append(id)
        case .discard(let id):
            if failure == nil { gone.append(id) }
            return .discarded(id, failure?.line)
        case .ask(let id, let invitation):
            asked.append(id)
            return .reused(invitation.id, reuse)
        case .answer(let id, let invitation):
            answered.append(id)
            return .answered(invitation.id, takesRequests)
        case .note(let accepted, let invitation):
            if failure == nil { self.accepted = accepted }
            return .noted(invitation, failure)
        case .adopt(let id):
            adoptions += 1
            return .adopted(id, failure?.line)
        case .beginTrial(let route):
            guard permits else { return .trialBegun(route.id, .denied) }
            if failure == nil { made.append(route) }
            return .trialBegun(route.id, failure.map { .failed($0.line) } ?? .begun)
        case .giveUp(let id, _) where connectsLate:
            say(id, isConnected: true)
            if endsLate { feed(.ended(id, isGranted: false)) }
            (connectsLate, endsLate) = (false, false)
            return .gaveUp(id, .kept)
        case .giveUp(let id, let invitation):
            if failure == nil { refused.append(invitation.id) }
            return .gaveUp(id, failure.map { .failed($0.line) } ?? .deleted)
        case .goBack:
            returns += 1
            if breaksReturn { return .wentBack(.failure(ConnectFailure("the disk is full", remedy: "make room"))) }
            return .wentBack(failure.map { .failure($0) } ?? .success(returning))
        case .disown(let id): disowned.append(id)
        case .wake: break
        case .reply(let request, let result): replies[request] = result
        case .notice(let notice): notices.append(notice)
        }
        return nil
    }

    /// Connects by an invitation and returns the result.
    func connect(_ invitation: Invitation, _ request: Int = 1) throws -> Connecting {
        feed(.connect(invitation, request: request))
        return try #require(replies[request]).get()
    }

    func count(_ matches: (DestinationNotice) -> Bool) -> Int { notices.count(where: matches) }
}
