import ArgumentParser
import Console
import Credentials
import Encoding
import LinkedData
import NQuads

/// The command `gatehouse-workshop linked-data`: runs the JSON-LD 1.1 and RDFC-1.0 engines on files.
struct LinkedDataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "linked-data",
        abstract: "Runs the JSON-LD and RDF canonicalisation engines on files (- is standard input).",
        subcommands: [Expand.self, ToRDF.self, Canonicalize.self])

    /// The arguments of all three `linked-data` commands.
    struct Input: ParsableArguments {
        @Argument(help: "A JSON-LD document; canonicalize takes N-Quads too. - is standard input.")
        var file: String
        @Option(
            help: ArgumentHelp(
                "A context in addition to the built-in ones. Nothing is ever fetched. Can be repeated.",
                valueName: "url=file"))
        var context: [String] = []
        @Option(
            help: ArgumentHelp("The base IRI; without it relative IRIs stay relative.", valueName: "iri"))
        var base: String?

        func processor() throws -> JSONLDProcessor {
            var documents = BuiltInContexts.documents
            for entry in context {
                guard let split = entry.firstIndex(of: "=") else {
                    throw CommandFailure("--context \(entry) is not URL=FILE", remedy: "write the URL, =, and a path")
                }
                documents[Text(String(entry[..<split]))] = try json(String(entry[entry.index(after: split)...]))
            }
            return JSONLDProcessor(contexts: ContextDocuments(documents))
        }

        func json(_ path: String) throws -> JSON { try json(InputFile.bytes(path), path) }

        func json(_ bytes: [UInt8], _ path: String) throws -> JSON {
            do {
                return try JSON.parse(bytes)
            } catch {
                throw CommandFailure(
                    "\(path): not JSON (\(error.code) at byte \(error.offset))",
                    remedy: "the file must be strict JSON (RFC 8259)")
            }
        }

        var options: Options { Options(base: base.map { Text($0) }) }

        /// Runs `body`. Converts errors of the engines to failures for people.
        func reporting<Result>(_ body: () throws -> Result) throws -> Result {
            do {
                return try body()
            } catch let error as JSONLDError {
                throw Self.failure(file, error)
            } catch let error as NQuadsError {
                throw CommandFailure(
                    "\(file): line \(error.line) is not N-Quads",
                    remedy: "each line is a statement that ends with a dot")
            } catch let error as CanonicalizationError {
                throw CommandFailure("\(file): \(error.code) after \(error.work) units of work", exitCode: 1)
            }
        }

        private static func failure(_ file: String, _ error: JSONLDError) -> CommandFailure {
            if let url = error.url, error.code == .loadingRemoteContextFailed {
                return CommandFailure(
                    "\(file): the context \(Terminal.printable(url.string)) is not known, and nothing is fetched",
                    remedy: "give its document with --context URL=FILE")
            }
            let detail = error.detail.map { " (\(Terminal.printable($0.string)))" } ?? ""
            let place = error.pointer.map { $0.isEmpty ? "" : " at \(Terminal.printable($0))" } ?? ""
            return CommandFailure(
                "\(file): \(error.code.rawValue)\(detail)\(place)", remedy: "see the error codes of JSON-LD 1.1")
        }
    }

    struct Expand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the expanded document as JSON.")
        @OptionGroup var input: Input

        func run() async throws {
            let expansion = try input.reporting {
                try input.processor().expand(input.json(input.file), options: input.options)
            }
            Terminal.json(expansion.value)
        }
    }

    struct ToRDF: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "to-rdf", abstract: "Prints the document's RDF dataset as N-Quads.")
        @OptionGroup var input: Input

        func run() async throws {
            let result = try input.reporting {
                try input.processor().deserialize(input.json(input.file), options: input.options)
            }
            Terminal.data(String(decoding: result.dataset.nQuads, as: UTF8.self))
        }
    }

    struct Canonicalize: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints canonical N-Quads (RDFC-1.0).")
        @OptionGroup var input: Input
        @Option(help: ArgumentHelp("The hash inside RDFC-1.0: sha256 or sha384.", valueName: "name"))
        var hash = "sha256"

        func run() async throws {
            guard let algorithm = ["sha256": HashAlgorithm.sha256, "sha384": .sha384][hash] else {
                throw CommandFailure("--hash \(hash) is not known", remedy: "use sha256 or sha384")
            }
            let canonical = try input.reporting {
                let bytes = try InputFile.bytes(input.file)
                let dataset =
                    input.file.hasSuffix(".nq") || Self.isNQuads(bytes)
                    ? try Dataset(nQuads: bytes)
                    : try input.processor().deserialize(input.json(bytes, input.file), options: input.options).dataset
                return try RDFC10.canonicalize(dataset, hash: algorithm, limits: CanonicalizationLimits())
            }
            Terminal.data(String(decoding: canonical.nQuads, as: UTF8.self))
        }

        /// Returns whether the bytes are N-Quads and not JSON. An N-Quads statement begins with an IRI (`<`) or a blank
        /// node (`_`), a comment with `#`. No JSON text begins with one of these.
        private static func isNQuads(_ bytes: [UInt8]) -> Bool {
            let first = bytes.first { !Array(" \t\r\n".utf8).contains($0) }
            return first.map { Array("<_#".utf8).contains($0) } ?? false
        }
    }
}
