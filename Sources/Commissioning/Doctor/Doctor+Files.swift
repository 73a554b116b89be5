import Reasons
import Settings
import Store

extension Doctor {
    /// The findings about the files and folders that the service needs: whether it can read or write them.
    var files: [Finding] {
        guard let account = facts.account else {
            return [
                .unknown(
                    .files, "the user who would read and write them is unknown",
                    "Correct the finding of "
                        + "user first.")
            ]
        }
        let places =
            facts.configurationFile.map { [NamedPlace(key: "the configuration", path: $0, isWritten: false)] } ?? []
        let all = places + NamedPlace.all(configuration) + NamedPlace.trust(facts.trustFiles)
        var told: Set<String> = []
        let wrong = all.compactMap { place -> Finding? in
            // Report a path that the configuration names twice only once, and a missing folder without the files in it.
            let folder = NamedPlace.folder(of: place.path)
            guard !told.contains(place.path), !told.contains(folder), let finding = finding(place, account) else {
                return nil
            }
            told.insert(place.path)
            if place.isWritten, let missing = facts.places[place.path]?.missing, missing > 1 { told.insert(folder) }
            return finding
        }
        let unseen =
            facts.unseen == 0
            ? [] : [Finding.unknown(.files, "\(facts.unseen) paths that you may not read", "Run it with sudo.")]
        guard let last = wrong.last else {
            guard unseen.isEmpty else { return unseen }
            return [.good(.files, "\(all.count) files and folders, as \(facts.userName) needs them")]
        }
        guard wrong.count > Self.mostFiles else { return wrong + unseen }
        return wrong.prefix(Self.mostFiles) + [
            last.saying("and \(wrong.count - Self.mostFiles) more, as \(last.detail)")
        ]
    }

    /// The maximum number of findings about files that are listed in full. If there are more, their number is reported.
    private static let mostFiles = 8

    private func finding(_ named: NamedPlace, _ account: Account) -> Finding? {
        let what = "\(named.path) (\(named.key))"
        // The unit names folders without the prefix that `GATEHOUSE_ROOT` adds in a test.
        let name = configuration.standard.name(named.path)
        if let unit = facts.unit, !unit.permits(name, writing: named.isWritten) {
            // Outside these folders, another path is the remedy: the folders of configurations are read-only to the
            // service.
            let remedy =
                named.isWritten
                ? "Use a path below /var/lib/gatehouse, or name the folder in a drop-in (systemctl edit gatehouse): ReadWritePaths=."
                : "Use a path below /etc/gatehouse."
            return Finding(.files, .boxOutsideSandbox, what, remedy: remedy)
        }
        guard let place = facts.places[named.path] else { return nil }
        // systemd creates this file or folder at the start of the service, so it may be missing now.
        if place.missing > 0, named.isWritten, facts.unit?.makes(name) == true { return nil }
        switch named.isWritten ? place.writing(by: account) : place.reading(by: account) {
        case .good: return ledgerFolder(named, place, account)
        case .missing where named.isAwaited: return nil
        case .missing where named.isWritten:
            return Finding(
                .files, .boxMissing, "the folder of \(what) does not exist",
                remedy: "Create it and give it to \(facts.userName), or correct \(named.key).")
        case .missing: return Finding(.files, .boxMissing, "\(what) does not exist")
        case .refused where named.isWritten && place.missing > 0:
            return Finding(
                .files, .boxUnwritable, "\(facts.userName) may not create \(what)",
                remedy: "Create it and give it to \(facts.userName), or correct \(named.key).")
        case .refused:
            return Finding(
                .files, named.isWritten ? .boxUnwritable : .boxUnreadable,
                "\(facts.userName) may not \(named.isWritten ? "write" : "read") \(what)")
        }
    }

    /// Returns the finding that the service refuses to store its ledger in the folder `place` although it may write
    /// there, because of the folder's owner or mode; nil if it does not refuse.
    private func ledgerFolder(_ named: NamedPlace, _ place: Place, _ account: Account) -> Finding? {
        let isLedgers = named.path.utf8.elementsEqual(NamedPlace.folder(of: configuration.ledger.path).utf8)
        guard isLedgers, place.missing == 0, let node = place.nodes.last,
            let lack = LedgerFolder.lack(owner: node.user, mode: node.mode, for: account.user)
        else { return nil }
        let error = StoreError.unsafeFolder(path: named.path, detail: lack)
        return Finding(.files, .ledgerUnopened, error.text, remedy: error.remedy)
    }

    /// The findings about whether the disk has enough space for the records.
    var disk: [Finding] {
        let path = configuration.ledger.path
        guard let disk = facts.disk else {
            return [.unknown(.disk, "the disk of \(path) cannot be checked", "Create its folder first.")]
        }
        let free = "\(disk.free / 1_000_000) MB free for \(path)"
        if disk.isReadOnly { return [Finding(.disk, .boxReadOnly, path)] }
        if disk.free < Self.leastRoom { return [Finding(.disk, .boxDiskFull, free)] }
        if !disk.takesFiles { return [Finding(.disk, .boxDiskFull, "no more files can be created next to \(path)")] }
        let wanted = configuration.ledger.keepMegabytes * 1_000_000 - disk.used
        if disk.free < wanted + Self.leastRoom {
            return [
                Finding(.disk, .boxDiskSmall, "\(free), and ledger.keepMegabytes may need \(wanted / 1_000_000) more")
            ]
        }
        return [.good(.disk, free)]
    }

    /// The number of free bytes below which a disk counts as full: the reserve, the write-ahead log and a new database
    /// need this space.
    private static let leastRoom = 64_000_000
}
