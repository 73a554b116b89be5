import Encoding

/// The registered dates of a JWT (RFC 7519 section 4.1): `exp`, `nbf` and `iat`, seconds since the epoch as JSON numbers.
struct TokenDates {
    let validFrom: Timestamp?
    let validUntil: Timestamp?
    /// Nil under the compat profile when it is no number, which some issuers write.
    let issued: Timestamp?

    /// Shape stage; `shape.dates` for a date that is no number, or none that a clock could ever show.
    init(_ claims: JSONObject, profile: Profile) throws(Rejection) {
        validFrom = try Self.date(claims, "nbf")
        validUntil = try Self.date(claims, "exp")
        do throws(Rejection) {
            issued = try Self.date(claims, "iat")
        } catch {
            guard profile == .compat else { throw error }
            issued = nil
        }
    }

    /// What the token states of its own issue.
    var issue: [Timestamp] { [issued, validFrom].compactMap(\.self) }

    private static func date(_ claims: JSONObject, _ name: Text) throws(Rejection) -> Timestamp? {
        guard let member = claims[name] else { return nil }
        guard let number = member.number, let date = Timestamp(numericDate: number) else {
            throw Rejection(.shapeDates, at: Pointer.append("", name))
        }
        return date
    }
}

extension Timestamp {
    /// A NumericDate (RFC 7519 section 2), which may have a fraction; nil beyond ±2⁵³ seconds.
    init?(numericDate number: JSONNumber) {
        let bound = 1 << 53
        if let seconds = number.int {
            guard (-bound...bound).contains(seconds) else { return nil }
            self.init(seconds: Int64(seconds))
            return
        }
        let seconds = number.double
        guard seconds.magnitude <= Double(bound) else { return nil }
        let whole = seconds.rounded(.down)
        // A tiny negative number leaves a fraction that rounds to one.
        let fraction = min(((seconds - whole) * 1e9).rounded(.down), 999_999_999)
        self.init(seconds: Int64(whole), nanoseconds: Int32(fraction))
    }

    /// Whether an xsd:dateTime can write it: years 0000 to 9999.
    var isWritable: Bool { (-62_167_219_200...253_402_300_799).contains(seconds) }
}
