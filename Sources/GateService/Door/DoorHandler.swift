package import Administration
package import Clocks
package import Encoding
package import Kiosk
package import LinuxIO
package import Observation

/// Answers queries about the door and carries out orders for it.
package struct DoorHandler: Sendable {
    /// The duration of free passage if the request contains no duration: one hour.
    package static let usual: Duration = .seconds(3600)

    private let orders: DoorOrders
    private let settings: DoorSettings
    private let tell: @Sendable (PendingDoorOrder) async -> Void
    private let status: TimedQuery<KioskStatus>
    private let clock: Clock
    private let spawner: Spawner
    private let wallTime: @Sendable () -> WallTime
    private let log: LogSink
    private let limit: Duration

    /// Creates a handler. `tell` passes an order to the radio's thread, and `status` asks that thread for its state.
    /// The handler waits up to `limit` for each of the two calls and for the disk.
    package init(
        _ orders: DoorOrders, settings: DoorSettings, tell: @escaping @Sendable (PendingDoorOrder) async -> Void,
        status: @escaping @Sendable () async -> KioskStatus, clock: Clock, spawner: Spawner,
        wallTime: @escaping @Sendable () -> WallTime, log: LogSink, within limit: Duration = ControlRouter.partLimit
    ) {
        (self.orders, self.settings, self.tell) = (orders, settings, tell)
        self.status = TimedQuery(by: clock, spawner, status)
        (self.clock, self.spawner, self.wallTime, self.log, self.limit) = (clock, spawner, wallTime, log, limit)
    }

    /// Registers this handler for the requests about the door.
    package func register(in router: inout ControlRouter) {
        router.take(.doorStatus) { members throws(ControlRefusal) in
            try Self.nothingMore(members)
            return try await answer()
        }
        router.take(.doorLock) { members throws(ControlRefusal) in
            try Self.nothingMore(members)
            return try await order(.lock, keeping: .lock)
        }
        router.take(.doorRelease) { members throws(ControlRefusal) in
            try Self.nothingMore(members)
            return try await order(.none, keeping: .none)
        }
        router.take(.doorFree) { members throws(ControlRefusal) in
            var members = members
            let seconds = members["seconds"]
            members["seconds"] = nil
            try Self.nothingMore(members)
            let limit = Int(DoorSettings.longestFree.components.seconds)
            let time = seconds.map { $0.int ?? 0 } ?? Int(Self.usual.components.seconds)
            guard (1...limit).contains(time) else {
                throw ControlRefusal("free passage lasts 1 s to 24 h", remedy: "give the duration: --for 2h")
            }
            guard settings.hasFreeOutput else {
                throw ControlRefusal(
                    "this gate has no output for free passage",
                    remedy:
                        "connect one and name its line: door.freeLine (/usr/share/doc/gatehouse/docs/door.md); the "
                        + "gate's relay never stays open"
                )
            }
            let (span, date) = (Duration.seconds(time), wallTime().utc)
            return try await order(
                .free(until: clock.now().advanced(by: span)),
                keeping: .free(from: date, until: date.advanced(by: span)))
        }
    }

    /// Carries out an order. The order takes effect before it is stored, so that a slow disk does not delay it. An
    /// order that was refused to its caller never takes effect later, when the caller no longer watches the gate.
    /// Only a lock-down takes effect late: it is never dropped.
    private func order(_ order: DoorOrder, keeping kept: DoorOrderFile.Kept) async throws(ControlRefusal) -> JSON {
        let pendingOrder = PendingDoorOrder(order, keeping: kept, by: orders, clock: clock)
        let isTold = TimedQuery(by: clock, spawner) { [tell] in
            await tell(pendingOrder)
            return true
        }
        let isLate = await isTold.answer(within: limit) == nil && pendingOrder.giveUp()
        guard !isLate || order == .lock else {
            throw ControlRefusal(
                "the radio's thread does not respond: the order is not in force", remedy: "see: gatehouse status")
        }
        log.log(.warning, "door.ordered", ["order": .text(Self.word(order))])
        let isKept = await pendingOrder.isKept(within: limit)
        guard !isLate else {
            throw ControlRefusal(
                "the radio's thread does not respond: the gate is locked down only when it does"
                    + (isKept
                        ? "; the order is stored, so a restart locks the gate"
                        : ", and the disk has not accepted the "
                            + "order"),
                remedy: "shut the gate by hand; see: gatehouse status")
        }
        guard isKept else {
            throw ControlRefusal(
                "the order is in force, but the disk has not accepted it: a restart would lose it",
                remedy: "check the disk; the service retries automatically")
        }
        return try await answer()
    }

    private static func word(_ order: DoorOrder) -> String {
        switch order {
        case .none: "release"
        case .lock: "lock"
        case .free: "free"
        }
    }

    private func answer() async throws(ControlRefusal) -> JSON {
        guard let status = await status.answer(within: limit) else {
            throw ControlRefusal("the radio's thread does not respond", remedy: "see: gatehouse status")
        }
        return Self.report(status.door, at: (status.at, wallTime().utc)).json
    }

    private static func nothingMore(_ members: JSONObject) throws(ControlRefusal) {
        guard members.isEmpty else {
            throw ControlRefusal(
                "the request has an unknown member",
                remedy: "use the program of the service's version: gatehouse door --help")
        }
    }

    /// Returns the door's part of the status report. `gatehouse door` prints the same part.
    package static func report(_ status: DoorStatus, at now: (instant: Instant, utc: Timestamp)) -> StatusReport.Door {
        var door = StatusReport.Door()
        (door.mode, door.cause, door.inputs) = (status.mode, status.cause, status.inputs)
        if let since = status.since {
            let age = max(.zero, since.duration(to: now.instant))
            door.since = Timestamp(seconds: now.utc.advanced(by: .zero - age).seconds)
            door.seconds = Int(age.components.seconds)
        }
        door.secondsLeft = status.until.map { Int(max(.zero, now.instant.duration(to: $0)).components.seconds) }
        let counters = status.counters
        (door.passages, door.tailgating, door.unused) = (counters.passages, counters.tailgating, counters.unused)
        (door.requests, door.refusedRequests) = (counters.requests, counters.refusedRequests)
        (door.forced, door.heldOpen) = (counters.forced, counters.held)
        return door
    }
}
