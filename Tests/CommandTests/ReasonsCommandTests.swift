import Encoding
import Foundation
import TestKit
import Testing

/// `gatehouse reasons`: the table, one row, a code that there is not, and the page in `docs`.
@Suite struct ReasonsCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test func theTableForMachines() async throws {
        let ending = try await folder.gatehouse("reasons", "--json")
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

    @Test func theTableForPeople() async throws {
        let ending = try await folder.gatehouse("reasons")
        #expect(ending.code == 0 && ending.errors.isEmpty)
        #expect(ending.lines.allSatisfy { $0.count <= 80 }, "fits a terminal of 80 columns")
        for row in try await folder.gatehouse("reasons", "--json").json {
            let code = try #require(row["code"]?.string?.string)
            #expect(ending.lines.count { $0.hasPrefix("  \(code) ") } == 1, "\(code)")
        }
    }

    @Test func oneRow() async throws {
        let one = try await folder.gatehouse("reasons", "validity.expired")
        #expect(one.code == 0 && one.lines.first == "validity.expired")
        #expect(one.output.contains("validity is over") && one.output.contains("needs a new one"))
        #expect(one.output.contains("ERR_VC_EXPIRED"))
        let machine = try await folder.gatehouse("reasons", "--json", "transfer.silence")
        #expect(machine.json.count == 1 && machine.json[0]["refines"] == "transfer.TVV_UNK_001")
        let cause = try await folder.gatehouse("reasons", "radio.busy")
        #expect(cause.code == 0 && cause.output.contains("systemctl disable --now bluetooth"), "\(cause)")
        let fault = try await folder.gatehouse("reasons", "fault.gpio")
        #expect(fault.output.contains("causes    gpio.no-chip, "), "\(fault)")
        let documented = try await folder.gatehouse("reasons", "transfer.TVV_UNK_001")
        #expect(documented.output.contains("transfer.silence, transfer.too-long, transfer.wallet-failed"))
    }

    /// docs/log.md has people make them with uuidgen, which is UUID version 5 of RFC 9562.
    @Test func theCatalogHasTheIdsThatPeopleMake() async throws {
        let page = try String(contentsOf: Vectors.repository.appendingPathComponent("docs/log.md"), encoding: .utf8)
        let line = try #require(page.split(separator: "\n").first { $0.hasPrefix("uuidgen --sha1 --namespace ") })
        let words = line.split(separator: " ").map(String.init)
        let script = "import sys,uuid; print(uuid.uuid5(uuid.UUID(sys.argv[1]), sys.argv[2]).hex)"
        let made = try await Program.run("python3", ["-c", script, words[3], words[5]], in: folder)
        let catalog = try await folder.gatehouse("reasons", "--catalog")
        #expect(words[4] == "--name" && made.code == 0 && made.lines[0].count == 32, "\(made)")
        #expect(catalog.output.contains("-- \(made.lines[0])\nSubject: \(words[5])"), "\(made)")
    }

    @Test func aRuleOfThePolicy() async throws {
        let ending = try await folder.gatehouse("reasons", "policy.any\u{1B}thing")
        #expect(ending.code == 0, "\(ending)")
        #expect(ending.lines.first == "policy.any?thing" && ending.output.contains("the policy file"))
    }

    @Test func aCodeThatThereIsNot() async throws {
        for arguments in [["validity.expird"], ["--json", "expired"], ["\u{1B}validity.expired"], ["ERR_VC_EXPIRED"]] {
            let ending = try await folder.gatehouse(["reasons"] + arguments)
            #expect(ending.code == 2 && ending.output.isEmpty, "\(ending)")
            #expect(ending.hasRemedy && ending.errors.contains("the nearest is validity.expired"), "\(ending)")
            #expect(!ending.errors.contains("\u{1B}"))
        }
        #expect(try await folder.gatehouse("reasons", "--markdown", "ok").code == 2)
        #expect(try await folder.gatehouse("reasons", "--markdown", "--json").code == 2)
    }

    @Test func thePageIsTheTable() async throws {
        let page = Vectors.repository.appendingPathComponent("docs/reasons.md")
        let ending = try await folder.gatehouse("reasons", "--markdown")
        #expect(ending.code == 0)
        #expect(try ending.output == String(contentsOf: page, encoding: .utf8), "make reasons")
        let catalog = Vectors.repository.appendingPathComponent("deploy/gatehouse.catalog")
        let entries = try await folder.gatehouse("reasons", "--catalog")
        #expect(try entries.output == String(contentsOf: catalog, encoding: .utf8), "make reasons")
        for row in try await folder.gatehouse("reasons", "--json").json {
            let code = try #require(row["code"]?.string?.string)
            #expect(ending.lines.count { $0.hasPrefix("| `\(code)` | ") } == 1, "\(code)")
        }
    }
}
