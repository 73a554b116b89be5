import Encoding

/// Requests a faster connection from the phone and, after a refusal, once more with a wider range (Core Specification
/// Vol 3 Part A 4.20).
///
/// Nothing depends on the answer, so the requester needs no timeout. Without an answer, the requester sends no further
/// request.
struct ConnectionParameterRequester: Sendable {
    private enum State {
        case idle
        case asked(identifier: UInt8)
        case done
    }

    private var attempts: ArraySlice<PreferredConnectionParameters>
    private var identifier: UInt8 = 0
    private var state: State = .idle

    /// Creates a requester that tries `attempts` in order.
    init(attempts: [PreferredConnectionParameters]) {
        self.attempts = attempts[...]
    }

    /// Returns the first request; nil if it was already sent or the connection is already fast enough.
    mutating func begin(current: ConnectionParameters) -> LESignal? {
        guard case .idle = state else { return nil }
        state = .done
        if let first = attempts.first, current.interval <= first.maximumInterval, current.latency <= first.latency {
            return nil
        }
        return ask()
    }

    /// Handles the phone's answer or Command Reject. Returns the next request after a refusal; otherwise nil.
    mutating func answered(_ signal: LESignal) -> LESignal? {
        guard case .asked(identifier) = state, signal.identifier == identifier else { return nil }
        state = .done
        // Result 0 accepts, result 1 refuses. A Command Reject makes a second request pointless (Vol 3 Part A 4.20,
        // 4.21).
        guard signal.code == LESignal.parameterUpdateResponse, signal.data.elementsEqual([0x01, 0x00]) else {
            return nil
        }
        return ask()
    }

    private mutating func ask() -> LESignal? {
        guard let wish = attempts.popFirst() else { return nil }
        identifier = identifier % 255 + 1
        state = .asked(identifier: identifier)
        var data: [UInt8] = []
        data.appendLE(wish.minimumInterval)
        data.appendLE(wish.maximumInterval)
        data.appendLE(wish.latency)
        data.appendLE(wish.supervisionTimeout)
        return LESignal(code: LESignal.parameterUpdateRequest, identifier: identifier, data: data)
    }
}
