import Administration
package import Clocks
import Courier
package import Encoding
import Features
import Foundation
import Glibc
import HTTPTransport
import LinuxIO
import Observation
import Reasons
package import Settings

/// Collects the facts about a machine from its files. On this machine it also asks devices and the running service. It
/// changes nothing.
package struct MachineProbe: Sendable {
    /// The folder that contains sys, proc, dev, etc, run and the units of the machine to examine; empty for this
    /// machine.
    private let root: String
    private let files: SystemFiles
    private let time: Clock

    /// Creates a probe of this machine, or of a machine whose files are below `root`. `clock` is this machine's clock.
    package init(root: String = "", clock: Clock) {
        (self.root, time) = (root, clock)
        files = SystemFiles(root: root)
    }

    /// Returns the facts about the machine that a gate with `configuration` depends on.
    ///
    /// - Parameters:
    ///   - configuration: The configuration that the service will use.
    ///   - file: The path from which it was read.
    ///   - made: The day on which this version was made.
    ///   - asksService: Whether the running service is asked for its status.
    package func facts(
        _ configuration: Configuration, file: String, made: Timestamp, asksService: Bool
    ) -> MachineFacts {
        // Examine devices and units as root. Read the service's folders with the rights of their owner, who could
        // replace any file in them by a link.
        let role = configuration.ownerRole()
        role?.pause()
        func asOwner<Value>(_ body: () -> Value) -> Value {
            role?.resume()
            defer { role?.pause() }
            return body()
        }
        var facts = MachineFacts()
        // If `root` is a folder of this machine, `file` may already begin with it.
        let isBelow = !root.isEmpty && file.hasPrefix(root + "/")
        let path = isBelow ? String(file.dropFirst(root.count)) : file
        facts.unitName = SetupPlaces(path, in: configuration.standard).unit
        facts.unit = files.unit(facts.unitName + ".service").map(UnitFile.init)
        if let unit = facts.unit { facts.userName = unit.user.isEmpty ? "root" : unit.user }
        facts.account = files.account(facts.userName, groups: facts.unit?.groups ?? [])
        facts.missingGroups = (facts.unit?.groups ?? []).filter { !files.hasGroup($0) }
        facts.swaps = swaps
        facts.countsMemory =
            files.line("/sys/fs/cgroup/cgroup.controllers")?.split(separator: " ").contains("memory") == true
        facts.radio = radio(configuration.radio, opener: facts.openerName)
        if root.isEmpty { Self.lookAtLines(&facts) }
        facts.configurationFile = file
        facts.trustFiles =
            configuration.trust.bundleKeys.isEmpty
            ? asOwner { Self.files(below: configuration.trust.directory) } : []
        let places = places(configuration, facts)
        facts.places = places.compactMapValues(\.self)
        facts.unseen = places.count - facts.places.count
        facts.disk = disk(configuration.ledger.path)
        facts.relaysRunFirst = relaysRunFirst
        facts.keepsLinesDriven = keepsLinesDriven
        facts.clock = clock(made: made)
        (facts.trust, facts.policy, facts.expiries) = asOwner {
            RulesProbe(configuration, at: facts.clock.utc).facts
        }
        facts.agents = asOwner { Self.agents(configuration) }
        let machine = FeatureMachine(root: root, utc: facts.clock.utc) { body in asOwner(body) }
        for feature in FeatureList.checked {
            facts.features[feature.check] = feature.problem(configuration, on: machine)
        }
        facts.service = asksService ? asOwner { service(configuration.control) } : nil
        facts.dependencies = dependencies
        return facts
    }

    private static func lookAtLines(_ facts: inout MachineFacts) {
        do throws(GPIOError) {
            let library = try GPIOLibrary.loaded()
            (facts.gpioLibrary, facts.chips) = (.success(library.name), GPIOChips.list(library))
        } catch { (facts.gpioLibrary, facts.chips) = (.failure(error), ([], [])) }
    }

    /// Returns the files below a folder, at most 1000. A trust directory has some dozens of files.
    private static func files(below folder: String) -> [String] {
        let inside = FileManager.default.enumerator(atPath: folder)?.prefix(1000).compactMap { $0 as? String } ?? []
        return inside.filter { !$0.contains("/.") && !$0.hasPrefix(".") && FileBytes.isFile("\(folder)/\($0)") }
            .sorted().map { "\(folder)/\($0)" }
    }

    private func places(_ configuration: Configuration, _ facts: MachineFacts) -> [String: Place?] {
        var places: [String: Place?] = [:]
        let paths = NamedPlace.all(configuration).map(\.path) + facts.trustFiles
        for path in paths + [facts.configurationFile].compactMap(\.self) {
            places[path] = .some(SystemFiles(root: "").place(path))
        }
        var nodes = (facts.chips?.chips ?? []).map(\.path) + FeatureList.nodes(configuration).map { $0.device.path }
        if configuration.radio.transport == .serial { nodes.append(configuration.radio.device) }
        for node in nodes { places[node] = .some(files.place(node)) }
        return places
    }

    private func disk(_ database: String) -> MachineFacts.Disk? {
        var system = statvfs()
        var folder = NamedPlace.folder(of: database)
        while statvfs(folder, &system) != 0 {
            guard errno == ENOENT, folder != "/" else { return nil }
            folder = NamedPlace.folder(of: folder)
        }
        return MachineFacts.Disk(
            free: Int(clamping: UInt64(system.f_bavail) &* UInt64(system.f_frsize)),
            // A file system that counts no files (`f_files` is 0) is assumed to have space for files.
            takesFiles: system.f_favail > 0 || system.f_files == 0,
            isReadOnly: system.f_flag & 1 != 0,  // ST_RDONLY (statvfs(3))
            used: (try? FileStatus(database, links: .followed))?.size ?? 0)
    }

    private func radio(_ section: RadioSection, opener: String) -> MachineFacts.Radio {
        var radio = MachineFacts.Radio()
        let folder = root + "/sys/class/bluetooth"
        radio.adapters = files.exists("/sys/class/bluetooth") ? Adapters.list(in: folder) : nil
        radio.name = root.isEmpty ? Adapters.name(of: section.device) : section.device
        // The kernel of another machine cannot be asked which adapter has an address. Most machines have only one
        // adapter, so use that.
        if !root.isEmpty, case .address = AdapterName(section.device), radio.adapters?.count == 1 {
            radio.name = radio.adapters?.first?.name
        }
        radio.isDaemonRunning = Adapters.daemonIsRunning(in: root + "/sys/fs/cgroup")
        radio.mayDaemonStart = mayDaemonStart
        radio.hasOpener = files.unit(opener + ".socket") != nil
        return radio
    }

    private var mayDaemonStart: Bool {
        guard let unit = files.unit("bluetooth.service") else { return false }
        // A disabled unit does not start by itself: no target wants it, and D-Bus does not know it.
        let links = ["bluetooth.target.wants/bluetooth.service", "dbus-org.bluez.service"]
        let isEnabled = links.contains { files.exists("/etc/systemd/system/" + $0) }
        return isEnabled && !unit.contains { $0.contains("ConditionPathExists=!/etc/gatehouse/") }
    }

    /// The swap devices: the first column of /proc/swaps after its line of headings (proc(5)), without zram.
    private var swaps: [String] {
        let names = (files.lines("/proc/swaps") ?? []).dropFirst().compactMap { line in
            line.split(whereSeparator: \.isWhitespace).first.map(String.init)
        }
        return names.filter { !$0.hasPrefix("/dev/zram") }
    }

    /// Whether all relay threads have real-time priority: SCHED_FIFO (1) or SCHED_RR (2); nil if no relay thread is
    /// seen. The scheduling policy is field 41 of a thread's stat file (proc(5)), the 39th after the name.
    private var relaysRunFirst: Bool? {
        let threads = files.names("/proc").filter { UInt32($0) != nil }.flatMap { process in
            files.names("/proc/\(process)/task").map { "/proc/\(process)/task/\($0)" }
        }
        let policies = threads.compactMap { thread -> Int? in
            guard files.line(thread + "/comm")?.utf8.elementsEqual(Relay.threadName.utf8) == true,
                let fields = files.lines(thread + "/stat")?.first?.split(separator: ")").last?.split(separator: " "),
                fields.count > 38
            else { return nil }
            return Int(fields[38])
        }
        return policies.isEmpty ? nil : policies.allSatisfy { $0 == 1 || $0 == 2 }
    }

    /// Whether the kernel continues to drive a line after its release, as kernels of Raspberry Pi OS do unless
    /// strict_gpiod is set.
    private var keepsLinesDriven: Bool {
        guard let release = files.line("/proc/sys/kernel/osrelease"),
            ["rpi", "-v7", "-v8"].contains(where: release.contains)
        else { return false }
        return !["/boot/firmware/config.txt", "/boot/config.txt"].compactMap(files.lines).joined().contains { line in
            line.hasPrefix("dtparam") && line.contains("strict_gpiod") && !line.contains("strict_gpiod=off")
        }
    }

    private func clock(made: Timestamp) -> MachineFacts.Clock {
        var clock = MachineFacts.Clock()
        let look = time.look()
        (clock.utc, clock.isSynchronised, clock.made) = (look.utc, look.isSynchronised, made)
        clock.uptime = Instant.zero.duration(to: look.monotonic)
        clock.authenticated = Chrony.authenticated(on: files)
        (clock.hardware, clock.saved) = (BatteryClock.all(root: root), SavedDate.all(root: root))
        return clock
    }

    private var dependencies: [String] {
        let system = files.lines("/etc/os-release")?.first { $0.hasPrefix("PRETTY_NAME=") }
            .map { $0.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" } }
        let board = files.line("/proc/device-tree/model").map { $0.filter { $0 != "\0" } }
        let kernel = files.line("/proc/sys/kernel/osrelease").map { "kernel " + $0 }
        return [board, system, kernel].compactMap(\.self)
    }

    private func service(_ section: ControlSection) -> MachineFacts.Service {
        guard let path = section.path else { return .silent("the configuration has no control socket") }
        do throws(ControlClient.Failure) {
            let line = try ControlClient.ask(path, ControlRequest.status.line([]), within: .seconds(2))
            guard let answer = (try? JSON.parse(line))?["answer"] else {
                return .silent("its answer is unknown")
            }
            return .running(StatusReport(answer))
        } catch {
            switch error {
            case .notRunning: return .absent
            case .forbidden: return .silent("no permission to ask it at \(path)")
            case .silent, .system: return .silent("it does not respond at \(path)")
            }
        }
    }

    /// Returns the faults of the files that `[agent]` and `[agency]` name, without using a network. The service runs in
    /// spite of these faults and waits for the files.
    package static func agents(_ configuration: Configuration) -> [MachineFacts.Trouble] {
        var troubles: [MachineFacts.Trouble] = []
        let agent = configuration.agent
        for invitation in agent.invitations + agent.copies.flatMap(\.invitations)
            + [agent.mailbox.file].compactMap(\.self)
        {
            do throws(InvitationReader.Failure) {
                try InvitationReader.check(invitation)
            } catch {
                troubles.append(
                    .init(.agentUnconnected, "the invitation in \(invitation) cannot be used yet", error.remedy))
            }
        }
        if let file = agent.rootsFile, HTTPExchange.countRoots(in: file) == nil {
            troubles.append(
                .init(
                    .agentUnreachable, "agent.rootsFile contains no certificates: \(file)",
                    "check the path; it must contain PEM certificates"))
        }
        if configuration.agency.settings != nil, let token = configuration.agency.token {
            do throws(TokenSource.Failure) {
                try token.check()
            } catch {
                troubles.append(.init(.agentMailbox, error.text, error.remedy))
            }
        }
        return troubles
    }
}
