import Aries
import Encoding

/// When a sponsor's token is looked for, and which one the agency was given last: a value beside the mailbox.
///
/// What is looked for at a server comes with growing waits, so that neither it nor the agency is asked for ever when the one's
/// tokens are of no use to the other.
struct TokenSearch {
    private let pause: Duration
    private let longest: Duration
    private var isWanted = false
    private var looks = 0
    private var due: Instant?
    private var last: ProvisionToken?
    private var failure: TokenSource.Failure?

    /// The wait after a look begins with `pause`, is doubled from look to look, and never exceeds `longest`.
    init(pause: Duration, longest: Duration) { (self.pause, self.longest) = (pause, longest) }

    /// The agency asks for a token that it was not given yet.
    mutating func want() { isWanted = true }

    /// The agency has given us an agent.
    mutating func end() { (isWanted, looks, due, failure) = (false, 0, nil, nil) }

    /// Do not wait for the next look.
    mutating func retryNow() { due = nil }

    /// Whether to look now, which counts as a look.
    mutating func begin(at now: Instant) -> Bool {
        guard isWanted, due.map({ now >= $0 }) ?? true else { return false }
        due = now.advanced(by: min(longest, pause * (1 << min(looks, 16))))
        looks += 1
        return true
    }

    /// What a look brought. Returns the token when it is to be given to the agency: the one of before is of no use.
    mutating func take(_ token: ProvisionToken?) -> ProvisionToken? {
        failure = nil
        guard isWanted, let token, token != last else { return nil }
        (isWanted, last) = (false, token)
        return token
    }

    /// A look failed; whether that is to be told.
    mutating func take(_ failure: TokenSource.Failure) -> Bool {
        defer { self.failure = failure }
        return self.failure != failure
    }
}
