import Encoding

/// Requests a faster connection from the phone, and once more with a wider range if the phone refuses (Core
/// Specification Vol 3 Part A 4.20).
///
/// The phone may refuse. Nothing depends on its answer, so the requester needs no timeout. Without an answer,
/// it sends no further request.
struct ConnectionParameterRequester: Sendable {
    private enum State {
        case idle
        case asked(identifier: UInt8)
        case done
    }

    private var attempts: ArraySlice<PreferredConnectionParameters>
    private var identifier: UInt8 = 0
    private var state: State = .idle

    /// Creates a requester that tries `attempts` in their order.
    init(attempts: [PreferredConnectionParameters]) {
        self.attempts = attempts[...]
    }

    /// Returns the first request; nil if it was already sent or if the connection is already as fast as
    /// wanted.
    mutating func begin(current: ConnectionParameters) -> LESignal? {
        guard case .idle = state else { return nil }
        state = .done
        if let first = attempts.first, current.interval <= first.maximumInterval, current.latency <= first.latency {
            return nil
        }
        return ask()
    }

    /// Takes the phone's answer, or its Command Reject; returns the next request after a refusal.
    mutating func answered(_ signal: LESignal) -> LESignal? {
        guard case .asked(identifier) = state, signal.identifier == identifier else { return nil }
        state = .done
        // Result 0 accepts, result 1 refuses. A Command Reject means that a second request is pointless (Vol
        // 3 Part A 4.20, 4.21).
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
