import Encoding
import Mailboxes
import Settings

/// The search for a sponsor's token: when the gate asks the sponsor's server for one, and which token the agency got
/// last. The search does not depend on the mailbox.
///
/// The waits between the requests to the sponsor's server grow. If the agency does not accept the server's tokens,
/// neither of them gets requests without end.
struct TokenSearch {
    private let pause: Duration
    private let longest: Duration
    private var isWanted = false
    private var looks = 0
    private var due: Instant?
    private var last: ProvisionToken?
    private var failure: TokenSource.Failure?

    /// Creates a search. The wait after an attempt begins with `pause`, doubles with each attempt, and never
    /// exceeds `longest`.
    init(pause: Duration, longest: Duration) { (self.pause, self.longest) = (pause, longest) }

    /// Records that the agency asks for a token, and has not accepted the last one, if there was one.
    mutating func want() { isWanted = true }

    /// Ends the search: the agency has provided an agent.
    mutating func end() { (isWanted, looks, due, failure) = (false, 0, nil, nil) }

    /// Makes the next attempt due now.
    mutating func retryNow() { due = nil }

    /// Returns whether to ask the server for a token now. If so, counts the attempt.
    mutating func begin(at now: Instant) -> Bool {
        guard isWanted, due.map({ now >= $0 }) ?? true else { return false }
        due = now.advanced(by: min(longest, pause * (1 << min(looks, 16))))
        looks += 1
        return true
    }

    /// Handles the result of an attempt. Returns the token if the agency is to get it; nil if there is none, or if it
    /// is the token that the agency got last.
    mutating func take(_ token: ProvisionToken?) -> ProvisionToken? {
        failure = nil
        guard isWanted, let token, token != last else { return nil }
        (isWanted, last) = (false, token)
        return token
    }

    /// Handles the failure of an attempt. Returns whether to report it: a repeated failure is not reported.
    mutating func take(_ failure: TokenSource.Failure) -> Bool {
        defer { self.failure = failure }
        return self.failure != failure
    }
}
