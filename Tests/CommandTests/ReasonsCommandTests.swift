import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse reasons`: the table, one row, an unknown code, and the page in `docs`.
@Suite struct ReasonsCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// The other tests of this suite make the text in this process; the program prints the same.
    @Test(arguments: [
        [], ["--json"], ["validity.expired"], ["--json", "transfer.silence"], ["validity.expird"],
    ]) func theProgramPrintsIt(_ words: [String]) async throws {
        let (program, here) = (try await folder.gatehouse(["reasons"] + words), Ending.inProcess(["reasons"] + words))
        #expect(program.isSame(as: here), "\(program)\n\(here)")
    }

    @Test func theTableForMachines() {
        let ending = Ending.inProcess("reasons", "--json")
        #expect(ending.code == 0 && ending.errors.isEmpty)
        #expect(ending.json.count > 80)
        for row in ending.json {
            #expect(["error", "warning", "info"].contains(row["severity"]?.string), "\(row)")
            for name in ["code", "meaning", "remedy"] as [Text] {
                #expect(row[name]?.string?.utf8.isEmpty == false, "\(row)")
            }
            let names = row.object?.members.map(\.name) ?? []
            #expect(Set(names).isSubset(of: ["code", "severity", "meaning", "remedy", "mosip", "refines"]))
        }
        let codes = ending.json.compactMap { $0["code"]?.string }
        #expect(Set(codes).count == codes.count)
        for code in ["ok", "validity.expired", "shape.spelling", "transfer.silence", "ledger.unavailable", "internal"] {
            #expect(codes.contains(Text(code)), "\(code)")
        }
    }

    @Test func theTableForPeople() throws {
        let ending = Ending.inProcess("reasons")
        #expect(ending.code == 0 && ending.errors.isEmpty)
        let lines = ending.lines
        #expect(lines.allSatisfy { $0.count <= 80 }, "fits a terminal of 80 columns")
        for row in Ending.inProcess("reasons", "--json").json {
            let code = try #require(row["code"]?.string?.string)
            #expect(lines.count { $0.hasPrefix("  \(code) ") } == 1, "\(code)")
        }
    }

    @Test func familiesAndOtherNames() {
        let faults = Ending.inProcess("reasons", "--json", "fault.")
        #expect(faults.code == 0 && faults.json.count > 20)
        #expect(faults.json.allSatisfy { $0["code"]?.string?.hasPrefix("fault.") == true })
        #expect(Ending.inProcess("reasons", "TVV_CON_001").lines.first == "transfer.TVV_CON_001")
        #expect(Ending.inProcess("reasons", "ERR_VC_EXPIRED").lines.first == "validity.expired")
        let phone = Ending.inProcess("reasons", "TVW_CON_002")
        #expect(phone.code == 0 && phone.lines.first == "TVW_CON_002" && phone.output.contains("size of packets"))
        for code in ["none.", "fault", "TVW_CON_009"] {
            #expect(Ending.inProcess("reasons", code).code == 2, "\(code)")
        }
    }

    @Test func oneRow() {
        let one = Ending.inProcess("reasons", "validity.expired")
        #expect(one.code == 0 && one.lines.first == "validity.expired")
        #expect(one.output.contains("credential has expired") && one.output.contains("needs a new one"))
        #expect(one.output.contains("ERR_VC_EXPIRED"))
        let machine = Ending.inProcess("reasons", "--json", "transfer.silence")
        #expect(machine.json.count == 1 && machine.json[0]["refines"] == "transfer.TVV_UNK_001")
        let cause = Ending.inProcess("reasons", "radio.busy")
        #expect(cause.code == 0 && cause.output.contains("systemctl disable --now bluetooth"), "\(cause)")
        let fault = Ending.inProcess("reasons", "fault.gpio")
        #expect(fault.output.contains("causes    gpio.no-library, gpio.no-chip, "), "\(fault)")
        let documented = Ending.inProcess("reasons", "transfer.TVV_UNK_001")
        #expect(documented.output.contains("transfer.silence, transfer.too-long, transfer.wallet-failed"))
    }

    /// By docs/log.md, readers make the ids with uuidgen: UUID version 5 of RFC 9562.
    @Test func theCatalogHasTheIdsThatPeopleMake() async throws {
        let page = try String(contentsOf: Vectors.repository.appendingPathComponent("docs/log.md"), encoding: .utf8)
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("uuidgen --sha1 --namespace ") })
        let words = line.split(separator: " ").map(String.init)
        let script = "import sys,uuid; print(uuid.uuid5(uuid.UUID(sys.argv[1]), sys.argv[2]).hex)"
        let made = try await Program.run("python3", ["-c", script, words[3], words[5]], in: folder)
        let catalog = Ending.inWorkshop("reference", "catalog")
        #expect(words[4] == "--name" && made.code == 0 && made.lines[0].count == 32, "\(made)")
        #expect(catalog.output.contains("-- \(made.lines[0])\nSubject: \(words[5])"), "\(made)")
    }

    @Test func aRuleOfThePolicy() {
        let ending = Ending.inProcess("reasons", "policy.any\u{1B}thing")
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.lines.first == "policy.any?thing" && ending.output.contains("the policy file"))
    }

    @Test func aCodeThatThereIsNot() {
        for arguments in [["validity.expird"], ["--json", "expired"], ["\u{1B}validity.expired"], ["ERR_VC_EXPIRE"]] {
            let ending = Ending.inProcess(["reasons"] + arguments)
            #expect(ending.code == 2 && ending.output.isEmpty, "\(ending)")
            #expect(ending.hasRemedy && ending.errors.contains("the nearest is validity.expired"), "\(ending)")
            #expect(!ending.errors.contains("\u{1B}"))
        }
    }

    @Test func thePageIsTheTable() throws {
        let page = Vectors.repository.appendingPathComponent("docs/reasons.md")
        let ending = Ending.inWorkshop("reference", "reasons")
        #expect(ending.code == 0)
        #expect(try ending.output == String(contentsOf: page, encoding: .utf8), "make reasons")
        let catalog = Vectors.repository.appendingPathComponent("deploy/gatehouse.catalog")
        let entries = Ending.inWorkshop("reference", "catalog")
        #expect(try entries.output == String(contentsOf: catalog, encoding: .utf8), "make reasons")
        let lines = ending.lines
        for row in Ending.inProcess("reasons", "--json").json {
            let code = try #require(row["code"]?.string?.string)
            #expect(lines.count { $0.hasPrefix("| `\(code)` | ") } == 1, "\(code)")
        }
    }
}
