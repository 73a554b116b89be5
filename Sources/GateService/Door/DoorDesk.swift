package import Administration
package import Clocks
package import Encoding
package import Kiosk
package import LinuxIO

/// Answers queries and carries out orders about the door.
package struct DoorDesk: Sendable {
    /// The duration of free passage if the order gives none.
    package static let usual: Duration = .seconds(3600)

    private let orders: DoorOrders
    private let settings: DoorSettings
    private let tell: @Sendable (DoorErrand) async -> Void
    private let status: TimedQuestion<KioskStatus>
    private let clock: Clock
    private let spawner: Spawner
    private let wallTime: @Sendable () -> WallTime
    private let log: LogSink
    private let limit: Duration

    /// Creates a desk that passes orders to the radio's thread by `tell`, and queries the thread by `status`.
    /// Each of the two, and the disk, has `limit` to answer.
    package init(
        _ orders: DoorOrders, settings: DoorSettings, tell: @escaping @Sendable (DoorErrand) async -> Void,
        status: @escaping @Sendable () async -> KioskStatus, clock: Clock, spawner: Spawner,
        wallTime: @escaping @Sendable () -> WallTime, log: LogSink, within limit: Duration = ControlDesk.partLimit
    ) {
        (self.orders, self.settings, self.tell) = (orders, settings, tell)
        self.status = TimedQuestion(by: clock, spawner, status)
        (self.clock, self.spawner, self.wallTime, self.log, self.limit) = (clock, spawner, wallTime, log, limit)
    }

    /// Registers the handlers of the door's requests.
    package func register(in desk: inout ControlDesk) {
        desk.take(.doorStatus) { members throws(ControlRefusal) in
            try Self.nothingMore(members)
            return try await answer()
        }
        desk.take(.doorLock) { members throws(ControlRefusal) in
            try Self.nothingMore(members)
            return try await order(.lock, keeping: .lock)
        }
        desk.take(.doorRelease) { members throws(ControlRefusal) in
            try Self.nothingMore(members)
            return try await order(.none, keeping: .none)
        }
        desk.take(.doorFree) { members throws(ControlRefusal) in
            var members = members
            let seconds = members["seconds"]
            members["seconds"] = nil
            try Self.nothingMore(members)
            let limit = Int(DoorSettings.longestFree.components.seconds)
            let time = seconds.map { $0.int ?? 0 } ?? Int(Self.usual.components.seconds)
            guard (1...limit).contains(time) else {
                throw ControlRefusal("free passage lasts 1 s to 24 h", remedy: "say for how long: --for 2h")
            }
            guard settings.hasFreeOutput else {
                throw ControlRefusal(
                    "this gate has no output for free passage",
                    remedy:
                        "wire one and name its line: door.freeLine (/usr/share/doc/gatehouse/docs/door.md); the gate's relay never stays open"
                )
            }
            let (span, date) = (Duration.seconds(time), wallTime().utc)
            return try await order(
                .free(until: clock.now().advanced(by: span)),
                keeping: .free(from: date, until: date.advanced(by: span)))
        }
    }

    /// Carries out an order. The order is in force before it is written, so that a bad disk does not delay
    /// it. An order that is refused does not come into force later, unobserved; only a lock-down is never
    /// dropped.
    private func order(_ order: DoorOrder, keeping kept: DoorOrderFile.Kept) async throws(ControlRefusal) -> JSON {
        let errand = DoorErrand(order, keeping: kept, by: orders, clock: clock)
        let isTold = TimedQuestion(by: clock, spawner) { [tell] in
            await tell(errand)
            return true
        }
        let isLate = await isTold.answer(within: limit) == nil && errand.giveUp()
        guard !isLate || order == .lock else {
            throw ControlRefusal(
                "the radio's thread does not answer: the order is not in force", remedy: "look at: gatehouse status")
        }
        log.log(.warning, "door.ordered", ["order": .text(Self.word(order))])
        let isKept = await errand.isKept(within: limit)
        guard !isLate else {
            throw ControlRefusal(
                "the radio's thread does not answer: the gate is not locked down before it does"
                    + (isKept
                        ? "; the order is kept, so a restart locks it" : ", and the disk has not taken the order"),
                remedy: "shut the gate by hand; look at: gatehouse status")
        }
        guard isKept else {
            throw ControlRefusal(
                "the order is in force, but the disk has not taken it: a restart would forget it",
                remedy: "look at the disk; it is tried again by itself")
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
            throw ControlRefusal("the radio's thread does not answer", remedy: "look at: gatehouse status")
        }
        return Self.json(status.door, at: (status.at, wallTime().utc))
    }

    private static func nothingMore(_ members: JSONObject) throws(ControlRefusal) {
        guard members.isEmpty else {
            throw ControlRefusal(
                "the request has a member that does not belong to it",
                remedy: "use the program of the service's version: gatehouse door --help")
        }
    }

    /// Returns the door's state in the form of `gatehouse status` and `gatehouse door`.
    package static func json(_ door: DoorStatus, at now: (instant: Instant, utc: Timestamp)) -> JSON {
        var members: JSONObject = ["mode": .text(door.mode.rawValue), "by": .text(door.cause.rawValue)]
        if let since = door.since {
            let age = max(.zero, since.duration(to: now.instant))
            members["since"] = .text(Timestamp(seconds: now.utc.advanced(by: .zero - age).seconds).rfc3339)
            members["seconds"] = .int(Int(age.components.seconds))
        }
        if let until = door.until {
            members["secondsLeft"] = .int(Int(max(.zero, now.instant.duration(to: until)).components.seconds))
        }
        let inputs = DoorInput.allCases.compactMap { input -> JSONObject.Member? in
            guard let level = door.inputs[input] else { return nil }
            return .init(Text(input.rawValue), level.map { .bool($0) } ?? .null)
        }
        members["inputs"] = .object(JSONObject(inputs))
        let counters = door.counters
        for (name, count) in [
            ("passages", counters.passages), ("tailgating", counters.tailgating), ("unused", counters.unused),
            ("requests", counters.requests), ("refusedRequests", counters.refusedRequests),
            ("forced", counters.forced), ("heldOpen", counters.held),
        ] {
            members[Text(name)] = .int(count)
        }
        return .object(members)
    }
}
