import BluetoothHost
import Credentials
import Encoding
import Tuvali

/// What a visit may claim of the table: a place is for those who bring something.
extension Visit {
    /// Who makes room first.
    enum Claim: Int, Comparable, Sendable {
        /// Its like keep coming without identifying.
        case suspect
        /// Connected, and not a word.
        case mute
        /// It has said something, and has not identified.
        case unidentified
        /// It has its verdict and stays.
        case told
        /// Slower than any honest phone on such a link.
        case slow
        /// Somebody chooses, for long.
        case choosing

        static func < (left: Claim, right: Claim) -> Bool { left.rawValue < right.rawValue }
    }

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

    /// From when on the visit makes room for another phone, as it stands; nil: not at all. `hasSpoken`: its phone has said anything;
    /// `isSuspect`: its like keep coming in vain. That changes the order, and shortens nothing but silence. `isIdle`: its like keep
    /// bringing nothing. Such a phone has less time to choose and to send.
    func yields(hasSpoken: Bool, isSuspect: Bool, isIdle: Bool) -> (claim: Claim, at: Instant)? {
        if isLeaving { return nil }
        let limits = settings.crowd
        switch stage {
        case .verifying, .verified, .ready: return nil
        case .over(let since): return (.told, since.advanced(by: limits.told))
        case .transferring: break
        }
        guard let identifiedAt else {
            let time = hasSpoken ? limits.unidentified : isSuspect ? limits.suspectMute : limits.mute
            return (isSuspect ? .suspect : hasSpoken ? .unidentified : .mute, began.advanced(by: time))
        }
        guard let pace else {
            return (.choosing, identifiedAt.advanced(by: isIdle ? limits.suspectChoosing : limits.choosing))
        }
        return (.slow, isIdle ? pace.suspect : pace.usual)
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
