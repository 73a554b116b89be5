package import Encoding

/// Why the delivery is held although the peer's server is reachable.
package enum ReportHold: Hashable, Sendable {
    /// The peer answers pings but confirms nothing.
    case unconfirmed
    /// The peer reports that it cannot store entries at present.
    case notStored
    /// The peer reports that another connection writes this ledger.
    case foreign
    /// The peer does not know the protocol that the configuration requires.
    case unknownProtocol
    /// The peer's server accepts pings but refuses one entry after another. No further entry is skipped.
    case refused
    /// The peer reports another problem; the text is the peer's code for it (at most 128 bytes).
    case problem(Text)
}

extension ReportDelivery {
    /// An event for a delivery.
    package enum Event: Hashable, Sendable {
        /// The handshake is complete, or an earlier connection is used again.
        case connected
        /// The ledger ends at `end` now. `isUrgent`: whether a rejection or failure was recorded.
        case available(end: ReportPoint, isUrgent: Bool)
        /// The answer to ``Action/read(after:entries:bytes:reports:)``, in the ledger's order; empty if
        /// nothing can be read.
        case entries([ReportEntry])
        /// The answer to ``Action/look(_:)``: the hash of the gate's entry at the position `at`; nil if the
        /// ledger no longer has the entry.
        case hash([UInt8]?, at: Int)
        /// The peer's server accepted the message with the given id (HTTP 2xx). This confirms nothing.
        case sent(Text)
        /// The message with the given id failed. A message that a server refused is made smaller. Any other
        /// failed message is sent again, so a connection that itself repeats messages need not report such a
        /// failure.
        case failed(Text, ExchangeFailure)
        /// The peer's server accepted the gate's ping with the given id.
        case pinged(Text)
        /// The peer answered the gate's ping with the given id.
        case pong(Text)
        /// The peer stored every entry up to the given point. `signed`: the gate's own head that the peer
        /// returned, if this gate signed it.
        case receipt(ReportPoint, signed: ReportPoint? = nil)
        /// The peer stated the last entry that it has. `signed`: the gate's own head that the peer returned,
        /// if this gate signed it.
        case head(ReportPoint, signed: ReportPoint? = nil)
        /// The controller acknowledged the reports or messages with the given ids.
        case acknowledged([Text])
        /// The peer disclosed which of the queried protocols it supports.
        case disclosed([ProtocolName])
        /// The peer reported a problem with the code `code`, about the message whose thread is `thread`.
        case problem(code: Text, thread: Text)
        /// Start the next attempt at once, because the network works again or an operator asks for it.
        case retryNow
        /// The time of ``ReportDelivery/deadline`` is reached.
        case deadlineReached
    }

    /// The actions of a delivery, which its driver carries out in this order.
    package enum Action: Hashable, Sendable {
        /// Read the entries after the position `after`: at most `entries` entries, of about `bytes` bytes in
        /// total. `reports`: whether to read their reports, too; if not, the entries have nil as report.
        case read(after: Int, entries: Int, bytes: Int, reports: Bool)
        /// Look up the hash of the ledger's entry at the given position.
        case look(Int)
        /// Send this message. The next one follows after ``Event/sent(_:)`` or ``Event/failed(_:_:)``.
        case send(OutboundMessage)
        /// Ping the peer.
        case ping
        /// The destination's cursor moves permanently to the given point. If `by` is a receipt, keep it. `by`
        /// is nil for entries that were skipped.
        case confirmed(ReportPoint, by: ReportWay.Proof?)
        /// The peer's server refuses the entry at the given position when it is sent alone. The next
        /// ``confirmed(_:by:)`` skips this entry, so the peer never gets it.
        case setAside(Int)
        /// The ledger no longer has the entries at these positions, and the peer does not have them either.
        /// Reported once.
        case gone(ClosedRange<Int>)
        /// The peer has lost entries after the position `after`, although it had sent receipts for them. The
        /// gate sends these entries again.
        case refill(after: Int)
        /// The form and the proof of reports are determined from now on.
        case found(ReportWay)
        /// The peer answers no ping. The gate sends nothing until the peer answers one.
        case silent
        /// The peer, which had answered no pings, answered again.
        case heard
        /// The delivery is held for the given reason. Reported once.
        case held(ReportHold)
        /// Give up the rest of this earlier ledger, because the peer keeps reporting that another connection
        /// writes it. The next ledger is delivered after that.
        case giveUp
        /// The delivery is no longer held and continues.
        case released
        /// The peer has the given point, which this gate signed, but the ledger does not contain it: the
        /// ledger was restored from an older state or rewritten.
        case behind(ReportPoint)
        /// The peer claims the given point without proof that the ledger ever contained it. The ledger does
        /// not contain it.
        case claimed(ReportPoint)
        /// The peer's statement about the ledger agrees with the ledger again.
        case agreed
        /// A statement of the peer was refused, for the given reason.
        case discarded(ReportError)
    }
}
