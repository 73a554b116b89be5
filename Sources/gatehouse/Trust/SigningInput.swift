import ArgumentParser
import Clocks
import Console
import Credentials
import Encoding
import LinuxIO

/// The options for signing a bundle: private key, version, validity and file.
struct SigningInput: ParsableArguments {
    @Option(help: ArgumentHelp("The file with the private key, from gatehouse trust keygen.", valueName: "file"))
    var key: String?
    @Option(help: ArgumentHelp("The bundle's version, from 1 up.", valueName: "version"))
    var number: Int?
    @Option(help: ArgumentHelp("How long it is valid from now, such as 90d.", valueName: "duration"))
    var validFor = "90d"
    @Option(name: [.short, .customLong("output")], help: ArgumentHelp("The bundle to write.", valueName: "file"))
    var output: String?

    /// Returns the values of all options. Throws if an option is missing or cannot be used. `command`: the name of the
    /// calling command, for the remedy.
    func read(
        _ command: String, grace: Duration = .zero
    ) throws -> (signer: OperatorSigningKey, edition: TrustEdition, output: String) {
        guard let key, let number, let output else {
            throw CommandFailure(
                "a bundle needs a key, a version and a file",
                remedy: "gatehouse \(command) bundle DIRECTORY --key FILE --number VERSION --output FILE")
        }
        guard let signer = OperatorSigningKey(pem: try InputFile.bytes(key, limit: 4096)) else {
            throw CommandFailure(
                "\(key) is not an Ed25519 private key",
                remedy: "create one with gatehouse trust "
                    + "keygen")
        }
        guard let validFor = DurationText.parse(validFor) else {
            throw CommandFailure("--valid-for takes a duration", remedy: "write for example 90d or 12h")
        }
        let now = Timestamp(seconds: Machine.clock.utc().seconds)
        let edition = TrustEdition(
            version: number, digest: [], issued: now, validUntil: now.advanced(by: validFor), grace: grace)
        return (signer, edition, output)
    }
}
