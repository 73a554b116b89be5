import Encoding
import Mailboxes
import Settings

/// The search for a sponsor's token: when the gate looks for a token, and which token the agency got last.
/// The search is a value and independent of the mailbox.
///
/// The waits between requests to a server grow. So neither the server nor the agency gets requests without
/// end when the agency cannot use the server's tokens.
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

    /// Records that the agency asks for a token other than those it was given.
    mutating func want() { isWanted = true }

    /// Ends the search: the agency has provided an agent.
    mutating func end() { (isWanted, looks, due, failure) = (false, 0, nil, nil) }

    /// Makes the next attempt due at once.
    mutating func retryNow() { due = nil }

    /// Returns whether to look for a token now. If so, this counts as an attempt.
    mutating func begin(at now: Instant) -> Bool {
        guard isWanted, due.map({ now >= $0 }) ?? true else { return false }
        due = now.advanced(by: min(longest, pause * (1 << min(looks, 16))))
        looks += 1
        return true
    }

    /// Takes the result of an attempt. Returns the token if the agency is to get it: the previous token is of
    /// no use.
    mutating func take(_ token: ProvisionToken?) -> ProvisionToken? {
        failure = nil
        guard isWanted, let token, token != last else { return nil }
        (isWanted, last) = (false, token)
        return token
    }

    /// Takes the failure of an attempt. Returns whether it is to be reported.
    mutating func take(_ failure: TokenSource.Failure) -> Bool {
        defer { self.failure = failure }
        return self.failure != failure
    }
}
