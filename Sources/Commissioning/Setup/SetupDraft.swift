import Aries
import DIDComm
import Encoding
import Features
import Kiosk
import Settings

/// Makes the parts of a setup's plan from the answers: the configuration, the trust data, and all problems of the
/// answers.
///
/// The configuration's own reader decides whether an answer is valid: it reads the draft of the configuration, and each
/// problem that it finds becomes a problem of the answer.
struct SetupDraft {
    private let answers: SetupAnswers
    private let machine: SetupMachine
    private let places: SetupPlaces
    private let head: [String]
    private var text = ConfigurationText()
    /// The question whose answer is the value of each key.
    private var owners: [String: SetupQuestion] = [:]
    private(set) var problems: [SetupProblem] = []
    private(set) var trust = SetupPlan.Trust.unchanged

    init(_ answers: SetupAnswers, _ machine: SetupMachine, _ places: SetupPlaces, _ source: [String] = []) {
        (self.answers, self.machine, self.places) = (answers, machine, places)
        head =
            ["# One gate, written by gatehouse setup. All keys: /usr/share/gatehouse/gatehouse.toml"]
            + source.map { "# \($0)" }
        addKiosk()
        addRadio()
        addLines()
        addTrust()
        copy(.clock, to: "clock.minimum", "The required source of the date before any visitor is admitted.")
        addTimeServer()
        addDisplay()
        addAgent()
        for (key, value) in places.keys { text.add(key, .text(value)) }
        check()
        let order = SetupQuestion.allCases
        problems.sort { one, other in
            let places = [one, other].map { $0.question.flatMap(order.firstIndex) ?? 0 }
            return places[0] < places[1]
        }
        for index in problems.indices { problems[index].line = problems[index].question.flatMap(answers.line) }
    }

    var configuration: [UInt8] { Array(((head + [""] + text.lines).joined(separator: "\n") + "\n").utf8) }

    // MARK: - Parts

    private mutating func addKiosk() {
        copy(
            .name, to: "kiosk.name",
            "The name that phones show. Gates that are close to each other need different "
                + "names.")
        if answers.text(.name) == nil {
            problems.append(.missing(.name))
            text.add("kiosk.name", "Gate")
        }
        if answers.text(.id) != answers.text(.name) { copy(.id, to: "kiosk.id", "Its name in records and reports.") }
    }

    private mutating func addRadio() {
        let only = machine.adapters.count == 1 ? machine.adapters.first : nil
        guard let radio = answers.text(.radio) ?? only, radio != "hci0" else { return }
        let comment = "The connection to the Bluetooth controller."
        guard radio.hasPrefix("tcp://") else {
            if radio.hasPrefix("/") { add(.radio, "radio.transport", "serial", comment) }
            return add(.radio, "radio.device", .text(radio), radio.hasPrefix("/") ? nil : comment)
        }
        let address = radio.dropFirst("tcp://".count)
        guard let colon = address.lastIndex(of: ":"), let port = Int(address[address.index(after: colon)...]) else {
            return reject(.radio, "has no port", "Write tcp://127.0.0.1:6402, a device such as /dev/ttyACM0, or hci0.")
        }
        add(.radio, "radio.transport", "tcp", comment)
        add(.radio, "radio.host", .text(String(address[..<colon])))
        add(.radio, "radio.port", .int(port))
    }

    private mutating func addLines() {
        if let label = findChip() {
            let model = machine.pinout.chips.first { $0.label.utf8.elementsEqual(label.utf8) }?.model
            let question = answers.text(.chip) == nil ? SetupQuestion.board : .chip
            add(question, "gpio.chip", .text(label), model.map { "Raspberry Pi \($0)." })
            for signal in machine.pinout.signals {
                add(question, signal.role.key, .text(signal.line), "Pin \(signal.pin): \(signal.shows).")
                let polarity = signal.role.polarity.key
                if !signal.activeHigh, owners[polarity] == nil { add(question, polarity, true) }
            }
        }
        if let pulse = answers.text(.pulse) {
            let use = machine.pinout.pulses.first { $0.use.utf8.elementsEqual(pulse.utf8) }
            add(
                .pulse, "gate.pulse", .text(use?.pulse ?? pulse),
                "The pulse of the relay" + (use.map { ": \($0.use)." } ?? "."))
        }
        copy(.direction, to: "gate.direction", "The gate's direction.")
    }

    /// Returns the label of the GPIO chip; nil if the gate uses no lines. If the board is unknown, adds a problem and
    /// returns nil.
    private mutating func findChip() -> String? {
        let boards = machine.pinout.chips.flatMap(\.boards) + [SetupQuestion.noBoard]
        if let chip = answers.text(.chip) {
            if answers.text(.board) != nil { reject(.chip, "cannot be combined with board", "Give one of the two.") }
            return chip
        }
        guard let board = answers.text(.board) ?? machine.board else {
            reject(
                .board, "is missing, and no chip of a known board was found",
                "Give one of \(boards.joined(separator: ", ")); or the label of another chip (chip).")
            return nil
        }
        if board.utf8.elementsEqual(SetupQuestion.noBoard.utf8) { return nil }
        let known = machine.pinout.chips.first { chip in
            chip.boards.contains { $0.utf8.elementsEqual(board.utf8) }
        }
        if known == nil {
            reject(
                .board, "is not a known board: \"\(board.prefix(40))\"",
                "Write one of \(boards.joined(separator: ", ")).")
        }
        return known?.label
    }

    private mutating func addTrust() {
        let kinds = [SetupQuestion.trustBundle, .trustDirectory, .issuer].filter { answers.text($0) != nil }
        for other in kinds.dropFirst() {
            reject(other, "cannot be combined with \(kinds[0].rawValue)", "Give one of the two.")
        }
        if let key = answers.text(.bundleKey) {
            add(
                .bundleKey, "trust.bundleKeys", .array([.text(key)]),
                "The operator's key, which must sign bundles.")
            for other in kinds where other != .trustBundle {
                reject(
                    other, "cannot be combined with bundle-key",
                    "With an operator's key a gate accepts only "
                        + "signed bundles.")
            }
        } else if kinds.first == .trustBundle {
            problems.append(.missing(.bundleKey))
        }
        if answers.text(.issuer) != nil, answers[all: .issuerType].isEmpty { problems.append(.missing(.issuerType)) }
        for detail in [SetupQuestion.issuerType, .issuerDocument, .issuerRoot, .context]
        where answers.text(detail) != nil && !kinds.contains(.issuer) {
            reject(detail, "has no effect without an issuer", "Give issuer as well, or remove it.")
        }
        switch kinds.first {
        case .trustBundle: trust = .bundle(answers.text(.trustBundle) ?? "")
        case .trustDirectory: trust = .directory(answers.text(.trustDirectory) ?? "")
        case .issuer:
            trust = .issuer(
                Text(answers.text(.issuer) ?? ""), types: answers[all: .issuerType].map { Text($0) },
                document: answers.text(.issuerDocument), root: answers.text(.issuerRoot),
                contexts: answers[all: .context].map(SetupPlan.Context.init))
        default: break
        }
    }

    private mutating func addTimeServer() {
        guard let answer = answers.text(.timeServer) else { return }
        if TimeSource.host(answer) == nil { problems.append(TimeSource.noHost) }
        add(
            .timeServer, "clock.authenticated", true,
            "Setup names a time server with Network Time Security to chrony: its date counts at once after a start.")
    }

    private mutating func addDisplay() {
        copy(.display, to: "display.kind", "The display that shows the code to visitors.")
        let display = SetupDisplay(answers)
        if answers.text(.displaySize) != nil, display.sizes?.isEmpty == true {
            reject(.displaySize, "is for panels only", "Remove it.")
        }
        copy(.displaySize, to: "display.size", nil)
        if display.isFile, let picture = places.picture { text.add("display.file", .text(picture)) }
        guard display.hasLines else { return }
        for pin in machine.pinout.buses.flatMap(\.pins) where ["data", "reset", "busy"].contains(pin.signal) {
            add(.display, "display.\(pin.signal)", .text(pin.line), "Pin \(pin.pin).")
        }
    }

    private mutating func addAgent() {
        if let invitation = answers.text(.invitation) {
            let file = places.invitationName
            text.add("agent.invitations", .array([.text(file)]), "The file with the cloud agent's invitation.")
            if WrittenInvitation.lacksScheme(invitation) {
                reject(
                    .invitation, "is a URL without \"https://\"",
                    "Write it as it was given, with https:// at its start.")
            } else if WrittenInvitation.isText(invitation),
                let problem = SetupInvitation.problem(
                    with: Array(invitation.utf8), allowsPlainHTTP: answers.text(.allowPlainHTTP) != nil)
            {
                problems.append(problem)
            }
        }
        if answers.text(.allowPlainHTTP) != nil {
            add(.allowPlainHTTP, "agent.allowPlainHTTP", true, "Whether agents without TLS may be used.")
        }
    }

    // MARK: - Answers and keys

    private mutating func reject(_ question: SetupQuestion, _ message: String, _ remedy: String) {
        problems.append(SetupProblem(question, message, remedy))
    }

    /// Adds `key` to the configuration, with the answer to `question` as its setting. Does nothing if the question has
    /// no answer.
    private mutating func copy(_ question: SetupQuestion, to key: String, _ comment: String?) {
        if let answer = answers.text(question) { add(question, key, .text(answer), comment) }
    }

    private mutating func add(_ question: SetupQuestion, _ key: String, _ value: JSON, _ comment: String? = nil) {
        owners[key] = question
        text.add(key, value, comment)
    }

    /// Checks the draft with the reader of the service, and adds the problems that the reader finds.
    private mutating func check() {
        do throws(ConfigurationError) {
            _ = try Configuration.parse(configuration, file: places.file, folder: places.folder)
        } catch {
            for problem in error.problems {
                // A missing key has no answer of its own, so report it for the first question of the same section.
                let section = problem.key.prefix { $0 != "." } + "."
                let first = owners.filter { $0.key.hasPrefix(section) }.min { $0.key < $1.key }
                let question = owners[problem.key] ?? first?.value
                if question != nil, problems.contains(where: { $0.question == question }) { continue }
                let message = question == nil ? "\(problem.key) \(problem.message)" : problem.message
                problems.append(SetupProblem(question, message, problem.remedy))
            }
        }
    }
}

extension SetupQuestion {
    /// The answer to ``board`` for a machine without lines.
    static let noBoard = "none"
}
