package import Encoding
package import Settings

/// `[observe]`: where the service publishes its status in addition to the control socket.
package struct ObserveSection: ConfigurationSection, Hashable {
    /// The section that precedes this one in the list of all keys.
    package static let follows = "control"

    /// The address at which the service answers requests for pages.
    package enum Listen: Hashable, Sendable {
        /// A Unix socket at the given path, with the same access rights as the control socket.
        case socket(String)
        /// A loopback address of this machine, with a port.
        case address(ListenAddress)
    }

    /// The path of the file with the status report; nil if the service writes no such file.
    package var status: String?
    /// The path of the file with the metrics, for the textfile collector of Prometheus' node exporter; nil if
    /// the service writes no such file.
    var textfile: String?
    /// The address at which the service answers requests for page, report and metrics; nil if it does not.
    package var listen: Listen?

    /// The path of the socket; nil if the service listens at a loopback address or not at all.
    var socket: String? { if case .socket(let path)? = listen { path } else { nil } }

    private static let scheme = "unix:"

    /// Reads `[observe]`. By default the files and the socket are in the folder of the control socket.
    package init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder) {
        let control = configuration.control.path ?? ControlSection.standardPath
        let beside = folder.standard.name(NamedPlace.folder(of: control))
        status = Self.path(
            &reader, "observe.status", reader.text("observe.status", default: beside + "/status.json"), folder)
        textfile = reader.optional("observe.textfile").map { resolve($0, in: folder) }
        if let textfile, !textfile.hasSuffix(".prom") {
            reader.reject(
                "observe.textfile", "does not end with .prom, so the node exporter ignores it",
                "Write for example: textfile = \"/var/lib/prometheus/node-exporter/gatehouse.prom\"")
        }
        listen = Self.listen(
            &reader, reader.text("observe.listen", default: Self.scheme + beside + "/observe.sock"), folder)
    }

    /// The files and the socket of the section.
    package var files: [SectionFile] {
        let files: [(key: String, path: String?, use: SectionFile.Use)] = [
            ("observe.status", status, .replaced), ("observe.textfile", textfile, .replaced),
            ("observe.listen", socket, .socket),
        ]
        return files.compactMap { file in file.path.map { SectionFile(file.key, $0, file.use) } }
    }

    private static func path(
        _ reader: inout ConfigurationReader, _ key: String, _ text: String, _ folder: ConfigurationFolder
    ) -> String? {
        if text.isEmpty { reader.reject(key, "is empty", "Write a path, or \"none\".") }
        return text.utf8.elementsEqual("none".utf8) ? nil : resolve(text, in: folder)
    }

    private static func listen(_ reader: inout ConfigurationReader, _ text: String, _ folder: ConfigurationFolder)
        -> Listen?
    {
        let key = "observe.listen"
        if text.utf8.starts(with: scheme.utf8) {
            let place = String(text.dropFirst(scheme.count))
            guard let path = path(&reader, key, place, folder), !place.isEmpty else { return nil }
            ControlSection.checkSocket(&reader, key, path)
            return .socket(path)
        }
        if text.utf8.elementsEqual("none".utf8) { return nil }
        let example =
            "Write \"unix:/run/gatehouse/observe.sock\", \"127.0.0.1:9464\" (a port from 1024 on) or \"none\"."
        guard let address = ListenAddress(text), address.port >= 1024 else {
            reader.reject(key, "\"\(text.prefix(60))\" is neither a socket nor an address with a port", example)
            return nil
        }
        guard address.host.isLoopback else {
            reader.reject(
                key, "\(address) could be reached from other machines, and there is neither TLS nor a password",
                "\(example) From elsewhere: ssh -L, see /usr/share/doc/gatehouse/docs/observation.md.")
            return nil
        }
        return .address(address)
    }
}
