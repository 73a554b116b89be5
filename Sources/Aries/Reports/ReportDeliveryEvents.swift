package import Encoding

/// Why nothing goes on although the peer's server is there.
package enum ReportHold: Hashable, Sendable {
    /// The peer answers pings and confirms nothing.
    case unconfirmed
    /// The peer says that it cannot store at present.
    case notStored
    /// The peer says that another connection writes this ledger.
    case foreign
    /// The peer does not know the protocol that the configuration asks for.
    case unknownProtocol
    /// The peer's server takes pings and refuses one entry after the other: nothing further is passed over.
    case refused
    /// Another problem, by the peer's code (at most 128 bytes).
    case problem(Text)
}

extension ReportDelivery {
    /// What happens to a delivery.
    package enum Event: Sendable {
        /// The handshake is done, or a connection that was is used again.
        case connected
        /// The ledger ends there now; urgent when a rejection or failure was recorded.
        case available(end: ReportPoint, isUrgent: Bool)
        /// The answer to ``Action/read(after:entries:bytes:reports:)``, in the ledger's order; empty when nothing can be read.
        case entries([ReportEntry])
        /// The answer to ``Action/look(_:)``: the hash of our entry at that position, nil when it is not kept.
        case hash([UInt8]?, at: Int)
        /// The peer's server took the message of that id (HTTP 2xx), which confirms nothing.
        case sent(Text)
        /// The message of that id did not get through. What a server refused is made smaller; anything else is sent
        /// again, so a connection that repeats it by itself need not tell.
        case failed(Text, ExchangeFailure)
        /// The peer's server took our ping of that id.
        case pinged(Text)
        /// The peer answered our ping of that id.
        case pong(Text)
        /// The peer stored what was sent. `signed`: the head that it gave back, if this box signed that.
        case receipt(ReportPoint, signed: ReportPoint? = nil)
        /// The last entry that the peer has. `signed`: the head that it gave back, if this box signed that.
        case head(ReportPoint, signed: ReportPoint? = nil)
        /// The controller has these reports or messages.
        case acknowledged([Text])
        /// The protocols that the peer speaks, of those that were asked for.
        case disclosed([ProtocolName])
        /// The peer's problem with the message of that thread.
        case problem(code: Text, thread: Text)
        /// Do not wait for the next attempt: the network came back, or an operator asks.
        case retryNow
        /// The time of ``ReportDelivery/deadline`` is there.
        case deadlineReached
    }

    /// What the driver has to do, in this order.
    package enum Action: Hashable, Sendable {
        /// Read entries from behind that position on, at most so many of together about so many bytes; with their reports, or
        /// with nil in their place.
        case read(after: Int, entries: Int, bytes: Int, reports: Bool)
        /// Look up the hash of the entry at that position.
        case look(Int)
        /// Send this message; the next one comes after ``Event/sent(_:)`` or ``Event/failed(_:_:)``.
        case send(OutboundMessage)
        /// Ping the peer.
        case ping
        /// The cursor moves to that place, for good. A receipt is to be kept. `by` is nil for entries that were passed over.
        case confirmed(ReportPoint, by: ReportWay.Proof?)
        /// The entry at that position alone is refused by the peer's server; it is passed over, which the ``confirmed(_:by:)`` that
        /// follows makes so: with it the entry is lost to the peer.
        case setAside(Int)
        /// Entries at these positions are not kept any more, and the peer does not have them; told once.
        case gone(ClosedRange<Int>)
        /// The peer has lost entries behind that position which it had given receipts for; they are sent again.
        case refill(after: Int)
        /// How reports go from now on.
        case found(ReportWay)
        /// The peer answers no ping: nothing is sent until it does.
        case silent
        /// The silent peer answered.
        case heard
        /// Nothing goes on, for that reason; told once.
        case held(ReportHold)
        /// Give up the rest of this earlier ledger: the peer keeps saying that another connection writes it. The next
        /// ledger waits for that.
        case giveUp
        /// It goes on.
        case released
        /// The peer has this place, which this box signed, and the ledger does not contain it: the ledger was put back
        /// or rewritten.
        case behind(ReportPoint)
        /// The peer says that it has this place, which the ledger does not contain, and nothing shows that it ever did.
        case claimed(ReportPoint)
        /// What the peer says it has agrees with the ledger again.
        case agreed
        /// What the peer said was refused.
        case discarded(ReportError)
    }
}
