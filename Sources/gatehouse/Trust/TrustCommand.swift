import ArgumentParser
import Clocks
import Console
import Courier
import Credentials
import Encoding
import Foundation
import LinuxIO
import Settings
import TrustFiles

/// The command `gatehouse trust`: the tools for the gate's trust data.
struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust", abstract: "Sets up, imports, lists, refreshes and checks the trust data.",
        discussion: "May be used while the service runs; the service applies changes within seconds.",
        subcommands: [
            Needs.self, Pin.self, Import.self, List.self, Refresh.self, Verify.self, Bundle.self, KeyGeneration.self,
        ])

    /// The arguments that name the trust data to read.
    struct Input: ParsableArguments {
        @OptionGroup var configuration: ConfigurationInput
        @Option(
            help: ArgumentHelp(
                "With a bundle: the operator's key (z6Mk…), in place of those in the configuration.", valueName: "key"))
        var key: String?
        @Argument(
            help: ArgumentHelp(
                "A trust directory or a bundle, in place of the trust data in force.", valueName: "path"))
        var path: String?

        /// The path with a colon, for the beginning of an output line. Empty for the trust data in force.
        var place: String { path.map { $0 + ": " } ?? "" }

        /// Returns a report on the trust data and their rules: the data at the path that the user has named, otherwise
        /// the data and rules in force at the gate.
        func report(at clock: WallTime) throws -> TrustReport {
            let directory = try load()
            let gate = path == nil ? try configuration.load() : nil
            let inForce = RulesInForce(file: gate?.policy.file, over: directory)
            let policy =
                gate.map { ConfiguredPolicy.rules(of: $0, under: inForce.rules) }
                ?? inForce.rules.map { VerificationPolicy($0) } ?? VerificationPolicy()
            return TrustReport(directory, rules: inForce, under: policy, at: clock)
        }

        private func load() throws -> TrustDirectory {
            guard let path else {
                let section = try configuration.load().trust
                return try TrustCommand.usable { () throws(TrustDirectoryError) in try TrustCommand.inForce(section) }
            }
            return try TrustCommand.reading(path, key: key) { [configuration] in
                // Without a configuration, as on an operator's machine, no key is configured: `--key` must name the key
                // of the bundle.
                let obstacle = FileObstacle(configuration.path)
                if obstacle == .absent { return [] }
                if case .forbidden? = obstacle, let obstacle {
                    throw CommandFailure(
                        "\(configuration.path), which says whose bundle \(path) must be, \(obstacle.text)",
                        remedy: "give the operator's key: --key z6Mk…, or run it with sudo")
                }
                return try configuration.load().trust.bundleKeys
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the trust data with keys and ages, and the rules in force.",
            discussion: "Exit code: 0, or 2 when the trust data cannot be used.")
        @OptionGroup var input: Input
        @Flag(help: "One JSON object, for machines.")
        var json = false

        func run() async throws {
            let report = try input.report(at: .machine)
            if json { return Terminal.json(report.json) }
            for (index, line) in report.lines.enumerated() {
                Terminal.line(Terminal.printable((index == 0 ? input.place : "") + line))
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks signatures, hashes, dates and ages of the trust data, and names the rules in force.",
            discussion: """
                Exit code: 0 when everything is in order, 1 when something is too old, missing or not valid at the \
                date, 2 when \
                the trust data cannot be used.
                """)
        @OptionGroup var input: Input
        @Option(help: ArgumentHelp("The date to check at, RFC 3339; the default is now.", valueName: "time"))
        var at: String?
        @Flag(help: "One JSON object, for machines.")
        var json = false

        func run() async throws {
            var clock = WallTime.machine
            if let at {
                guard let date = Timestamp(rfc3339: at) else {
                    throw CommandFailure("--at \(at) is not a date", remedy: "write it as 2026-06-01T09:00:00Z")
                }
                clock.utc = date
            }
            let report = try input.report(at: clock)
            if json {
                Terminal.json(report.json)
            } else {
                for finding in report.findings + report.notes {
                    Terminal.line(Terminal.printable("\(finding.subject): \(finding.message)"))
                }
                let head = input.place + report.lines[0] + (report.findings.isEmpty ? ": in order" : "")
                Terminal.line(Terminal.printable(head))
                Terminal.line(Terminal.printable(report.policyLine))
            }
            if !report.findings.isEmpty { throw ExitCode(1) }
        }
    }

    struct Refresh: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Fetches documents and status lists of the trusted issuers once, now.",
            discussion: """
                Only from the hosts that the configuration permits, by HTTPS. Everything that is fetched is checked \
                before it replaces an older copy.

                Exit code: 0 when everything is fresh, 1 when something could not be fetched, 2 when nothing could be \
                tried.
                """)
        @OptionGroup var configuration: ConfigurationInput
        @Flag(help: "One JSON object per line, for machines.")
        var json = false

        func run() async throws {
            let configuration = try configuration.load()
            let section = configuration.trust
            let state = TrustState(section)
            let directory: TrustDirectory
            do throws(TrustDirectoryError) { directory = try TrustCommand.inForce(section) } catch {
                throw CommandFailure.problems("the trust data", error.problems.count, error.description)
            }
            let refresher = TrustRefresher(section, state: state)
            let rules = RulesInForce(file: configuration.policy.file, over: directory).rules
            let verifier = Verifier(
                trust: directory.store, policy: ConfiguredPolicy.rules(of: configuration, under: rules))
            let copies = Dictionary(state.copies().map { ($0.resource, $0) }, uniquingKeysWith: { $1 })
            var failures = 0
            for resource in directory.store.refreshResources {
                let outcome = await refresher.refresh(
                    resource, by: verifier, copy: copies[resource], at: .machine)
                if case .failed = outcome { failures += 1 }
                show(resource, outcome)
            }
            if failures > 0 { throw ExitCode(1) }
        }

        private func show(_ resource: RefreshResource, _ outcome: RefreshOutcome) {
            let (word, reason): (String, String?) =
                switch outcome {
                case .changed: ("changed", nil)
                case .unchanged: ("unchanged", nil)
                case .failed(let failure): ("failed", "\(failure)")
                }
            guard json else {
                return Terminal.line(Terminal.printable("\(resource.id): \(word)" + (reason.map { ", \($0)" } ?? "")))
            }
            var line: JSONObject = [
                "kind": .text(resource.kind.rawValue), "id": .string(resource.id),
                "url": .string(resource.address.url), "outcome": .text(word),
            ]
            if let reason { line["reason"] = .text(reason) }
            Terminal.json(JSON.object(line))
        }
    }
}

extension TrustCommand {
    /// Returns the content of the trust directory or bundle at `path`. A bundle must be signed with `key`; if `key` is
    /// nil, with one of the keys that `configured` returns.
    static func reading(
        _ path: String, key: String? = nil, orKeys configured: () throws -> [OperatorKey] = { [] }
    ) throws -> TrustDirectory {
        CommandRole.take(for: path)
        switch FileObstacle(folder: path) {
        case nil: return try usable { () throws(TrustDirectoryError) in try TrustDirectory(path: path) }
        case .absent?:
            throw CommandFailure("there is nothing at \(path)", remedy: "give a trust directory or a bundle")
        case .otherKind?: break
        case let obstacle?: throw CommandFailure("\(path) \(obstacle.text)", remedy: obstacle.remedy)
        }
        let bytes = try InputFile.bytes(path, limit: TrustBundle.Limits().bytes)
        let keys = try key.map { [try operatorKey($0)] } ?? configured()
        guard !keys.isEmpty else {
            throw CommandFailure(
                "no operator's key is known for the bundle \(path)", remedy: "give the operator's key: --key z6Mk…")
        }
        let bundle: TrustBundle
        do throws(TrustBundle.Failure) {
            bundle = try TrustBundle(bytes, keys: keys)
        } catch { throw CommandFailure("\(path): \(error)", remedy: error.remedy) }
        return try usable { () throws(TrustDirectoryError) in try TrustDirectory(bundle, name: path) }
    }

    /// Returns the trust directory that `read` has read. Throws all its problems as one ``CommandFailure``.
    static func usable(_ read: () throws(TrustDirectoryError) -> TrustDirectory) throws -> TrustDirectory {
        do throws(TrustDirectoryError) { return try read() } catch {
            throw CommandFailure.problems("the trust data", error.problems.count, error.description)
        }
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    static func operatorKey(_ text: String) throws -> OperatorKey {
        guard let key = OperatorKey(Text(text)) else {
            throw CommandFailure(
                "--key is not an Ed25519 key",
                remedy: "give the key that gatehouse trust keygen "
                    + "printed")
        }
        return key
    }

    /// Returns the trust data in force. If an imported bundle is not in force, prints the reason on standard error.
    static func inForce(_ section: TrustSection) throws(TrustDirectoryError) -> TrustDirectory {
        let reading = try TrustState(section).read()
        if let fault = reading.fault { Terminal.error(Terminal.printable(fault.summary)) }
        return reading.directory
    }
}

extension WallTime {
    /// The date of this machine's clock. Its provenance is `given`, because the operator sees the date and can correct
    /// it.
    fileprivate static var machine: WallTime { WallTime(utc: Machine.clock.utc(), provenance: .given) }
}
