import Aries
import DIDComm
import Encoding
import HTTPTransport

/// Drives one mailbox: carries out what it wants, brings it what the connections want, and tells what it says.
///
/// One task calls ``run()``, which returns soon after that task is cancelled or ``stop()`` was called.
actor MailboxLink<Box: Mailbox & ~Copyable>: RunningMailbox {
    nonisolated let id: Text
    nonisolated let invitation: Invitation?
    private let surroundings: MailboxSurroundings
    fileprivate var box: Box
    private var inbox: [MailboxEvent] = []
    private var isStoreBroken = false
    private var isStopped = false
    private let nap = Nap()

    /// `invitation`: what its connection answers, where it has one.
    init(_ box: consuming Box, id: Text, invitation: Invitation?, _ surroundings: MailboxSurroundings) {
        (self.id, self.invitation, self.surroundings) = (id, invitation, surroundings)
        self.box = box
    }

    func run() async {
        inbox.insert(.start, at: 0)
        while !Task.isCancelled, !isStopped {
            let now = surroundings.clock.now()
            if !inbox.isEmpty {
                await perform(box.handle(inbox.removeFirst(), at: now))
            } else if let deadline = box.deadline, deadline <= now {
                inbox.append(.deadlineReached)
            } else {
                await nap.sleep(until: box.deadline, surroundings.clock)
            }
        }
    }

    func take(_ event: MailboxEvent) {
        inbox.append(event)
        nap.end()
    }

    func stop() {
        isStopped = true
        nap.end()
    }

    private func perform(_ actions: [MailboxAction]) async {
        for action in actions where !isStopped {
            switch action {
            case .persist(let snapshot): await persist(snapshot)
            case .post(let exchange, let url, let body): await post(exchange, url, body)
            case .get(let exchange, let url): await post(exchange, url, nil)
            case .address(let address, let name): await surroundings.tell(.address(address, for: name))
            case .failed(let failure, let name): await surroundings.tell(.failed(failure, for: name))
            case .closed(let name, let isComplete):
                await surroundings.tell(.closed(connection: name, isComplete: isComplete))
            case .messages(let messages): await surroundings.tell(.messages(messages))
            case .reachability(let failure): await surroundings.tell(.reachability(failure))
            }
        }
    }

    private func persist(_ snapshot: JSON) async {
        do {
            try await surroundings.store.keepConnection(
                id, to: MailRoom.destination, snapshot.compactBytes, handled: [])
            isStoreBroken = false
        } catch {
            isStoreBroken = true
            await surroundings.tell(.storeFailed("\(error)"))
        }
    }

    private func post(_ id: AgentConnection.ExchangeID, _ url: Text, _ body: [UInt8]?) async {
        guard !isStoreBroken else {
            inbox.append(.failed(id, .notStored))
            return
        }
        do throws(ExchangeError) {
            let answer = try await surroundings.exchange.exchange(body, with: url.string, as: box.mediaType.string)
            inbox.append(
                (200...299).contains(answer.status)
                    ? .answered(id, body: answer.body)
                    : .rejected(id, status: answer.status, body: Array(answer.body.prefix(16 * 1024))))
        } catch {
            inbox.append(.failed(id, error.failure))
        }
    }
}

extension MailboxLink where Box == AgencyMailbox {
    /// How the agency wakes us; nil as long as there is no agent, and where it cannot.
    var longPoll: AgencyLongPoll? { box.longPoll }
}

/// A mailbox of any kind that runs.
protocol RunningMailbox: Sendable {
    /// Its own name.
    var id: Text { get }
    /// The invitation that its connection answers; nil for a mailbox without one.
    var invitation: Invitation? { get }
    /// Runs until the task is cancelled or it is stopped.
    func run() async
    /// Brings it an event.
    func take(_ event: MailboxEvent) async
    /// Ends it for good; nothing of it is posted or stored any more.
    func stop() async
}

/// What a mailbox is connected to.
struct MailboxSurroundings: Sendable {
    /// Posts messages.
    var exchange: any MessageExchange
    /// Keeps it.
    var store: any ConnectionStore
    /// The clock.
    var clock: AgentClock
    /// Told of what it says, one after the other.
    var tell: @Sendable (MailboxNews) async -> Void
}

/// What a mailbox says.
enum MailboxNews: Sendable {
    /// The connection may be reached there.
    case address(MailboxAddress, for: Text)
    /// A connection, or with nil the whole mailbox, is not served.
    case failed(MailboxFailure, for: Text?)
    /// The mailbox has forgotten the connection.
    case closed(connection: Text, isComplete: Bool)
    /// Messages for connections.
    case messages([MailboxMessage])
    /// Posts began to succeed (nil) or to fail.
    case reachability(ExchangeFailure?)
    /// Its state could not be kept.
    case storeFailed(String)
}
