import Encoding
import Foundation
import Testing

/// `gatehouse report`, for somebody who helps from elsewhere.
@Suite struct ReportCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func gate(_ more: String = "") async throws -> String {
        try await folder.exportSample()
        return try folder.write(
            "gate.toml",
            """
            [kiosk]
            name = "North-Gate"
            [trust]
            directory = "sample/trust"
            state = "trust"
            [ledger]
            path = "gatehouse.db"
            [control]
            path = "control.sock"
            \(more)
            """)
    }

    @Test func everyPartIsThereAndNoName() async throws {
        let file = try await gate("[agency]\ndialect = \"evernym\"\ntoken = \"not-a-real-token\"")
        let written = try folder.write(
            "log", "North-Gate asked https://agent.example/?oob=eyJh\nvisit from 5C:F3:70:8B:12:FE\nnot-a-real-token\n")
        let ending = try await folder.gatehouse("report", "--redacted", "--config", file, "--log", written)
        #expect(ending.code == 0 && ending.errors.isEmpty, "\(ending)")
        for part in ["## Machine", "## What the doctor finds", "## What the service says", "## Settings", "## Log"] {
            #expect(ending.lines.contains(part), "\(part)")
        }
        #expect(ending.output.contains("it does not answer") && ending.output.contains("gatehouse 0."))
        #expect(ending.output.contains("  name = \"<name 1>\"") && ending.output.contains("[door]"))
        let log = ending.lines.suffix(3).map { $0.replacing(/[0-9]>$/, with: "N>") }
        #expect(log == ["<name 1> asked <invitation N>", "visit from <address N>", "<secret N>"])
        for secret in ["North-Gate", "agent.example", "5C:F3", "not-a-real-token"] {
            #expect(!ending.output.contains(secret), "\(secret)")
        }
    }

    /// A name of several words is not torn apart by the end of a line.
    @Test func aNameOfSeveralWordsIsTakenOut() async throws {
        let name = "Pier Nine North"
        let file = try await gate("[display]\ninstruction = \"\(name)\"\nfile = \"/nowhere/at all/\(name)/a.png\"")
        let ending = try await folder.gatehouse("report", "--redacted", "--config", file)
        #expect(ending.code == 0 && !ending.output.contains("Nine") && ending.output.contains("/<name "), "\(ending)")
        #expect(ending.lines.allSatisfy { !$0.hasPrefix("  →") })
    }

    @Test func namesStayWhereNobodyMinds() async throws {
        let ending = try await folder.gatehouse(
            "report", "--config", try await gate("[agency]\ntoken = \"not-a-real-token\""))
        #expect(ending.code == 0 && ending.output.contains("name = \"North-Gate\""), "\(ending)")
        #expect(!ending.output.contains("not-a-real-token") && !ending.lines.contains("## Log"))
    }

    /// What is wrong is what the report is for.
    @Test func aConfigurationThatCannotBeReadIsReported() async throws {
        let file = try folder.write("gate.toml", "[kiosk]\nname = \n")
        let ending = try await folder.gatehouse("report", "--redacted", "--config", file)
        #expect(ending.code == 0 && ending.output.contains("they cannot be read"), "\(ending)")
        #expect(ending.output.contains("configuration: bad") && ending.output.contains("gate.toml:2:"), "\(ending)")
        let missing = try await folder.gatehouse("report", "--config", file, "--log", "nothing")
        #expect(missing.code == 2 && missing.errors.contains("cannot read nothing"), "\(missing)")
    }
}
