package import Encoding
import Synchronization

/// The relay that opens the gate. An opening has an end, and is never longer than ``hardLimit``.
package final class Relay: Sendable {
    /// The longest opening. A longer request is shortened to this time.
    package static let hardLimit: Duration = .seconds(5)

    /// The name of the relay's thread, as ps and /proc show it.
    package static let threadName = "gatehouse-relay"

    /// The time between two reads of the line of a released relay.
    package static let readBack: Duration = .seconds(2)

    /// The instant at which the opening ends, in nanoseconds of ``SystemClock/now()``; 0: the relay is released.
    private final class Order: Sendable { let until = Atomic<Int64>(0) }

    private let order: Order
    private let thread: LineThread

    /// Takes over the bank of the relay's only line, named `line`. While the relay is released, its line is read
    /// every `readBack`. `failed`: see ``LineThread``.
    package init(
        _ bank: sending any LineBank, line: String, readBack: Duration = Relay.readBack,
        failed: @escaping @Sendable (LineThread.Trouble?) -> Void
    ) throws(SystemError) {
        let order = Order()
        self.order = order
        thread = try LineThread(
            name: Self.threadName, timing: .first, bank, readBack: readBack,
            wanted: { now in
                let until = Instant(nanoseconds: order.until.load(ordering: .acquiring))
                return now < until ? LineThread.Wanted(active: [line], until: until) : LineThread.Wanted(active: [])
            }, failed: failed)
    }

    /// Energises the relay until `until`, or for ``hardLimit`` if that is earlier. Never blocks.
    package func open(until: Instant, at now: Instant) {
        order.until.store(min(until, now.advanced(by: Self.hardLimit)).nanoseconds, ordering: .releasing)
        thread.wake()
    }

    /// Releases the relay. Never blocks.
    package func shut() {
        order.until.store(0, ordering: .releasing)
        thread.wake()
    }

    /// Releases the relay and its line. Returns whether that was done within `limit`.
    package func end(within limit: Duration) -> Bool {
        shut()
        return thread.end(within: limit)
    }
}

/// The lamps and the sounder. They show the state that was requested last.
package final class LampLines: Sendable {
    private final class Order: Sendable { let bits = Atomic<UInt64>(0) }

    private let order: Order
    private let names: [String]
    private let thread: LineThread

    /// Takes over the bank of the lines with the names `names`. Lines after the 64th are ignored. `failed`: see
    /// ``LineThread``.
    package init(
        _ bank: sending any LineBank, names: [String], failed: @escaping @Sendable (LineThread.Trouble?) -> Void
    ) throws(SystemError) {
        let order = Order()
        self.order = order
        let names = Array(names.prefix(64))
        self.names = names
        thread = try LineThread(
            name: "gatehouse-lamps", bank,
            wanted: { _ in
                let bits = order.bits.load(ordering: .acquiring)
                return LineThread.Wanted(
                    active: Set(names.enumerated().filter { bits & (1 << UInt64($0.offset)) != 0 }.map(\.element)))
            }, failed: failed)
    }

    /// Makes the lines in `active` active and all others inactive. Never blocks.
    package func show(_ active: Set<String>) {
        let bits = names.enumerated().reduce(into: UInt64(0)) { bits, line in
            if active.contains(line.element) { bits |= 1 << UInt64(line.offset) }
        }
        order.bits.store(bits, ordering: .releasing)
        thread.wake()
    }

    /// Makes all lines inactive and releases them. Returns whether that was done within `limit`.
    package func end(within limit: Duration) -> Bool { thread.end(within: limit) }
}
