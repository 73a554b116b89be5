import Credentials
import Encoding
import Features
import Foundation
import LinuxIO
import Settings
import TestKit
import Testing

@testable import Commissioning
@testable import TrustFiles

/// The files that a plan leaves on the disk, and the problems that prevent it.
@Suite struct SetupWorkTests {
    private let folder: SetupFixture

    init() throws { folder = try SetupFixture() }

    private func carryOut(_ texts: [SetupQuestion: String] = [:], replaces: Bool = false, root: String = "/none") throws
        -> [String]
    {
        try SetupWork(try folder.plan(texts), at: folder.places, replaces: replaces, root: root).carryOut()
    }

    private func problems(_ texts: [SetupQuestion: String], replaces: Bool = false) throws -> [String: String] {
        do {
            _ = try SetupWork(try folder.plan(texts), at: folder.places, replaces: replaces, root: "/none")
            return [:]
        } catch let error as SetupProblems { return error.byQuestion }
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + name)
        return (attributes[.posixPermissions] as? Int) ?? 0
    }

    @Test func theConfigurationIsThereAsAWhole() throws {
        let lines = try carryOut([.pulse: "strike"])
        #expect(lines == ["configuration: \(folder.places.file)", StartRules.words])
        #expect(folder.names("gate") == ["gate.toml", "state", "trust"])
        #expect(try mode("gate/gate.toml") == 0o640)
        #expect(try Configuration.load(folder.places.file).gate.pulse == .seconds(3))
        // A repetition changes nothing, and needs no `--replace`.
        #expect(try carryOut([.pulse: "strike"]) == ["configuration: \(folder.places.file) is unchanged"])
    }

    @Test func aConfigurationIsReplacedOnlyOnRequest() throws {
        _ = try carryOut()
        let first = folder.read("gate/gate.toml")
        let told = try problems([.name: "South"])
        #expect(told[""]?.contains("there is already a configuration: \(folder.places.file)") == true)
        #expect(told[""]?.contains("--replace") == true && folder.read("gate/gate.toml") == first)
        for name in ["South", "East", "South", "West"] {
            let lines = try carryOut([.name: name], replaces: true)
            #expect(lines.count == 2 && lines[1].hasPrefix("previous configuration: \(folder.places.file).before-"))
        }
        // Each configuration is kept once: South was kept already when it was replaced again.
        #expect(folder.names("gate") == ["gate.toml"] + (1...3).map { "gate.toml.before-\($0)" } + ["state", "trust"])
        #expect(folder.read("gate/gate.toml.before-1") == first)
        #expect(folder.read("gate/gate.toml.before-2")?.contains("\"South\"") == true)
    }

    /// A configuration that cannot be copied is not replaced.
    @Test func oneThatCannotBeReadIsNotReplaced() throws {
        _ = try carryOut()
        let long = Data(repeating: UInt8(ascii: "\n"), count: 1024 * 1024 + 1)
        try long.write(to: URL(fileURLWithPath: folder.places.file))
        #expect(try problems([.name: "South"], replaces: true)[""]?.contains("is too long") == true)
        try FileManager.default.removeItem(atPath: folder.places.file)
        try FileManager.default.createDirectory(atPath: folder.places.file, withIntermediateDirectories: true)
        #expect(try problems([.name: "South"], replaces: true)[""]?.contains("is not a file") == true)
        try FileManager.default.removeItem(atPath: folder.places.file)
        try FileManager.default.createSymbolicLink(
            atPath: folder.places.file, withDestinationPath: folder.path + "/none")
        #expect(try problems([.name: "South"], replaces: true).isEmpty, "a link to nothing")
    }

    @Test func theInvitationIsWhereTheServiceLooks() throws {
        let text = SetupFixture.invitation()
        try folder.trust.write("one.json", text)
        for invitation in [text, folder.path + "/one.json"] {
            let lines = try carryOut([.invitation: invitation], replaces: true)
            #expect(!lines.joined().contains("did:key"), "nothing of it is told")
            let path = try Configuration.load(folder.places.file).agent.invitations.first
            #expect(path == folder.places.invitation && folder.read("gate/agent.invitation") == text)
            #expect(try mode("gate/agent.invitation") == 0o640)
        }
        try folder.trust.write("bad.json", "{\"secret\": \"4711\"}")
        let told = try problems([.invitation: folder.path + "/bad.json"])
        #expect(
            told["invitation"]?.contains("not a usable invitation") == true && !told.description.contains("4711")
        )
        #expect(
            try problems([.invitation: folder.path + "/none"])["invitation"]?.contains("does not exist: none") == true)
    }

    /// A mistyped invitation may contain a single-use secret, so messages do not repeat it: of a text that
    /// looks like a file path, they repeat only the part that is a name.
    @Test func aMistypedInvitationIsNotPrinted() throws {
        let secret = "eyJzZWNyZXQiOiJPTkNFLTQ3MTEifQ"
        for answer in [
            "agent.example/?oob=" + secret, "agent.example?c_i=" + secret,
            folder.path + "/agent.example/?d_m=" + secret,
            "agent.example/?x=\(secret)", "/\(secret)\(secret)\(secret)", "oob:" + secret, "\(secret)/ ", "“{\(secret)",
        ] {
            let answers = SetupFixture.answers([.name: "N", .board: "none", .invitation: answer])
            let told = try problems([.invitation: answer])
            #expect(told.keys.sorted() == ["invitation"] && !told.description.contains(secret), "\(told)")
            let asked = SetupWork.problem(with: .invitation, in: answers, on: folder.machine, at: folder.places)
            #expect(asked?.message.contains(secret) == false, "\(answer)")
        }
    }

    @Test func aTimeServerIsNamedToChrony() throws {
        let root = folder.path + "/root"
        let texts: [SetupQuestion: String] = [.timeServer: "NTP.example"]
        func problem() throws -> String? {
            do {
                _ = try SetupWork(try folder.plan(texts), at: folder.places, replaces: false, root: root)
                return nil
            } catch let error as SetupProblems { return error.byQuestion["time-server"] }
        }
        #expect(try problem()?.contains("apt-get install chrony") == true)
        try folder.trust.write("root/usr/sbin/chronyd", "")
        #expect(try problem() != nil, "an older one reads no drop-ins")
        let files = SystemFiles(root: root)
        #expect(!Chrony.takesSources(on: files) && folder.names("gate").isEmpty, "nothing was written")
        try FileManager.default.createDirectory(
            atPath: root + "/etc/chrony/sources.d", withIntermediateDirectories: true)
        #expect(Chrony.authenticated(on: files).isEmpty)

        let file = "root/etc/chrony/sources.d/gatehouse.sources"
        let lines = try carryOut(texts, root: root)
        #expect(lines.contains { $0.hasPrefix("time server: ") && $0.contains("chronyc reload sources") })
        #expect(folder.read(file) == "# Written by gatehouse setup.\nserver ntp.example iburst nts\n")
        #expect(try mode(file) == 0o644 && Chrony.authenticated(on: files) == ["ntp.example"])
        // A repetition changes nothing, another name replaces the file.
        #expect(try carryOut(texts, root: root) == ["configuration: \(folder.places.file) is unchanged"])
        // A setup that was interrupted before chrony could read the file.
        chmod(folder.path + "/" + file, 0o640)
        _ = try carryOut(texts, root: root)
        #expect(try mode(file) == 0o644)
        _ = try carryOut([.timeServer: "other.example"], root: root)
        #expect(Chrony.authenticated(on: files) == ["other.example"])
        #expect(folder.names("root/etc/chrony/sources.d") == ["gatehouse.sources"])
    }

    /// Servers in files of chrony that setup did not write count too; entries that are not servers with `nts`
    /// do not.
    @Test func whichTimeServersAreAuthenticated() throws {
        let files = SystemFiles(root: folder.path + "/root")
        try folder.trust.write("root/etc/chrony/sources.d/a.sources", "server a.example iburst nts\n")
        #expect(Chrony.authenticated(on: files).isEmpty, "chrony is not installed")
        try folder.trust.write("root/usr/sbin/chronyd", "")
        try folder.trust.write("root/etc/chrony/sources.d/b.list", "server b.example iburst nts\n")
        try folder.trust.write(
            "root/etc/chrony/conf.d/c.conf", "  Pool C.example maxsources 2 NTS\nrefclock SHM 0 nts\n")
        try folder.trust.write(
            "root/etc/chrony/chrony.conf",
            "pool 2.debian.pool.ntp.org iburst\n#server d.example nts\nserver nts.example\nserver nts nts\n")
        #expect(Chrony.authenticated(on: files) == ["nts", "a.example", "c.example"])
    }

    @Test func aFurtherGateOnTheBoxHasADropInOfItsOwn() throws {
        let root = folder.path + "/root"
        try folder.trust.write(
            "root/usr/lib/systemd/system/gatehouse@.service", "[Service]\nUser=gatehouse\nDevicePolicy=closed\n")
        try FileManager.default.createDirectory(atPath: root + "/etc/systemd/system", withIntermediateDirectories: true)
        let places = SetupPlaces("/etc/gatehouse/out.toml")
        let plan = try SetupPlan(
            SetupFixture.answers([.name: "N", .board: "none", .display: "framebuffer"]), on: folder.machine, at: places)
        let configuration = try Configuration.parse(plan.configuration, file: places.file, folder: places.folder)
        let line = try SetupDropIn(configuration, of: places, root: root).install { _ in }
        let file = "root/etc/systemd/system/gatehouse@out.service.d/10-setup.conf"
        #expect(line?.contains("gatehouse@out.service.d") == true && folder.read(file)?.contains("char-fb") == true)
        // Now it is allowed, and for this gate only.
        #expect(try SetupDropIn(configuration, of: places, root: root).install { _ in } == nil)
        let third = SetupPlaces("/etc/gatehouse/third.toml")
        #expect(try SetupDropIn(configuration, of: third, root: root).install { _ in } != nil)
    }

    @Test func aBundleIsImported() throws {
        let key = folder.trust.operatorKey.publicKey.text
        try FileManager.default.createDirectory(atPath: folder.path + "/gate/state", withIntermediateDirectories: true)
        try Data(folder.trust.bundle(7)).write(to: URL(fileURLWithPath: folder.path + "/gates.bundle"))
        let answers: [SetupQuestion: String] = [.trustBundle: folder.path + "/gates.bundle", .bundleKey: key]
        let lines = try carryOut(answers)
        #expect(lines.last == "trust: bundle 7, valid until 2030-03-17")
        let state = TrustState(try Configuration.load(folder.places.file).trust)
        #expect(try state.read().fault == nil)
        #expect(try state.read().directory.material.edition?.version == 7)
        // An older bundle is refused before anything is changed.
        try Data(folder.trust.bundle(6)).write(to: URL(fileURLWithPath: folder.path + "/gates.bundle"))
        let older = try problems(answers.merging([.name: "Other"]) { $1 }, replaces: true)
        #expect(older["trust-bundle"]?.contains("bundle 6 is older than bundle 7") == true, "\(older)")
        // The key of another operator.
        let other = try #require(OperatorSigningKey(seed: [UInt8](repeating: 9, count: 32))).publicKey.text
        let told = try problems(answers.merging([.bundleKey: other]) { $1 }, replaces: true)
        #expect(told["trust-bundle"]?.contains("compare trust.bundleKeys") == true, "\(told)")
        let asked = SetupWork.problem(
            with: .bundleKey,
            in: SetupFixture.answers(answers.merging([.bundleKey: other, .name: "N", .board: "none"]) { $1 }),
            on: folder.machine, at: folder.places)
        #expect(asked?.question == .bundleKey && asked?.message.hasPrefix("is wrong: ") == true)
    }

    @Test func aTrustDirectoryIsImported() throws {
        try folder.trust.write("directory/did/a.json", TrustFixture.document())
        _ = try carryOut([.trustDirectory: folder.path + "/directory"])
        #expect(folder.names("gate/trust") == ["did", "issuers.toml", "policy.toml"])
        #expect(folder.names("gate/trust/did") == ["a.json"])
        try folder.trust.write("directory/issuers.toml", "nonsense = 1\n")
        let told = try problems([.trustDirectory: folder.path + "/directory", .name: "N"], replaces: true)
        #expect(told["trust-directory"]?.contains("issuers.toml:1") == true, "\(told)")
        #expect(try problems([.trustDirectory: folder.path + "/none"], replaces: true)["trust-directory"] != nil)
    }

    @Test func anIssuerIsAddedToTheOthers() throws {
        try folder.trust.write("gate/trust/issuers.toml", "# by hand\n" + TrustFixture.issuers())
        let key = "z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"
        let id = "did:web:works.example"
        let document = """
            {"id": "\(id)", "assertionMethod": ["\(id)#1"], "verificationMethod": [{"id": "\(id)#1", "type": "Multikey",
            "controller": "\(id)", "publicKeyMultibase": "\(key)"}]}
            """
        try folder.trust.write("works.json", document)
        var answers = SetupFixture.answers([
            .name: "N", .board: "none", .issuer: id, .issuerType: Self.type,
            .issuerDocument: folder.path + "/works.json",
        ])
        answers[all: .context] = ["https://www.w3.org/ns/credentials/v2"]
        let plan = try SetupPlan(answers, on: folder.machine, at: folder.places)
        let work = try SetupWork(plan, at: folder.places, replaces: false, root: "/none")
        #expect(folder.names("gate/trust") == ["issuers.toml"], "nothing is changed yet")
        let lines = try work.carryOut()
        #expect(
            lines.contains("trust: the issuer \(id)") && lines.contains { $0.contains("  key \(id)#1") }, "\(lines)")
        let store = try TrustDirectory(path: folder.path + "/gate/trust").store
        #expect(
            store.issuer(Text(id)) != nil && store.issuer(TrustFixture.id) != nil && store.keys(of: Text(id)) != nil)
        #expect(store.pins("https://www.w3.org/ns/credentials/v2"))
        #expect(folder.read("gate/trust/issuers.toml")?.hasPrefix("# by hand\n") == true)

        // A problem is reported for the answer that causes it, and nothing is pinned.
        let before = folder.names("gate/trust")
        try folder.trust.write("other.json", document.replacingOccurrences(of: id, with: "did:web:other.example"))
        try folder.trust.write("none.json", "{}")
        for (texts, question, words) in [
            ([SetupQuestion.issuer: "nobody", .issuerType: Self.type], SetupQuestion.issuer, "cannot be pinned"),
            ([.issuer: id], .issuerType, "is missing"),
            (
                [.issuer: id, .issuerType: Self.type, .issuerDocument: folder.path + "/other.json"], .issuerDocument,
                "not the document of the issuer, but of did:web:other.example"
            ),
            (
                [.issuer: id, .issuerType: Self.type, .issuerDocument: folder.path + "/none.json"], .issuerDocument,
                "not a DID document"
            ),
            (
                [.issuer: id, .issuerType: Self.type, .issuerRoot: folder.path + "/none.json"], .issuerRoot,
                "not a PEM certificate"
            ), ([.issuer: id, .issuerType: Self.type, .issuerRoot: folder.path], .issuerRoot, "is not a file"),
            ([.issuer: id, .issuerType: Self.type, .context: "https://a.example/c"], .context, "not built in"),
        ] {
            let told = try problems(texts, replaces: true)
            #expect(told.keys.sorted() == [question.rawValue] && told.description.contains(words), "\(told)")
            let asked = SetupWork.problem(
                with: question, in: SetupFixture.answers(texts.merging([.name: "N", .board: "none"]) { $1 }),
                on: folder.machine, at: folder.places)
            #expect(asked?.question == question || question == .issuerType)
        }
        #expect(folder.names("gate/trust") == before)
    }

    private static let type = "https://works.example/ns#StaffPass"

    @Test("trust data without rules get some by which the same credential again is refused; rules that are there stay")
    func rulesToBeginWith() throws {
        let (place, start) = (folder.path + "/gate/trust/", StartRules.bytes)
        let deploy = Vectors.repository.appendingPathComponent("deploy/policy-start.toml")
        #expect(try Vectors.bytes(deploy) == start, "one text")
        // For a setup that names no trust data.
        let lines = try carryOut([:])
        #expect(lines.contains(StartRules.words), "\(lines)")
        var directory = try TrustDirectory(path: place)
        #expect(directory.material.untypedIssuers == .refuse && directory.store.listedIssuers.isEmpty)
        let rules = try #require(directory.rules)
        #expect(rules.replay.action == .reject && rules.accept.map(\.namesWhatAdmits) == [false])
        // For one more issuer, and for rules that a person wrote.
        try folder.trust.write("gate/trust/policy.toml", "id = \"own\"\nversion = \"1\"\n[[accept]]\nid = \"a\"\n")
        for answers in [
            [:], [.issuer: TrustFixture.controller, .issuerType: Self.type],
            [.trustDirectory: folder.path + "/directory"],
        ] as [[SetupQuestion: String]] {
            let lines = try carryOut(answers.merging([.name: "N\(answers.count)"]) { one, _ in one }, replaces: true)
            #expect(!lines.contains(StartRules.words), "\(answers)")
            directory = try TrustDirectory(path: place)
            #expect(directory.rules?.id == "own", "\(answers)")
            if answers[.issuer] != nil {
                #expect(directory.store.issuer(Text(TrustFixture.controller))?.types == [Text(Self.type)])
            }
        }
    }

    @Test func theUnitLetsTheServiceUseItsDevices() throws {
        let root = folder.path + "/root"
        try folder.trust.write(
            "root/usr/lib/systemd/system/gatehouse.service",
            "[Service]\nUser=gatehouse\nDevicePolicy=closed\nDeviceAllow=char-gpiochip rw\n")
        try folder.trust.write("root/etc/group", "video:x:44:\nspi:x:99:\n")
        let file = "root/etc/systemd/system/gatehouse.service.d/10-setup.conf"
        try FileManager.default.createDirectory(atPath: root + "/etc/systemd/system", withIntermediateDirectories: true)
        let first = try carryOut([.display: "framebuffer"], root: root)
        #expect(first.last?.hasPrefix("unit: ") == true)
        #expect(folder.read(file)?.hasSuffix("[Service]\nDeviceAllow=char-fb rw\nSupplementaryGroups=video\n") == true)
        #expect(try mode(file) == 0o644)
        // An existing permission is left alone.
        #expect(try carryOut([.display: "framebuffer", .name: "B"], replaces: true, root: root).count == 2)
        // A group that does not exist would keep the service from starting.
        _ = try carryOut([.display: "ssd1306", .radio: "/dev/ttyACM0"], replaces: true, root: root)
        let panel = "[Service]\nDeviceAllow=char-i2c rw\nDeviceAllow=char-ttyACM rw\n"
        // Nothing else loads the module that makes the bus's node.
        let module = "[Unit]\nWants=modprobe@i2c_dev.service\nAfter=modprobe@i2c_dev.service\n"
        #expect(folder.read(file)?.hasSuffix("\n" + module + panel) == true)
        // A drop-in that an earlier version wrote gets the missing lines.
        try folder.trust.write(file, panel)
        let renewed = try carryOut(
            [.display: "ssd1306", .radio: "/dev/ttyACM0", .name: "D"], replaces: true, root: root)
        #expect(
            renewed.last?.hasPrefix("unit: ") == true && folder.read(file)?.hasSuffix("\n" + module + panel) == true)
        let last = try carryOut([.display: "none"], replaces: true, root: root)
        #expect(last.last?.hasSuffix("was removed") == true && folder.read(file) == nil)
        // A device whose name cannot be written in a unit is not added.
        for device in ["/dev/tty%i0", "/dev/ttyé0", "/dev/tty;0", "/dev/'0", "/dev/7"] {
            let lines = try carryOut([.radio: device], replaces: true, root: root)
            #expect(!lines.contains { $0.hasPrefix("unit: ") } && folder.read(file) == nil, "\(device)")
        }
        // Without an installed unit no drop-in is written.
        _ = try carryOut([.display: "framebuffer", .name: "C"], replaces: true, root: folder.path)
        #expect(folder.names("etc").isEmpty)
    }

    /// The next setup removes the files of an interrupted setup, but no files of other programs.
    @Test func leftoversGo() throws {
        for name in [".gate.toml.71.new", ".agent.invitation.8.new", ".gate.toml.x.new", ".other.7.new"] {
            try folder.trust.write("gate/" + name, "half")
        }
        _ = try carryOut()
        #expect(folder.names("gate") == [".gate.toml.x.new", ".other.7.new", "gate.toml", "state", "trust"])
    }

    @Test func aFolderThatIsMissingIsMade() throws {
        let places = SetupPlaces(folder.path + "/new/gate.toml")
        let plan = try SetupPlan(
            SetupFixture.answers([.name: "N", .board: "none"]), on: folder.machine, at: places)
        _ = try SetupWork(plan, at: places, replaces: false, root: "/none").carryOut()
        #expect(try mode("new") == 0o750)
    }

    @Test(.enabled(if: geteuid() == 0)) func aGroupMayRead() throws {
        let path = folder.path + "/gate/file"
        try DurableFile.replace(path, with: [1], group: 12)
        try DurableFile.make(folder: folder.path + "/gate/folder", group: 12)
        for name in ["file", "folder"] {
            let group = try FileManager.default.attributesOfItem(atPath: folder.path + "/gate/" + name)[
                .groupOwnerAccountID]
            #expect(group as? Int == 12)
        }
        #expect(try mode("gate/file") == 0o640 && mode("gate/folder") == 0o750)
    }
}
