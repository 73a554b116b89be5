import Encoding
import Reasons

/// The registered dates of a JWT (RFC 7519 section 4.1): `exp`, `nbf` and `iat`, in seconds since the epoch.
struct TokenDates {
    let validFrom: Timestamp?
    let validUntil: Timestamp?
    /// The date of issue. Under the compat profile, the date is nil if it is not a number, because some issuers write
    /// other values.
    let issued: Timestamp?

    /// Runs the shape stage. Throws `shape.dates` for a date that is not a number or is out of range.
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

    /// The dates that the token states for its issue: `iat` and `nbf`.
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
    /// Reads a NumericDate (RFC 7519 section 2), which may have a fraction. Returns nil beyond ±2⁵³ seconds.
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
        // Limit the fraction: for a tiny negative number the fraction rounds to 1.
        let fraction = min(((seconds - whole) * 1e9).rounded(.down), 999_999_999)
        self.init(seconds: Int64(whole), nanoseconds: Int32(fraction))
    }

    /// Whether an xsd:dateTime can represent the date: years 0000 to 9999.
    var isWritable: Bool { (-62_167_219_200...253_402_300_799).contains(seconds) }
}
