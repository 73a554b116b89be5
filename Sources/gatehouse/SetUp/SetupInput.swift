import ArgumentParser
import Commissioning

/// The options of `gatehouse setup`, one for each question.
struct SetupInput: ParsableArguments {
    @Option(help: ArgumentHelp("The name that phones show: 1 to 14 of A-Z a-z 0-9 _ -.", valueName: "name"))
    var name: String?
    @Option(help: ArgumentHelp("Its name in records and reports. (default: the name)", valueName: "id"))
    var id: String?
    @Option(
        help: ArgumentHelp("pi5, pi4, pi3, zero, or none (no lines). (default: the detected board)", valueName: "board")
    )
    var board: String?
    @Option(help: ArgumentHelp("The label of another chip with the same names of lines.", valueName: "label"))
    var chip: String?
    @Option(
        help: ArgumentHelp(
            "The relay's pulse, such as 200ms; or turnstile, strike, magnet, time-relay.", valueName: "duration"))
    var pulse: String?
    @Option(help: ArgumentHelp("Its direction: in, out or any.", valueName: "way"))
    var direction: String?
    @Option(help: ArgumentHelp("The display for the code, as display.kind in the configuration.", valueName: "kind"))
    var display: String?
    @Option(help: ArgumentHelp("With a panel: its size, such as 128x64.", valueName: "size"))
    var displaySize: String?
    @Option(help: ArgumentHelp("An adapter (hci0), a serial line, or tcp://HOST:PORT.", valueName: "device"))
    var radio: String?
    @Option(help: ArgumentHelp("The required source of the date, as clock.minimum.", valueName: "source"))
    var clock: String?
    @Option(
        help: ArgumentHelp(
            "The name of a time server for chrony with Network Time Security.", valueName: "host"))
    var timeServer: String?
    @Option(help: ArgumentHelp("The bundle that your operator signed; with --bundle-key.", valueName: "file"))
    var trustBundle: String?
    @Option(help: ArgumentHelp("The operator's public key.", valueName: "key"))
    var bundleKey: String?
    @Option(help: ArgumentHelp("Or a folder with trust data.", valueName: "folder"))
    var trustDirectory: String?
    @Option(help: ArgumentHelp("Or an issuer to trust, by its id.", valueName: "id"))
    var issuer: String?
    @Option(
        help: ArgumentHelp(
            "With an issuer: an admitted type of its credentials. Can be repeated.", valueName: "type"))
    var issuerType: [String] = []
    @Option(help: ArgumentHelp("With an issuer: its DID document.", valueName: "file"))
    var issuerDocument: String?
    @Option(help: ArgumentHelp("With an issuer: the root of its certificates (PEM).", valueName: "file"))
    var issuerRoot: String?
    @Option(
        help: ArgumentHelp(
            "With an issuer: a context of its credentials, with the file unless it is built in. Can be repeated.",
            valueName: "url[=file]"))
    var context: [String] = []
    @Option(help: ArgumentHelp("The cloud agent's invitation: its URL in quotes, or a file.", valueName: "url|file"))
    var invitation: String?
    @Flag(help: "Permit agents without TLS.")
    var allowPlainHttp = false

    /// The answers that the options contain. An absent option is an unanswered question.
    var answers: SetupAnswers {
        var answers = SetupAnswers()
        let texts: [(SetupQuestion, String?)] = [
            (.name, name), (.id, id), (.board, board), (.chip, chip), (.pulse, pulse), (.direction, direction),
            (.display, display), (.displaySize, displaySize), (.radio, radio), (.clock, clock),
            (.timeServer, timeServer), (.trustBundle, trustBundle), (.bundleKey, bundleKey),
            (.trustDirectory, trustDirectory), (.issuer, issuer),
            (.issuerDocument, issuerDocument), (.issuerRoot, issuerRoot), (.invitation, invitation),
        ]
        for case (let question, let text?) in texts { answers[question] = text }
        if !issuerType.isEmpty { answers[all: .issuerType] = issuerType }
        if !context.isEmpty { answers[all: .context] = context }
        if allowPlainHttp { answers[.allowPlainHTTP] = "true" }
        return answers
    }
}
