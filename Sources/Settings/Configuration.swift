import Crypto
package import Encoding
import Foundation
import Glibc
package import Kiosk
import LinuxIO

/// The whole configuration of a gate: one TOML file that is read strictly. Each key except the name has a default.
///
/// `deploy/gatehouse.toml` explains all keys. Paths in the file may be relative to its folder; the paths of this type
/// are absolute.
package struct Configuration: Sendable {
    /// `[kiosk]`: the identity of the gate.
    package var kiosk: KioskSection
    /// `[radio]`: how the Bluetooth controller is reached.
    package var radio: RadioSection
    /// `[gpio]`: the chip of the GPIO lines.
    package var gpio: GPIOSection
    /// The lines of the wired outputs, from several sections.
    package private(set) var outputs: [OutputRole: OutputLine]
    /// `[gate]`: the relay of the gate.
    package var gate: GateSection
    /// `[door]`: the inputs, times and schedule of the door.
    package var door: DoorSection
    /// `[rhythms]`: how the lamps blink for each indicator pattern.
    package var rhythms: RhythmsSection
    /// `[tones]`: the tones of verdicts.
    package var tones: TonesSection
    /// `[trust]`: the trust data by which credentials are verified.
    package var trust: TrustSection
    /// `[policy]`: the rules for admission.
    package var policy: PolicySection
    /// `[clock]`: the requirements on the date.
    package var clock: ClockSection
    /// `[ledger]`: the records of visits, and how long they are kept.
    package var ledger: LedgerSection
    /// `[agent]`: the cloud agents that receive reports.
    package var agent: AgentSection
    /// `[agency]`: an agency that is the gate's mailbox.
    package var agency: AgencySection
    /// `[tuvali]`: the timeouts and rules of visits over Bluetooth.
    package var tuvali: TuvaliSection
    /// `[log]`: the settings of the log.
    package var log: LogSection
    /// `[control]`: the socket at which commands query the running service.
    package var control: ControlSection

    /// Whether the gate can open a passage, by a relay or by wires to a gate controller. Otherwise it only shows
    /// verdicts.
    package var opens: Bool { outputs.keys.contains(where: \.admits) }

    /// The SHA-256 hash of the file in hexadecimal digits. By it a command can tell whether the service uses the file
    /// that is now on the disk.
    package private(set) var digest = ""

    /// The folders that the gate uses for paths that the file does not set.
    package let standard: StandardFolders

    /// The warnings about keys that have no effect, or not the whole effect that the operator may intend.
    package private(set) var notices: [ConfigurationError.Problem] = []

    /// Each key with its value in force, as an object for each section. `gatehouse config check --json` prints it.
    package private(set) var effective: JSON = .null

    /// The sections that belong to features.
    private var sections: [any ConfigurationSection] = []

    /// The section of the type `type`, which belongs to a feature. If the file was read without this section, all its
    /// keys have their defaults.
    package subscript<Section: ConfigurationSection>(_ type: Section.Type) -> Section {
        for case let section as Section in sections { return section }
        var reader = ConfigurationReader(ConfigurationDocument())
        return Section(&reader, of: self, in: ConfigurationFolder(path: "/", standard: standard))
    }

    /// The files that the features' sections name, in the order of the sections.
    var sectionFiles: [SectionFile] { sections.flatMap(\.files) }

    /// The GPIO lines that the features' sections name in addition to the outputs, in the order of the sections.
    package var sectionLines: [SectionLines] { sections.flatMap(\.lines) }

    /// Returns the paths of the features' files with one of the uses `uses`, each with the key for its problems.
    private func featureFiles(_ uses: SectionFile.Use...) -> [(key: String, path: String?)] {
        sectionFiles.filter { uses.contains($0.use) }.map { ($0.problemKey, $0.path) }
    }

    /// The maximum size of a configuration file in bytes. A longer file cannot be read.
    private static let largestFile = 16 * 1024 * 1024

    /// Reads and checks a configuration file. Throws one error that contains all problems of the file. `sections`:
    /// the sections that belong to features.
    package static func load(
        _ path: String, sections: [any ConfigurationSection.Type]
    ) throws(ConfigurationError) -> Configuration {
        guard let bytes = FileBytes.whole(path, limit: largestFile) else {
            let obstacle = FileObstacle(path)
            let remedy = obstacle == .absent ? SetupPlaces.remedy(forAbsent: path) : "Check the file's permissions."
            throw ConfigurationError(
                file: path,
                problems: [
                    .init(
                        key: "", message: obstacle?.text ?? "cannot be read", remedy: obstacle?.remedy ?? remedy)
                ])
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().standardizedFileURL.path
        return try parse(bytes, file: path, folder: folder, sections: sections)
    }

    /// Reads and checks the bytes of a configuration file. `file` is the file's name in errors, and relative paths
    /// begin at `folder`. `deprecated` contains the keys of earlier versions that are still accepted, `standard` the
    /// standard folders, and `sections` the sections that belong to features.
    package static func parse(
        _ bytes: [UInt8], file: String, folder: String, deprecated: [DeprecatedKey] = DeprecatedKey.all,
        standard: StandardFolders = .inForce, sections: [any ConfigurationSection.Type]
    ) throws(ConfigurationError) -> Configuration {
        let document: ConfigurationDocument
        do {
            document = try ConfigurationDocument(bytes)
        } catch {
            throw ConfigurationError(
                file: file,
                problems: [
                    .init(
                        line: error.line, key: "", message: "is not TOML: \(error.message)",
                        remedy: "Write texts in quotes, sections in [brackets] and each key on its own line.")
                ])
        }
        var reader = ConfigurationReader(document, deprecated: deprecated)
        var configuration = Configuration(&reader, ConfigurationFolder(path: folder, standard: standard), sections)
        configuration.digest = Hex.encode(SHA256.hash(data: bytes))
        reader.rejectUnknownKeys()
        guard reader.problems.isEmpty else {
            let sorted = reader.problems.sorted { ($0.line ?? 0, $0.key) < ($1.line ?? 0, $1.key) }
            throw ConfigurationError(file: file, problems: sorted)
        }
        return configuration
    }

    /// Returns all known keys with the forms of their values, in the order of the sections. `sections`: the sections
    /// that belong to features.
    package static func forms(sections: [any ConfigurationSection.Type]) -> [KeyForm] {
        var reader = ConfigurationReader(ConfigurationDocument())
        _ = Configuration(&reader, ConfigurationFolder(path: "/", standard: StandardFolders()), sections)
        return reader.effective.map { key, value, form in
            KeyForm(key, form, standard: reader.requiredKeys.contains(key) ? nil : value.compactText)
        }
    }

    private init(
        _ reader: inout ConfigurationReader, _ folder: ConfigurationFolder, _ types: [any ConfigurationSection.Type]
    ) {
        standard = folder.standard
        kiosk = KioskSection(&reader)
        radio = RadioSection(&reader)
        gpio = GPIOSection(&reader)
        let relay = reader.outputs(in: "gate")
        gate = GateSection(&reader)
        door = DoorSection(&reader, chip: gpio.chip)
        outputs = [relay, door.outputs, reader.outputs(in: "indicator")].reduce(into: [:]) { outputs, more in
            outputs.merge(more) { first, _ in first }
        }
        rhythms = RhythmsSection(&reader)
        tones = TonesSection(&reader)
        trust = TrustSection(&reader, folder)
        policy = PolicySection(&reader, folder)
        clock = ClockSection(&reader)
        ledger = LedgerSection(&reader, folder)
        agent = AgentSection(&reader, folder, ledger: ledger.path)
        agency = AgencySection(
            &reader, folder, isUsed: agent.mailbox == .agency, kiosk: kiosk.id, agent: agent)
        tuvali = TuvaliSection(&reader)
        log = LogSection(&reader, folder)
        control = ControlSection(&reader, folder)
        let core = self
        sections = types.map { type in reader.after(type.follows) { type.init(&$0, of: core, in: folder) } }
        for section in sections { outputs.merge(section.outputs) { first, _ in first } }
        checkLines(&reader, outputs, door.inputs, chip: gpio.chip, sectionLines)
        var files: [(key: String, path: String?)] = [
            ("ledger.path", ledger.path), ("ledger.reserve", ledger.reserve), ("ledger.witness", ledger.witness),
            ("ledger.witnessKey", ledger.witnessKey), ("agent.keyFile", agent.keyFile),
            ("agent.keyFile", agent.keyFile + ".old"), ("log.path", log.path),
        ]
        files += featureFiles(.replaced)
        files += [
            ("control.path", control.path), ("policy.file", policy.file), ("trust.rootsFile", trust.rootsFile),
            ("agent.rootsFile", agent.rootsFile),
        ]
        files += featureFiles(.prepared, .companion)
        files += [("agent.mailbox", agent.mailbox.file), ("agency.token", agency.token?.file)]
        files += featureFiles(.socket)
        files += agent.invitations.map { ("agent.invitations", $0) }
        checkFiles(&reader, in: folder.path, besides: ownFiles(folder, control: control), files)
        let written = [("log.path", log.path), ("control.path", control.path)] + featureFiles(.replaced, .socket)
        checkTrust(&reader, [trust.directory, trust.state], written)

        notices = reader.notices
        var tree: JSONObject = [:]
        for (key, value, _) in reader.effective {
            let parts = key.split(separator: ".", maxSplits: 1).map { Text(String($0)) }
            guard parts.count == 2 else { continue }
            var section = tree[parts[0]]?.object ?? [:]
            section[parts[1]] = value
            tree[parts[0]] = .object(section)
        }
        effective = .object(tree)
    }
}

/// Rejects a configuration that uses one line for two purposes. Otherwise, for example, a lamp could open the gate.
private func checkLines(
    _ reader: inout ConfigurationReader, _ outputs: [OutputRole: OutputLine], _ inputs: [DoorSection.Input],
    chip: String?, _ others: [SectionLines]
) {
    struct Line: Hashable { let chip, name: String? }
    var owners: [Line: String] = [:]
    func named(_ roles: [OutputRole]) -> [(String, String?)] { roles.map { ($0.key, outputs[$0]?.name) } }
    // If a lamp has the same line as a relay, a wire or an input, report the problem for the lamp, which comes later
    // in this list.
    let contacts = inputs.map { ("door.input", String?.some($0.line)) }
    let own = named(OutputRole.separate + OutputRole.wires) + contacts + named(OutputRole.signals)
    // A line has no effect without a chip. The sections of inputs and wires check that themselves.
    for role in OutputRole.allCases where outputs[role] != nil && chip == nil && role.kind != .wire {
        reader.reject(role.key, "has no chip", "Set gpio.chip to the chip of its line, or remove the line.")
    }
    let lines =
        own.map { ($0, Line(chip: chip, name: $1)) }
        + others.flatMap { group in group.lines.map { ($0.problemKey, Line(chip: group.chip, name: $0.name)) } }
    for (key, line) in lines {
        guard let name = line.name else { continue }
        if let owner = owners[line] {
            reader.reject(key, "uses \(name), which \(owner) uses too", "Give each signal its own line.")
        }
        owners[line] = key
    }
}
