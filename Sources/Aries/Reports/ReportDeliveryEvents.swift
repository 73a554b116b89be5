package import Encoding

/// Why the delivery is held although the peer's server is reachable.
package enum ReportHold: Hashable, Sendable {
    /// The peer answers pings and confirms nothing.
    case unconfirmed
    /// The peer says that it cannot store at present.
    case notStored
    /// The peer says that another connection writes this ledger.
    case foreign
    /// The peer does not know the protocol that the configuration requires.
    case unknownProtocol
    /// The peer's server accepts pings and refuses one entry after another: nothing more is passed over.
    case refused
    /// Another problem, by the peer's code (at most 128 bytes).
    case problem(Text)
}

extension ReportDelivery {
    /// An event for a delivery.
    package enum Event: Sendable {
        /// The handshake is complete, or an earlier connection is used again.
        case connected
        /// The end of the ledger now; urgent if a rejection or failure was recorded.
        case available(end: ReportPoint, isUrgent: Bool)
        /// The answer to ``Action/read(after:entries:bytes:reports:)``, in the ledger's order; empty if
        /// nothing can be read.
        case entries([ReportEntry])
        /// The answer to ``Action/look(_:)``: the hash of the gate's entry at that position; nil if it is not
        /// kept.
        case hash([UInt8]?, at: Int)
        /// The peer's server accepted the message of that id (HTTP 2xx), which confirms nothing.
        case sent(Text)
        /// The message of that id failed. A message that a server refused is made smaller. Any other is sent
        /// again, so a connection that repeats it by itself need not report this.
        case failed(Text, ExchangeFailure)
        /// The peer's server accepted the gate's ping of that id.
        case pinged(Text)
        /// The peer answered the gate's ping of that id.
        case pong(Text)
        /// The peer stored what was sent. `signed`: the head that it returned, if this gate signed it.
        case receipt(ReportPoint, signed: ReportPoint? = nil)
        /// The last entry that the peer has. `signed`: the head that it returned, if this gate signed it.
        case head(ReportPoint, signed: ReportPoint? = nil)
        /// The controller has these reports or messages.
        case acknowledged([Text])
        /// The protocols that the peer speaks, among those that were asked for.
        case disclosed([ProtocolName])
        /// The peer reported a problem with the message of that thread.
        case problem(code: Text, thread: Text)
        /// Start the next attempt at once: the network is up again, or an operator asks.
        case retryNow
        /// The time of ``ReportDelivery/deadline`` is reached.
        case deadlineReached
    }

    /// The actions of a delivery, which its driver carries out in this order.
    package enum Action: Hashable, Sendable {
        /// Read the entries after that position: at most `entries` of them, of about `bytes` bytes in total,
        /// with their reports or with nil in their place.
        case read(after: Int, entries: Int, bytes: Int, reports: Bool)
        /// Look up the hash of the entry at that position.
        case look(Int)
        /// Send this message. The next one follows after ``Event/sent(_:)`` or ``Event/failed(_:_:)``.
        case send(OutboundMessage)
        /// Ping the peer.
        case ping
        /// The cursor moves to that point permanently. A receipt is to be kept. `by` is nil for entries that
        /// were passed over.
        case confirmed(ReportPoint, by: ReportWay.Proof?)
        /// The peer's server refuses the entry at that position on its own. The ``confirmed(_:by:)`` that
        /// follows passes over the entry: the peer never gets it.
        case setAside(Int)
        /// The entries at these positions are no longer kept, and the peer does not have them; reported once.
        case gone(ClosedRange<Int>)
        /// The peer has lost entries after that position, for which it had sent receipts. They are sent
        /// again.
        case refill(after: Int)
        /// The form and the proof of reports from now on.
        case found(ReportWay)
        /// The peer answers no ping. Nothing is sent until it does.
        case silent
        /// The silent peer answered.
        case heard
        /// The delivery is held, for that reason; reported once.
        case held(ReportHold)
        /// Give up the rest of this earlier ledger: the peer keeps reporting that another connection writes
        /// it. The next ledger is delivered after that.
        case giveUp
        /// The delivery continues.
        case released
        /// The peer has this point, which this gate signed, and the ledger does not contain it: the ledger
        /// was restored from an older state or rewritten.
        case behind(ReportPoint)
        /// The peer claims this point, which the ledger does not contain, without proof that it ever did.
        case claimed(ReportPoint)
        /// The peer's statement about the ledger agrees with the ledger again.
        case agreed
        /// A statement of the peer was refused.
        case discarded(ReportError)
    }
}
