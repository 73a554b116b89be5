import BluetoothHost
import Encoding
import Reasons
import Tuvali

/// The conditions under which a visit keeps its place: a place is for a phone that makes progress.
extension Visit {
    /// How far the visit has come, as the light shows it.
    enum Progress: Int, Comparable, Sendable {
        case nothing, choosing, receiving, checking

        static func < (left: Progress, right: Progress) -> Bool { left.rawValue < right.rawValue }

        var pattern: IndicatorPattern {
            switch self {
            case .nothing: .ready
            case .choosing: .connected
            case .receiving: .receiving
            case .checking: .checking
            }
        }
    }

    /// The progress that the light shows. A link alone counts as nothing, because every phone in range can establish a
    /// link.
    var progress: Progress {
        switch stage {
        case .verifying, .verified, .ready: .checking
        case .over: .nothing
        case .transferring: isAnnounced ? .receiving : identifiedAt == nil ? .nothing : .choosing
        }
    }

    /// The time that a new chunk adds to the phone's time limit, see ``givesWay(choice:link:)``: ten connection
    /// intervals, at most half a second. An old phone that sends two packets of 27 bytes in each interval needs that
    /// time for a chunk. If a third of the packets are lost, such a phone transfers 8 KB before it is late by
    /// ``KioskSettings/idleLimit``. If the radio carries only one phone, the limit is two seconds, because no phone is
    /// known to wait.
    var chunkWorth: Duration { min(interval * 10, isAlone ? .seconds(2) : .milliseconds(500)) }
    /// The time after the announcement of a transfer in which new chunks extend the phone's time limit.
    static let longestTransfer: Duration = .seconds(15)

    /// Returns when the phone must leave for a waiting phone, in the present state; nil if it need not leave, because
    /// the gate is checking its payload or is ending its link. `choice`: how long a visitor may choose; `link`: the
    /// state of the link.
    ///
    /// The phone must send something within ``LinkState/silence``, and must acknowledge its packets within the same
    /// time. It must also make progress within a time limit. Progress is the connection, the identification and the
    /// announcement of a transfer, each the first time, and the verdict. A chunk that is received for the first time
    /// extends the limit by ``chunkWorth``, so a phone that sends more slowly falls behind. Nothing else counts as
    /// progress, whatever the phone requests or repeats.
    func givesWay(choice: Duration, link: LinkState?) -> Instant? {
        if isLeaving { return nil }
        let limit: Instant
        switch stage {
        case .verifying, .verified, .ready: return nil
        case .over(let since): limit = since.advanced(by: settings.idleLimit)
        case .transferring where isAnnounced: limit = wentOn.advanced(by: settings.idleLimit)
        case .transferring where identifiedAt != nil: limit = wentOn.advanced(by: choice)
        case .transferring: limit = wentOn.advanced(by: max(settings.identifyLimit, min(interval * 100, choice)))
        }
        guard let link else { return limit }
        let silentSince = link.hasSpoken ? link.unacknowledgedSince : began
        return silentSince.map { min(limit, $0.advanced(by: link.silence)) } ?? limit
    }

    /// Ends a visit that makes no progress, to free its place for another phone.
    mutating func makeRoom(at now: Instant) -> [Request] {
        let codes =
            announcedAt == nil
            ? [.transferDisconnected, identifiedAt == nil ? .transferNotIdentified : .transferNothingSent]
            : TuvaliError.transferTooLong.reasons
        return fail(codes, at: now) + leave(at: now)
    }

    /// Ends a visit whose wallet key was used before: a replayed recording.
    mutating func refuse(at now: Instant) -> [Request] {
        fail(TuvaliError.identifiedAgain.reasons, at: now) + leave(at: now)
    }
}

extension LinkState {
    /// The time within which a phone in range certainly sends something and acknowledges its packets: 16
    /// connection intervals, from 1 to 2 s.
    var silence: Duration { min(max(parameters.time * 16, .seconds(1)), .seconds(2)) }
}
