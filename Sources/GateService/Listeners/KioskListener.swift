package import Clocks
package import Encoding
package import Kiosk
package import LinuxIO

/// A receiver of the kiosk's signals, invitations and notes: for example the log, a display or the service manager.
///
/// Each listener has its own thread (``Listeners``) and may block it, because no other part of the program waits for
/// a listener.
package protocol KioskListener: Sendable {
    /// Shows a signal, which is one step of `pattern`. `visit` is the visit for which the pattern is shown; nil: the
    /// pattern belongs to no visit.
    func show(_ signal: Signal, of pattern: IndicatorPattern, for visit: VisitID?, at now: Instant)
    /// Shows the invitation with the URI `uri`, for example as a QR code; nil: no invitation is valid, so the
    /// listener removes the last one.
    func showInvitation(_ uri: String?, at now: Instant)
    /// Receives a note. `visit` is the visit that the note is about; nil: the note is about no visit.
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

/// All listeners, each with a bounded queue and its own thread. If a listener stalls, its oldest messages are
/// dropped. A stalled listener delays neither the other listeners nor the gate.
package struct Listeners: Sendable {
    /// The maximum number of messages in the queue of one listener. It is enough for several visits while many phones
    /// are near the gate.
    package static let queueLimit = 512

    private let members: [(listener: any KioskListener, thread: BackgroundThread)]
    private let clock: Clock

    /// Starts a thread for each listener. `clock` measures the time limit of ``flush(within:)``. Throws if a thread
    /// cannot be created.
    package init(_ listeners: [any KioskListener], clock: Clock) throws(SystemError) {
        self.clock = clock
        var members: [(any KioskListener, BackgroundThread)] = []
        for listener in listeners {
            members.append((listener, try BackgroundThread(name: "gatehouse-tell", limit: Self.queueLimit)))
        }
        self.members = members
    }

    /// The number of messages of all listeners that were dropped since the start.
    package var dropped: Int { members.reduce(0) { $0 + $1.thread.dropped } }

    /// Adds a message to the queue of each listener. Does not wait.
    package func tell(_ news: @escaping @Sendable (any KioskListener) -> Void) {
        for (listener, thread) in members { thread.run { news(listener) } }
    }

    /// Waits until all listeners have processed their messages, for at most `limit` in total. Returns whether all
    /// have.
    package func flush(within limit: Duration) -> Bool {
        let end = clock.now().advanced(by: limit)
        return members.allSatisfy { $0.thread.flush(within: clock.now().duration(to: end)) }
    }
}
