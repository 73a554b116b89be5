package import Encoding
package import Kiosk
package import LinuxIO

/// Somebody who is told what the kiosk does: a log, a terminal, a display, the service manager.
///
/// Each listener has a thread of its own (``Listeners``) and may take its time there: nobody waits for it.
package protocol KioskListener: Sendable {
    /// Shows a signal of `pattern`. `visit`: the visit whose sign it is, if it is one's.
    func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant)
    /// Shows the invitation URI; nil takes it down.
    func showInvitation(_ uri: String?, at now: Instant)
    /// Takes notice. `visit`: the visit that it is about, if it is about one.
    func note(_ note: KioskNote, of visit: VisitID?, at now: Instant)
}

extension KioskListener {
    /// Nothing to show.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant) {}
    /// No display here.
    package func showInvitation(_ uri: String?, at now: Instant) {}
    /// Not interested.
    package func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {}
}

/// All listeners, each behind a bounded queue and a thread of its own: one that stalls loses its oldest news, and holds up neither
/// the others nor the gate.
package struct Listeners: Sendable {
    /// News that wait for one listener at most: some visits in a crowd.
    package static let queueLimit = 512

    private let members: [(listener: any KioskListener, thread: SideThread)]

    /// Starts a thread for each listener.
    package init(_ listeners: [any KioskListener]) throws(SystemError) {
        var members: [(any KioskListener, SideThread)] = []
        for listener in listeners {
            members.append((listener, try SideThread(name: "gatehouse-tell", limit: Self.queueLimit)))
        }
        self.members = members
    }

    /// News that were left out since the start.
    package var dropped: Int { members.reduce(0) { $0 + $1.thread.dropped } }

    /// Hands the news to everybody. Never blocks.
    package func tell(_ news: @escaping @Sendable (any KioskListener) -> Void) {
        for (listener, thread) in members { thread.run { news(listener) } }
    }

    /// Waits until everybody has heard everything, at most for `limit` in all; whether they have.
    package func flush(within limit: Duration) -> Bool {
        let end = SystemClock.now().advanced(by: limit)
        return members.allSatisfy { $0.thread.flush(within: SystemClock.now().duration(to: end)) }
    }
}
