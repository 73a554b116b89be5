import Encoding

/// The fields that the wallets read from the verifier's QR text. Each platform has its own parser.
package struct WalletInvitation: Equatable, Sendable {
    /// The wallet libraries.
    package enum Platform: Sendable {
        /// `mosip/tuvali` on Android's `java.net.URI`-like class.
        case android
        /// `mosip/tuvali-ios-swift` on Foundation's URL components.
        case ios
    }

    /// The verifier's name, percent-decoded; nil if the platform's parser finds no name.
    package var name: String?
    /// The verifier's key as written, in hexadecimal digits; nil if the platform's parser finds no key.
    package var key: String?
    /// Whether the library accepts the text (otherwise TVW_CON_001).
    package var isValid: Bool

    /// Parses a QR text; nil if the Android library throws, that is, for a scheme without `//`.
    package init?(_ uri: String, platform: Platform) {
        let bytes = Array(uri.utf8)
        let scheme = bytes.firstIndex(of: UInt8(ascii: ":")).map { bytes[..<$0] }
        let isHierarchical = scheme.map { bytes[$0.endIndex...].starts(with: "://".utf8) } ?? true
        if platform == .android, !isHierarchical { return nil }
        let query = bytes.firstIndex(of: UInt8(ascii: "?")).map {
            bytes[($0 + 1)...].prefix { $0 != UInt8(ascii: "#") }
        }
        let items = (query ?? []).split(separator: UInt8(ascii: "&"))
        func value(_ name: String) -> String? {
            let prefix = Array(name.utf8) + [UInt8(ascii: "=")]
            guard let item = items.first(where: { $0.starts(with: prefix) }) else { return nil }
            return Self.decode(item.dropFirst(prefix.count), plusIsSpace: platform == .android)
        }
        (name, key) = (value("name"), value("key"))
        switch platform {
        case .android:
            (name, key) = (name ?? "", key ?? "")
            isValid = name?.isEmpty == false && key?.isEmpty == false
        case .ios: isValid = name != nil && key != nil && scheme.map { $0.elementsEqual("OPENID4VP".utf8) } == true
        }
    }

    /// Returns whether the Inji app accepts the QR text for an offline hand-over of a credential. The text must begin
    /// with exactly `OPENID4VP://`.
    package static func isAcceptedByApp(_ text: String) -> Bool { text.utf8.starts(with: "OPENID4VP://".utf8) }

    /// The service data (0x0001) to scan for: the name, an underscore and the first 5 bytes of the key; nil if the name
    /// is missing or the key has fewer than 10 hexadecimal digits.
    var serviceData: [UInt8]? {
        guard let name, let key, let head = Hex.decode(String(key.prefix(10))), head.count == 5 else { return nil }
        return Array(name.utf8) + [UInt8(ascii: "_")] + head
    }

    private static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) -> String? {
        var (output, rest) = ([UInt8](), text)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let decoded = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self)), decoded.count == 1
                else {
                    return nil
                }
                output += decoded
                rest = rest.dropFirst(2)
            case UInt8(ascii: "+") where plusIsSpace: output.append(UInt8(ascii: " "))
            default: output.append(byte)
            }
        }
        return String(validating: output, as: UTF8.self)
    }
}
