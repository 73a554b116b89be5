import Foundation
import TestKit

/// The Swift files of this repository, read once.
struct SourceTree: Sendable {
    /// The files by their path in the repository.
    let files: [String: SwiftSource]
    /// The words of the code of each file, by its path.
    let words: [String: Set<String>]

    /// The files of this repository. Links, by which the fuzz package shares files, are left out.
    static let repository: SourceTree = {
        let root = Vectors.repository.resolvingSymlinksInPath().path + "/"
        let folders = ["Sources", "Tools", "Tests", "Examples"].map { URL(fileURLWithPath: root + $0) }
        let files = folders.flatMap(swiftFiles) + [URL(fileURLWithPath: root + "Package.swift")]
        return SourceTree(
            Dictionary(
                files.compactMap { file in
                    let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: file.path)) != nil
                    guard !isLink, !file.path.contains("/.build/") else { return nil }
                    return (try? String(contentsOf: file, encoding: .utf8))
                        .map { (String(file.path.dropFirst(root.count)), $0) }
                }, uniquingKeysWith: { $1 }))
    }()

    /// A tree of those texts.
    init(_ texts: [String: String]) {
        files = texts.mapValues(SwiftSource.init)
        words = files.mapValues { $0.lines.reduce(into: []) { $0.formUnion(SwiftSource.words(in: $1.code)) } }
    }

    /// The target of a file: its folder in `Sources`, `Tools` or `Tests`.
    static func target(of path: String) -> String { path.split(separator: "/").prefix(2).joined(separator: "/") }
}
