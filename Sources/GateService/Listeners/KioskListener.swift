package import Clocks
package import Encoding
package import Kiosk
package import LinuxIO

/// A receiver of the kiosk's signals, invitations and notes: a log, a terminal, a display, the service
/// manager.
///
/// Each listener runs on its own thread (``Listeners``) and may block it: no other part waits for a listener.
package protocol KioskListener: Sendable {
    /// Shows a signal of `pattern`. `visit`: the visit for which the pattern is shown; nil if it is for no
    /// visit.
    func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant)
    /// Shows the invitation URI; nil: shows none.
    func showInvitation(_ uri: String?, at now: Instant)
    /// Receives a note. `visit`: the visit that the note is about, if any.
    func note(_ note: KioskNote, of visit: VisitID?, at now: Instant)
}

extension KioskListener {
    /// Does nothing: the listener shows no signals.
    package func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant) {}
    /// Does nothing: the listener shows no invitation.
    package func showInvitation(_ uri: String?, at now: Instant) {}
    /// Does nothing: the listener ignores notes.
    package func note(_ note: KioskNote, of visit: VisitID?, at now: Instant) {}
}

/// All listeners, each with a bounded queue and its own thread. A listener that stalls loses its oldest
/// messages. It delays neither the rest of the listeners nor the gate.
package struct Listeners: Sendable {
    /// The maximum number of messages that wait for one listener: enough for several visits while many phones
    /// are near the gate.
    package static let queueLimit = 512

    private let members: [(listener: any KioskListener, thread: BackgroundThread)]
    private let clock: Clock

    /// Starts a thread for each listener. `clock` measures how long a flush takes.
    package init(_ listeners: [any KioskListener], clock: Clock) throws(SystemError) {
        self.clock = clock
        var members: [(any KioskListener, BackgroundThread)] = []
        for listener in listeners {
            members.append((listener, try BackgroundThread(name: "gatehouse-tell", limit: Self.queueLimit)))
        }
        self.members = members
    }

    /// The number of messages dropped since the start, over all listeners.
    package var dropped: Int { members.reduce(0) { $0 + $1.thread.dropped } }

    /// Passes the message to every listener. Never blocks.
    package func tell(_ news: @escaping @Sendable (any KioskListener) -> Void) {
        for (listener, thread) in members { thread.run { news(listener) } }
    }

    /// Waits until every listener has processed all its messages, for at most `limit` in all. Returns whether
    /// they all have.
    package func flush(within limit: Duration) -> Bool {
        let end = clock.now().advanced(by: limit)
        return members.allSatisfy { $0.thread.flush(within: clock.now().duration(to: end)) }
    }
}
