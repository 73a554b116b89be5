import Foundation

extension Scratch {
    /// Writes scripts for sh(1) as programs; returns a PATH that has them first. A shell writes the files: if
    /// this process had them open for writing, a child that is forked meanwhile would keep them busy
    /// (ETXTBSY).
    func programs(_ scripts: [String: String]) async throws -> String {
        for (name, script) in scripts {
            let write = "mkdir -p fake && cat > fake/\(name) && chmod 755 fake/\(name)"
            let ending = try await Program.run("sh", ["-c", write], input: "#!/bin/sh\n\(script)\n", in: self)
            guard ending.code == 0 else { throw ProgramFailure(description: "\(ending)") }
        }
        return path("fake") + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    }
}
