// The findings of `gatehouse doctor` about the machine. No other part of the program uses these codes: the running
// service reports what it finds as faults (`ReasonTable+Faults.swift`).

extension ReasonCode.Group {
    static let machine = Self(
        title: "The machine around it (gatehouse doctor)",
        codes: [
            .boxConfiguration, .boxNotInstalled, .boxNoUser, .boxNoGroup, .boxSwap, .boxMissing, .boxUnreadable,
            .boxUnwritable, .boxOutsideSandbox, .boxDeviceDenied, .boxReadOnly, .boxDiskFull, .boxDiskSmall,
            .boxNoOpener, .boxBluetoothd, .boxLinesStayDriven, .boxOutputUnseen, .boxInputUnseen, .boxInputActive,
            .boxDate, .boxTimeServer, .boxNoRTC, .boxRTCUnused, .boxRTCDiffers, .boxRTCSilent, .boxRTCBattery,
            .boxTrust, .boxPolicyTests, .boxPolicyGroups, .boxNotRunning, .boxRestartDue,
        ])
}

extension ReasonCode {
    package static let boxConfiguration = ReasonCode(
        "box.configuration", "The configuration cannot be used, or contains something that may not be intended.",
        "Follow the detail. All problems: gatehouse config check.")
    package static let boxNotInstalled = ReasonCode(
        "box.not-installed", "The service has no unit: its user and its permissions are unknown.",
        "Install the package gatehouse, or from its sources: sudo deploy/install.", severity: .warning)
    package static let boxNoUser = ReasonCode(
        "box.no-user", "The user of the service does not exist.",
        "Run: systemd-sysusers gatehouse.conf; or install Gatehouse again.")
    package static let boxNoGroup = ReasonCode(
        "box.no-group", "The unit names a group that does not exist: systemd does not start the service.",
        "Remove it from SupplementaryGroups= (systemctl edit gatehouse), or create it: groupadd --system NAME.")
    package static let boxSwap = ReasonCode(
        "box.swap", "The service's memory, which contains visitors' claims and keys, may be written to a swap device.",
        "Set MemorySwapMax=0 in the unit, as the package does, or disable swap: swapoff -a.", severity: .warning)
    package static let boxMissing = ReasonCode(
        "box.missing", "A file or folder that the configuration names does not exist.",
        "Correct the path, or create the file or folder.")
    package static let boxUnreadable = ReasonCode(
        "box.unreadable", "The service's user may not read a file that the configuration names.",
        "Give files to its group with permission to read (chgrp gatehouse, chmod 0640), and their folders permission "
            + "to enter (chmod 0750)."
    )
    package static let boxUnwritable = ReasonCode(
        "box.unwritable", "The service's user may not write to a file or folder of its own.",
        "Give it file and folder (chown gatehouse:gatehouse). Commands that were run as root leave files that belong "
            + "to root.")
    package static let boxOutsideSandbox = ReasonCode(
        "box.outside-sandbox", "The unit denies the service access to this path, whoever owns it.",
        "Put files that the service writes below /var/lib/gatehouse, or name their folder in a drop-in: "
            + "ReadWritePaths=. Files that it only reads may be below /etc/gatehouse.")
    package static let boxDeviceDenied = ReasonCode(
        "box.device-denied", "The unit does not permit the service to use a device of this kind.",
        "Add DeviceAllow= and its group to a drop-in (systemctl edit gatehouse): "
            + "/usr/share/doc/gatehouse/hardware/displays.md."
    )
    package static let boxReadOnly = ReasonCode(
        "box.read-only", "The records are on a file system that is mounted read-only.",
        "Check dmesg: the kernel remounts a worn-out disk read-only. Otherwise set ledger.path to a writable file "
            + "system.")
    package static let boxDiskFull = ReasonCode(
        "box.disk-full",
        "The disk of the records is full or nearly full: soon no visitor will be admitted because no "
            + "record can be written.",
        "Free some space; journalctl --vacuum-size=100M is often enough.")
    package static let boxDiskSmall = ReasonCode(
        "box.disk-small", "The disk has less space than the records may use.",
        "Lower ledger.keepMegabytes, free some space, or use a larger disk.", severity: .warning)
    package static let boxNoOpener = ReasonCode(
        "box.no-opener",
        "The service has no access to its adapter: neither through the opener nor by a capability of "
            + "its own.",
        "Run: systemctl unmask gatehouse-radio.socket. Without the opener: /usr/share/gatehouse/own-radio.conf.")
    package static let boxBluetoothd = ReasonCode(
        "box.bluetoothd", "bluetoothd is installed, and nothing prevents it from starting while the kiosk runs.",
        "Run: systemctl disable --now bluetooth; or install Gatehouse again, which brings a drop-in for it.",
        severity: .warning
    )
    package static let boxLinesStayDriven = ReasonCode(
        "box.lines-stay-driven", "This board's kernel continues to drive a line after its program has ended.",
        "Add dtparam=strict_gpiod to /boot/firmware/config.txt and reboot.", severity: .warning)
    package static let boxOutputUnseen = ReasonCode(
        "box.output-unseen", "An output did not have the expected effect when its line was active.",
        "Compare the wiring with /usr/share/doc/gatehouse/hardware/wiring.md: line, driver, polarity (activeLow), "
            + "supply."
    )
    package static let boxInputUnseen = ReasonCode(
        "box.input-unseen", "An input did not change when it was operated.",
        "Compare the wiring with /usr/share/doc/gatehouse/hardware/wiring.md: line, common, contact, resistors and "
            + "bias. If another input changed instead, the wires are swapped.")
    package static let boxInputActive = ReasonCode(
        "box.input-active", "An input is active while nothing happens at the door.",
        "With door and lid shut and nothing pressed, look for a cut wire, a missing resistor (bias) or a stuck "
            + "contact; otherwise invert active in its [[door.input]].")
    package static let boxDate = ReasonCode(
        "box.date", "The date is earlier than the build of this program, so it is wrong.",
        "Set it (timedatectl set-time), and use a time server or a battery-backed clock.")
    package static let boxTimeServer = ReasonCode(
        "box.time-server",
        "The configuration says that time servers are authenticated, and chrony uses none with Network Time Security "
            + "(nts).",
        "Install chrony, and write server NAME iburst nts to /etc/chrony/sources.d/gatehouse.sources. Otherwise "
            + "remove clock.authenticated: with it a false time server opens hours immediately.", severity: .warning)
    package static let boxNoRTC = ReasonCode(
        "box.no-rtc", "There is no battery-backed clock: after a start without a network the date is unknown.",
        "Add one (a DS3231), or make sure that a time server is always reachable.", severity: .warning)
    package static let boxRTCUnused = ReasonCode(
        "box.rtc-unused", "The kernel does not read the date from the battery-backed clock when it boots.",
        "Load its driver at boot (dtoverlay=i2c-rtc,ds3231), so that it becomes rtc0; then reboot.", severity: .warning)
    package static let boxRTCDiffers = ReasonCode(
        "box.rtc-differs", "The battery-backed clock and the system's differ.",
        "If the system's date is right, run: hwclock --systohc. If it recurs, change the battery.", severity: .warning
    )
    package static let boxRTCSilent = ReasonCode(
        "box.rtc-silent", "The date of the battery-backed clock cannot be read.",
        "Check its wiring and dmesg. Until it answers, the date counts as a saved one.", severity: .warning)
    package static let boxRTCBattery = ReasonCode(
        "box.rtc-battery", "The battery-backed clock has no battery, or an empty one.",
        "Insert a battery; a Raspberry Pi 5 has a connector for one.", severity: .warning)
    package static let boxTrust = ReasonCode(
        "box.trust", "Something in the trust data is missing, too old or not valid at this date.",
        "Run: gatehouse trust verify.", severity: .warning)
    package static let boxPolicyTests = ReasonCode(
        "box.policy-tests", "The gate's rules do not pass their own test cases.",
        "Run: gatehouse policy test.")
    package static let boxPolicyGroups = ReasonCode(
        "box.policy-groups", "The gate's rules name a group that contains no issuer.",
        "Add the group to an [[issuer]] of issuers.toml, or correct the rule.", severity: .warning)
    package static let boxNotRunning = ReasonCode(
        "box.not-running", "The service is not running.",
        "Start it: systemctl enable --now gatehouse. Why it ended: journalctl -u gatehouse -n 50.", severity: .warning)
    package static let boxRestartDue = ReasonCode(
        "box.restart-due", "The running service has another version than this program.",
        "Run: systemctl restart gatehouse.", severity: .warning)
}
