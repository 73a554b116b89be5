import BluetoothHost
import Credentials
import Encoding
import Tuvali

/// What a visit does with its place: one is for a phone that goes on.
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

    /// Whether its link is being ended: it takes no place any more.
    var isLeaving: Bool { session.isLeaving }

    /// What the light shows of it. A mere connection is nothing: whoever is in range can make one.
    var progress: Progress {
        switch stage {
        case .verifying, .verified, .ready: .checking
        case .over: .nothing
        case .transferring: isAnnounced ? .receiving : identifiedAt == nil ? .nothing : .choosing
        }
    }

    /// What a chunk is worth, see ``givesWay(choice:link:)``: ten connection intervals, as long as an old phone takes
    /// that sends two packets of 27 bytes in each, and half a second at most. Where a third of the packets are lost
    /// such a phone brings 8 KB before it is behind by ``KioskSettings/idleLimit``. Where the radio carries one phone
    /// alone it is two seconds at most: no phone is known to wait.
    var chunkWorth: Duration { min(interval * 10, isAlone ? .seconds(2) : .milliseconds(500)) }
    /// How long chunks count, from the announcement on.
    static let longestTransfer: Duration = .seconds(15)

    /// When the phone gives way to one that waits, as things are; nil: not at all, as the gate is at work for it or
    /// ends the link. `choice`: how long a person may choose; `link`: how its link is.
    ///
    /// It speaks within ``LinkState/silence``, and acknowledges what it is sent within that. It has some time to go on.
    /// It goes on when it connects, identifies itself, announces a transfer, each for the first time, and with its
    /// verdict. A chunk that was not there before is worth ``chunkWorth``, so a phone that sends slower falls behind.
    /// Nothing else counts, whatever it asks or repeats.
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

    /// Ends a visit that brings nothing, for one that may.
    mutating func makeRoom(at now: Instant) -> [Request] {
        let codes =
            announcedAt == nil
            ? [.transferDisconnected, identifiedAt == nil ? .transferNotIdentified : .transferNothingSent]
            : TuvaliError.transferTooLong.reasons
        return fail(codes, at: now) + leave(at: now)
    }

    /// Ends a visit whose wallet key was here before: a recording that is played again.
    mutating func refuse(at now: Instant) -> [Request] {
        fail(TuvaliError.identifiedAgain.reasons, at: now) + leave(at: now)
    }
}

extension LinkState {
    /// A phone that is in range says something sooner, and acknowledges what it is sent sooner: 16 connection
    /// intervals, from 1 to 2 s.
    var silence: Duration { min(max(parameters.time * 16, .seconds(1)), .seconds(2)) }
}
