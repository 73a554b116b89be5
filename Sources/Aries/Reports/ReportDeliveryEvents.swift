package import Encoding

/// Why the delivery pauses although the peer's server is reachable.
package enum ReportHold: Hashable, Sendable {
    /// The peer answers pings but confirms nothing.
    case unconfirmed
    /// The peer reports that it cannot store entries at present.
    case notStored
    /// The peer reports that another connection writes this ledger.
    case foreign
    /// The peer does not know the protocol that the configuration requires.
    case unknownProtocol
    /// The peer's server accepts pings but refuses every entry. No further entry is skipped.
    case refused
    /// The peer reports another problem, with the given code of its own (at most 128 bytes).
    case problem(Text)
}

extension ReportDelivery {
    /// An event for a delivery.
    package enum Event: Hashable, Sendable {
        /// A connection to the destination may now be used: its handshake is complete, or an earlier connection is used
        /// again.
        case connected
        /// The ledger now ends at `end`. `isUrgent`: whether the new entries must be sent at once, because one of them
        /// records a rejection or a failure.
        case available(end: ReportPoint, isUrgent: Bool)
        /// The result of ``Action/read(after:entries:bytes:reports:)``: entries in the order of the ledger, or an empty
        /// list if none can be read.
        case entries([ReportEntry])
        /// The result of ``Action/look(_:)``: the hash of the ledger's entry at position `at`; nil if the ledger no
        /// longer has that entry.
        case hash([UInt8]?, at: Int)
        /// The peer's server accepted the message with the given id (HTTP 2xx). This confirms nothing.
        case sent(Text)
        /// The message with the given id could not be sent. If the server refused it, the next message is smaller;
        /// otherwise the same entries are sent again. A connection that repeats failed messages by itself need not
        /// report such failures.
        case failed(Text, ExchangeFailure)
        /// The peer's server accepted the gate's ping with the given id.
        case pinged(Text)
        /// The peer answered the gate's ping with the given id.
        case pong(Text)
        /// The peer confirmed that it has stored every entry up to the given point. `signed`: the gate's head that the
        /// peer returned with it; nil if it returned none or this gate did not sign it.
        case receipt(ReportPoint, signed: ReportPoint? = nil)
        /// The peer stated that its last entry is at the given point. `signed`: the gate's head that the peer returned
        /// with it; nil if it returned none or this gate did not sign it.
        case head(ReportPoint, signed: ReportPoint? = nil)
        /// The controller acknowledged the reports or messages with the given ids.
        case acknowledged([Text])
        /// The peer answered the query for its protocols with the given list.
        case disclosed([ProtocolName])
        /// The peer reported a problem with the code `code`, about the message whose thread is `thread`.
        case problem(code: Text, thread: Text)
        /// Make the next attempt without waiting, because the network works again or an operator asks for it.
        case retryNow
        /// The time of ``ReportDelivery/deadline`` is reached.
        case deadlineReached
    }

    /// The actions of a delivery. The driver carries them out in the order in which they are returned.
    package enum Action: Hashable, Sendable {
        /// Read entries from the ledger after the position `after`: at most `entries` of them, with about `bytes` bytes
        /// in total. `reports`: whether to read the report of each entry, too. Return them with ``Event/entries(_:)``.
        case read(after: Int, entries: Int, bytes: Int, reports: Bool)
        /// Look up the hash of the ledger's entry at the given position, and return it with ``Event/hash(_:at:)``.
        case look(Int)
        /// Send the given message. No further message is sent before ``Event/sent(_:)`` or ``Event/failed(_:_:)``
        /// reports its result.
        case send(OutboundMessage)
        /// Ping the peer.
        case ping
        /// Move the destination's stored cursor to the given point. `by`: what confirmed the entries; nil if they are
        /// skipped. If it is a receipt, store the receipt, too.
        case confirmed(ReportPoint, by: ReportWay.Proof?)
        /// The peer refuses the entry at the given position even in a message of its own. The next ``confirmed(_:by:)``
        /// moves the cursor past this entry, so the peer never receives it.
        case setAside(Int)
        /// The ledger no longer has the entries at these positions, so the peer cannot receive them. Each position is
        /// reported once.
        case gone(ClosedRange<Int>)
        /// The peer has lost the entries after the position `after`, although it had sent receipts for them. The
        /// delivery sends them again.
        case refill(after: Int)
        /// From now on reports are sent in the given form and confirmed by the given proof.
        case found(ReportWay)
        /// The peer does not answer pings. No entries are sent until it answers one.
        case silent
        /// The peer, which had not answered pings, has answered one.
        case heard
        /// The delivery pauses for the given reason. A reason is reported once, until another reason follows or the
        /// delivery continues.
        case held(ReportHold)
        /// Give up the rest of this earlier ledger, because the peer keeps reporting that another connection writes it,
        /// and deliver the next ledger.
        case giveUp
        /// The delivery, which had paused, continues.
        case released
        /// The peer has the given point with this gate's signature, but the ledger does not contain it. So the ledger
        /// was restored from an older state or rewritten.
        case behind(ReportPoint)
        /// The peer claims the given point, which the ledger does not contain. Nothing proves that the ledger ever
        /// contained it.
        case claimed(ReportPoint)
        /// The peer's last statement about the ledger agrees with the ledger, which ends the earlier ``claimed(_:)``.
        case agreed
        /// A message of the peer about the ledger was ignored, for the given reason.
        case discarded(ReportError)
    }
}
