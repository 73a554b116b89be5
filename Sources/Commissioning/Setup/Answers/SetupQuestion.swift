/// A question of `gatehouse setup`. Its name is the key in a file of answers and, after two hyphens, the option on the
/// command line.
package enum SetupQuestion: String, CaseIterable, Hashable, Sendable {
    /// The name that phones show.
    case name
    /// The name of the gate in records and reports (`kiosk.id`).
    case id
    /// The board, by a name in the pinout; `none` if the gate uses no GPIO lines.
    case board
    /// The label of a GPIO chip that the pinout does not list, whose lines have the names in the pinout.
    case chip
    /// The pulse of the relay: a duration, or the thing that the relay opens, by a name in the pinout.
    case pulse
    /// The direction in which visitors pass the gate: in, out or any.
    case direction
    /// The display that shows the code.
    case display
    /// The size of the display, if it is a panel.
    case displaySize = "display-size"
    /// The Bluetooth controller: an adapter, a serial line or `tcp://HOST:PORT`.
    case radio
    /// The required source of the date, as `clock.minimum` in the configuration.
    case clock
    /// The name of a time server that is used with Network Time Security.
    case timeServer = "time-server"
    /// The path of the bundle that the operator has signed.
    case trustBundle = "trust-bundle"
    /// The operator's public key, which must have signed the bundle.
    case bundleKey = "bundle-key"
    /// The path of a trust directory.
    case trustDirectory = "trust-directory"
    /// The ID of an issuer whose credentials the gate admits.
    case issuer
    /// The types of the issuer's credentials that are admitted.
    case issuerType = "issuer-type"
    /// The path of the issuer's DID document.
    case issuerDocument = "issuer-document"
    /// The path of the root of the issuer's certificates.
    case issuerRoot = "issuer-root"
    /// The contexts of the issuer's credentials: each is the URL of a built-in context, or `URL=FILE`.
    case context
    /// The cloud agent's invitation: its URL, or the path of a file that contains it.
    case invitation
    /// Whether agents without TLS may be used: `true`.
    case allowPlainHTTP = "allow-plain-http"

    /// The option on the command line.
    package var option: String { "--" + rawValue }

    /// The text of the question in a terminal; nil for a question that is only answered by an option or in a file.
    package var words: String? {
        switch self {
        case .name: "Name of this gate, shown on phones (1 to 14 of A-Z a-z 0-9 _ -)"
        case .id: "Its name in records and reports"
        case .board: "Board"
        case .chip: nil
        case .pulse: "Pulse of the relay: a duration, or the kind of gate"
        case .direction: "Its direction: in, out or any"
        case .display:
            "Display for the code: framebuffer (a screen), ssd1306, sh1106, sh1107 (OLED), ssd1680 (e-paper), file, "
                + "none"
        case .displaySize: "Its size"
        case .radio: "Bluetooth adapter"
        case .clock:
            "No battery-backed clock and no time server was found. Required source of the date: rtc (one of them; no "
                + "visitor is admitted before), or saved (none)"
        case .timeServer: "Name of a time server for chrony with Network Time Security (empty: none)"
        case .trustBundle: "Trust data: the file with your operator's bundle (empty: none)"
        case .bundleKey: "The operator's public key (z6Mk…)"
        case .trustDirectory: "A folder with trust data (empty: none)"
        case .issuer: "The id of one issuer, did:… or https://… (empty: later)"
        case .issuerType:
            "The admitted types of its credentials, separated by spaces (gatehouse trust needs FILE prints them)"
        case .issuerDocument: "The file with its DID document (empty: did:key, did:jwk, or none)"
        case .issuerRoot: "The file with the root of its certificates, PEM (empty: none)"
        case .context: "Contexts of its credentials, URL or URL=FILE, separated by spaces (empty: none)"
        case .invitation: "Invitation of the cloud agent: its URL, or a file (empty: none)"
        case .allowPlainHTTP: nil
        }
    }

    /// An example of an answer, for messages.
    var example: String {
        switch self {
        case .name: "North-Gate"
        case .board: "pi4"
        case .timeServer: "ntp.example"
        case .bundleKey: "z6Mk…"
        case .issuer: "did:web:works.example"
        case .issuerType: "https://works.example/ns#StaffPass"
        default: "…"
        }
    }

    /// Whether several answers may be given.
    var isList: Bool { self == .context || self == .issuerType }

    /// Whether the answer is yes or no.
    var isFlag: Bool { self == .allowPlainHTTP }
}
