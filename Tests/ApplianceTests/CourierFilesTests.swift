import Features
import Settings
import Testing

/// The files of the courier's database in the configuration.
@Suite struct CourierFilesTests {
    /// No other file may have the path of the courier's database, or of a file that belongs to it.
    @Test(arguments: ["", "-wal", "-shm", "-journal", ".lock", ".backup", ".restoring"])
    func theCouriersFilesHaveNoOtherUse(_ ending: String) throws {
        let path = "/s/a.db.courier\(ending)"
        let text = "kiosk.name = \"G\"\n[ledger]\npath = \"/s/a.db\"\nreserve = \"\(path)\"\n"
        #expect {
            _ = try Configuration.parse(Array(text.utf8), file: "c.toml", folder: "/etc/gatehouse")
        } throws: { error in
            guard let problem = (error as? ConfigurationError)?.problems.first else { return false }
            return problem.key == "ledger.reserve" && problem.message == "is \(path), which ledger.path uses too"
        }
    }
}
