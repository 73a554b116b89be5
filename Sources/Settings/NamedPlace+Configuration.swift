extension NamedPlace {
    /// Returns all files and folders that a configuration names.
    package static func all(_ configuration: Configuration) -> [NamedPlace] {
        let ledger = configuration.ledger
        let trust = configuration.trust
        let agent = configuration.agent
        var places = [
            NamedPlace(key: "ledger.path", path: folder(of: ledger.path), isWritten: true),
            NamedPlace(key: "ledger.path", path: ledger.path, isWritten: true),
            NamedPlace(key: "ledger.reserve", path: ledger.reserve, isWritten: true),
            NamedPlace(key: "ledger.witness", path: ledger.witness, isWritten: true),
            NamedPlace(key: "ledger.witnessKey", path: ledger.witnessKey, isWritten: true),
            NamedPlace(key: "agent.keyFile", path: agent.keyFile, isWritten: true),
            NamedPlace(key: "trust.state", path: trust.state, isWritten: true),
        ]
        if trust.bundleKeys.isEmpty {
            places.append(NamedPlace(key: "trust.directory", path: trust.directory, isWritten: false))
            places.append(
                NamedPlace(
                    key: "trust.directory", path: trust.directory + "/" + TrustSection.issuersFile, isWritten: false))
        }
        var optional: [(key: String, path: String?, isWritten: Bool)] = [
            ("policy.file", configuration.policy.file, false), ("trust.rootsFile", trust.rootsFile, false),
            ("agent.rootsFile", agent.rootsFile, false),
        ]
        optional += prepared(configuration).map { ($0.key, $0.path, false) }
        optional += [
            ("log.path", configuration.log.path, true), ("control.path", configuration.control.path.map(folder), true),
        ]
        for file in configuration.sectionFiles { optional += file.writtenPaths.map { (file.key, $0, true) } }
        for case (let key, let path?, let isWritten) in optional {
            places.append(NamedPlace(key: key, path: path, isWritten: isWritten))
        }
        let awaited =
            agent.invitations + agent.copies.flatMap(\.invitations)
            + [agent.mailbox.file, configuration.agency.token?.file].compactMap(\.self)
        for path in awaited {
            places.append(NamedPlace(key: "agent", path: path, isWritten: false, isAwaited: true))
        }
        return places
    }

    /// Returns the files that a configuration bundle does not contain and that must exist before the gate can use the
    /// configuration. Files that may follow later, such as invitations, are left out.
    package static func brought(_ configuration: Configuration) -> [NamedPlace] {
        let keys = ["policy.file", "trust.rootsFile", "agent.rootsFile"] + prepared(configuration).map(\.key)
        return all(configuration).filter { keys.contains($0.key) && !$0.isWritten && !$0.isAwaited }
    }

    /// Returns the paths where commands write as root while the service is stopped: a restore, and the commands that
    /// are used after it.
    package static func writtenByCommands(_ configuration: Configuration) -> [NamedPlace] {
        let (ledger, trust) = (configuration.ledger, configuration.trust)
        let places: [(key: String, path: String?)] =
            [
                ("policy.file", configuration.policy.file), ("trust.directory", trust.directory),
                ("trust.state", trust.state), ("ledger.path", ledger.path), ("ledger.reserve", ledger.reserve),
                ("ledger.witness", ledger.witness), ("ledger.witnessKey", ledger.witnessKey),
                ("agent.keyFile", configuration.agent.keyFile),
            ] + prepared(configuration).map { ($0.key, $0.path) }
        return places.compactMap { key, path in path.map { NamedPlace(key: key, path: $0, isWritten: true) } }
    }

    /// Returns the programs that the service executes, each with the program that it executes by default.
    package static func executed(_ configuration: Configuration) -> [(place: NamedPlace, standard: String)] {
        configuration.sectionFiles.compactMap { file in
            guard case .program(let standard) = file.use else { return nil }
            return (NamedPlace(key: file.key, path: file.path, isWritten: false), standard)
        }
    }

    private static func prepared(_ configuration: Configuration) -> [SectionFile] {
        configuration.sectionFiles.filter { $0.use == .prepared }
    }
}
