package import Encoding

/// Functions that check IRIs (RFC 3987) and resolve references (RFC 3986 section 5.2).
package enum IRI {
    /// Returns whether `text` begins with a scheme and a colon.
    package static func hasScheme(_ text: Text) -> Bool { schemeLength(text.string.utf8[...]) != nil }

    /// Returns whether `text` may occur as an IRI in an RDF dataset: it has a scheme and is well-formed by RFC 3987
    /// section 2.2.
    ///
    /// For nearly all IRIs it is enough to examine each byte by itself. An IRI with bytes that are valid only in
    /// certain places is checked completely (``IRIForm``).
    package static func isWellFormed(_ text: Text) -> Bool {
        guard hasScheme(text) else { return false }
        // Read the static table once, because a read for each byte would be slow.
        let forms = forms
        return text.withBytes { bytes in
            var (needsCloserLook, marks) = (false, 0)
            for byte in bytes {
                switch forms[Int(byte)] {
                case 0: continue
                case 1: needsCloserLook = true
                case 2: marks += 1
                default: return false
                }
            }
            return marks < 2 && (!needsCloserLook || IRIForm.isWellFormed(text))
        }
    }

    /// The form of each byte value: 0 is valid anywhere in an IRI, 1 only in certain places, 2 at most once, 3 nowhere.
    private static let forms: [UInt8] = (0...UInt8.max).map { byte in
        switch byte {
        case 0...0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"),
            UInt8(ascii: "|"), UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"), 0x7F:
            3
        case UInt8(ascii: "#"): 2
        case UInt8(ascii: "%"), UInt8(ascii: "["), UInt8(ascii: "]"), 0x80...: 1
        default: 0
        }
    }

    /// Resolves `reference` against `base` (RFC 3986 section 5.2.2, strict). A base without a scheme is accepted, too.
    package static func resolve(_ reference: Text, against base: Text) -> Text {
        var target = Parts(reference)
        if target.scheme != nil {
            target.path = withoutDots(target.path)
            return target.text
        }
        let base = Parts(base)
        if target.authority == nil {
            if target.path.isEmpty {
                target.path = base.path
                if target.query == nil { target.query = base.query }
            } else if target.path.first == UInt8(ascii: "/") {
                target.path = withoutDots(target.path)
            } else {
                target.path = withoutDots(merge(base, target.path))
            }
            target.authority = base.authority
        } else {
            target.path = withoutDots(target.path)
        }
        target.scheme = base.scheme
        return target.text
    }

    private static func schemeLength(_ text: Substring.UTF8View) -> Int? {
        guard let first = text.first, isLetter(first) else { return nil }
        var length = 0
        for byte in text {
            if byte == UInt8(ascii: ":") { return length }
            guard isLetter(byte) || isDigit(byte) || "+-.".utf8.contains(byte) else { return nil }
            length += 1
        }
        return nil
    }

    /// Returns whether a byte is an ASCII letter.
    package static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Returns whether a byte is an ASCII digit.
    package static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Merges paths (RFC 3986 section 5.2.3).
    private static func merge(_ base: Parts, _ path: Substring.UTF8View) -> Substring.UTF8View {
        if base.authority != nil, base.path.isEmpty { return ("/" + (String(path) ?? ""))[...].utf8 }
        guard let slash = base.path.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return ((String(base.path[...slash]) ?? "") + (String(path) ?? ""))[...].utf8
    }

    /// Removes the segments `.` and `..` from a path (RFC 3986 section 5.2.4).
    private static func withoutDots(_ path: Substring.UTF8View) -> Substring.UTF8View {
        guard path.contains(UInt8(ascii: ".")) else { return path }
        let rooted = path.first == UInt8(ascii: "/")
        var output: [Substring.UTF8View] = []
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst(
            rooted ? 1 : 0)
        for (offset, segment) in segments.enumerated() {
            let isLast = offset == segments.count - 1
            let (single, double) = (segment.elementsEqual(".".utf8), segment.elementsEqual("..".utf8))
            if double, !output.isEmpty { output.removeLast() }
            if !single, !double { output.append(segment) } else if isLast { output.append(""[...].utf8) }
        }
        let joined = output.map { String($0) ?? "" }.joined(separator: "/")
        return ((rooted ? "/" : "") + joined)[...].utf8
    }

    /// The five components of an IRI reference (RFC 3986 appendix B). Nil: the component is absent.
    private struct Parts {
        var scheme: Substring.UTF8View?
        var authority: Substring.UTF8View?
        var path: Substring.UTF8View
        var query: Substring.UTF8View?
        var fragment: Substring.UTF8View?

        init(_ text: Text) {
            var rest = text.string.utf8[...]
            if let length = schemeLength(rest) {
                scheme = rest.prefix(length)
                rest = rest.dropFirst(length + 1)
            }
            if let mark = rest.firstIndex(of: UInt8(ascii: "#")) {
                fragment = rest[rest.index(after: mark)...]
                rest = rest[..<mark]
            }
            if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
                query = rest[rest.index(after: mark)...]
                rest = rest[..<mark]
            }
            if rest.starts(with: "//".utf8) {
                rest = rest.dropFirst(2)
                let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
                authority = rest[..<end]
                rest = rest[end...]
            }
            path = rest
        }

        var text: Text {
            var output = ""
            func append(_ before: String, _ part: Substring.UTF8View?, _ after: String = "") {
                guard let part else { return }
                output += before + (String(part) ?? "") + after
            }
            append("", scheme, ":")
            append("//", authority)
            append("", path)
            append("?", query)
            append("#", fragment)
            return Text(output)
        }
    }
}
