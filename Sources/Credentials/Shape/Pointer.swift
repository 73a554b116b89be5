import Encoding

/// JSON pointers (RFC 6901).
enum Pointer {
    /// The member `name` of what `pointer` names.
    static func append(_ pointer: String, _ name: Text) -> String {
        // Names are a stranger's text and may be megabytes; hardly one has letters to escape.
        let mustEscape = name.utf8.contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
        guard mustEscape else { return pointer + "/" + name.string }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(name.utf8.count + 8)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): escaped += "~0".utf8
            case UInt8(ascii: "/"): escaped += "~1".utf8
            default: escaped.append(byte)
            }
        }
        return pointer + "/" + String(decoding: escaped, as: UTF8.self)
    }

    /// The element `index` of what `pointer` names.
    static func append(_ pointer: String, _ index: Int) -> String { pointer + "/" + String(index) }

    /// Whether both name the same member, or one a member of the other.
    static func overlap(_ a: String, _ b: String) -> Bool {
        (a + "/").utf8.starts(with: (b + "/").utf8) || (b + "/").utf8.starts(with: (a + "/").utf8)
    }

    /// `value` without what the pointers name. A removed list element leaves a `null`, so that the others keep their places
    /// and a pointer means the same before and after.
    static func removing(_ pointers: [String], from value: JSON) -> JSON {
        if pointers.isEmpty { return value }
        let named = Set(pointers.map { Text($0) })
        var holders: Set<Text> = []
        for pointer in pointers {
            for (index, letter) in zip(pointer.utf8.indices, pointer.utf8) where letter == UInt8(ascii: "/") {
                holders.insert(Text(String(pointer[..<index])))
            }
        }
        return removing(named, in: holders, from: value, at: "")
    }

    private static func removing(
        _ named: Set<Text>, in holders: Set<Text>, from value: JSON, at pointer: String
    ) -> JSON {
        guard holders.contains(Text(pointer)) else { return value }
        switch value {
        case .object(let object):
            let kept = object.members.compactMap { member -> JSONObject.Member? in
                let place = append(pointer, member.name)
                if named.contains(Text(place)) { return nil }
                return JSONObject.Member(member.name, removing(named, in: holders, from: member.value, at: place))
            }
            return .object(JSONObject(kept))
        case .array(let elements):
            return .array(
                elements.enumerated().map { index, element in
                    let place = append(pointer, index)
                    return named.contains(Text(place))
                        ? .null : removing(named, in: holders, from: element, at: place)
                })
        default: return value
        }
    }
}
