import Encoding

/// An index file (`contexts/index.json` or `status/index.json`): a list of files with their URLs.
package struct TrustIndex {
    let path: String
    var entries: [JSONObject]
    /// The files that no entry names any more after the calls of ``remove(_:)``.
    private(set) var leftOver: [String] = []

    /// The maximum size of a file of the trust directory in bytes: 16 MiB.
    package static let largestFile = 16 * 1024 * 1024

    init(_ path: String, in folder: TrustFolder) {
        self.path = path
        let json = folder.read(path, limit: Self.largestFile).flatMap { try? JSON.parse($0) }
        entries = (json?.array ?? []).compactMap(\.object)
    }

    private var place: String { String(path.prefix { $0 != "/" }) + "/" }

    func file(of url: Text) -> String? {
        entries.first { $0["url"]?.string == url }?["file"]?.string.map { place + $0.string }
    }

    /// Removes a URL. If then no entry names the file of the URL, adds the file to ``leftOver``.
    mutating func remove(_ url: Text) {
        for index in entries.indices.reversed() {
            if let aliases = entries[index]["aliases"]?.array {
                entries[index]["aliases"] = .array(aliases.filter { $0.string != url })
            }
            guard entries[index]["url"]?.string == url else { continue }
            let old = entries.remove(at: index)
            // Keep the entry of the document if it has other URLs.
            var aliases = (old["aliases"]?.array ?? []).compactMap(\.string)
            if !aliases.isEmpty {
                var rest = old
                rest["url"] = .string(aliases.removeFirst())
                rest["aliases"] = .array(aliases.map { .string($0) })
                entries.insert(rest, at: index)
            } else if let file = old["file"], !entries.contains(where: { $0["file"] == file }), let name = file.string {
                leftOver.append(place + name.string)
            }
        }
    }

    /// The content of the index file, with each entry on its own line so that people can read and compare it.
    var bytes: [UInt8] {
        Array(("[\n" + entries.map { "    " + JSON.object($0).compactText }.joined(separator: ",\n") + "\n]\n").utf8)
    }
}
