// The findings of `gatehouse doctor` about the machine that runs the program. No other part uses these codes:
// the running service reports its own findings as health codes.

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
        "box.configuration", "The configuration cannot be used, or says something that may not be meant.",
        "Do what the detail says; all of it: gatehouse config check.")
    package static let boxNotInstalled = ReasonCode(
        "box.not-installed", "There is no unit of the service: as whom it will run and what it may use is not known.",
        "Install the package gatehouse, or from its sources: sudo deploy/install.", severity: .warning)
    package static let boxNoUser = ReasonCode(
        "box.no-user", "There is no such user as the service is to run as.",
        "Run: systemd-sysusers gatehouse.conf; or install Gatehouse again.")
    package static let boxNoGroup = ReasonCode(
        "box.no-group", "The unit names a group that there is not: systemd does not start the service.",
        "Take it out of SupplementaryGroups= (systemctl edit gatehouse), or make it: groupadd --system NAME.")
    package static let boxSwap = ReasonCode(
        "box.swap", "The service's memory, with visitors' claims and with keys, may be written to a swap device.",
        "Set MemorySwapMax=0 in the unit, as the package does, or turn swap off: swapoff -a.", severity: .warning)
    package static let boxMissing = ReasonCode(
        "box.missing", "What the configuration names is not there.",
        "Correct the path, or put there what belongs there.")
    package static let boxUnreadable = ReasonCode(
        "box.unreadable", "The service's user may not read what the configuration names.",
        "Give files to its group and let that read (chgrp gatehouse, chmod 0640), and enter their folders (chmod 0750)."
    )
    package static let boxUnwritable = ReasonCode(
        "box.unwritable", "The service's user may not write where it keeps something.",
        "Give file and folder to it (chown gatehouse:gatehouse): commands that were run as root leave files of root.")
    package static let boxOutsideSandbox = ReasonCode(
        "box.outside-sandbox", "The unit keeps the service out of that place, whoever owns it.",
        "Keep what is written below /var/lib/gatehouse, or name its folder in a drop-in: ReadWritePaths=. What is only read may lie below "
            + "/etc/gatehouse.")
    package static let boxDeviceDenied = ReasonCode(
        "box.device-denied", "The unit does not let the service use a device of this kind.",
        "Add DeviceAllow= and its group to a drop-in (systemctl edit gatehouse): /usr/share/doc/gatehouse/hardware/displays.md."
    )
    package static let boxReadOnly = ReasonCode(
        "box.read-only", "The records lie on a file system that is mounted read-only.",
        "Look at dmesg: a disk that is worn out is mounted so. Otherwise put ledger.path on one that can be written.")
    package static let boxDiskFull = ReasonCode(
        "box.disk-full", "The disk of the records is full, or nearly: soon nobody is let in for want of a record.",
        "Make room; journalctl --vacuum-size=100M is often enough.")
    package static let boxDiskSmall = ReasonCode(
        "box.disk-small", "The disk has less room than the records may take.",
        "Lower ledger.keepMegabytes, make room, or use a larger disk.", severity: .warning)
    package static let boxNoOpener = ReasonCode(
        "box.no-opener", "Nothing gives the service its adapter: neither the opener nor a right of its own.",
        "Run: systemctl unmask gatehouse-radio.socket. Without the opener: /usr/share/gatehouse/own-radio.conf.")
    package static let boxBluetoothd = ReasonCode(
        "box.bluetoothd", "bluetoothd is installed, and nothing keeps it from starting beside the kiosk.",
        "Run: systemctl disable --now bluetooth; or install Gatehouse again, which brings a drop-in for it.",
        severity: .warning
    )
    package static let boxLinesStayDriven = ReasonCode(
        "box.lines-stay-driven", "This board's kernel keeps driving a line after its program is gone.",
        "Add dtparam=strict_gpiod to /boot/firmware/config.txt and start the machine anew.", severity: .warning)
    package static let boxOutputUnseen = ReasonCode(
        "box.output-unseen", "An output did not do what it should when its line was active.",
        "Compare the wiring with /usr/share/doc/gatehouse/hardware/wiring.md: line, driver, polarity (activeLow), supply."
    )
    package static let boxInputUnseen = ReasonCode(
        "box.input-unseen", "An input did not show what somebody did at the door.",
        "Compare the wiring with /usr/share/doc/gatehouse/hardware/wiring.md: line, common, contact, resistors and bias. Where another input moved, the wires "
            + "are changed over.")
    package static let boxInputActive = ReasonCode(
        "box.input-active", "An input is active while all is at rest at the door.",
        "With door and lid shut and nothing pressed: look for a cut wire, a missing resistor (bias) or a stuck contact; else turn "
            + "active round in its [[door.input]].")
    package static let boxDate = ReasonCode(
        "box.date", "The date is before this program was made, so it is wrong.",
        "Set it (timedatectl set-time), and have a time server or a battery-backed clock.")
    package static let boxTimeServer = ReasonCode(
        "box.time-server",
        "The configuration says that time servers are authenticated, and chrony asks none with Network Time Security (nts).",
        "Install chrony, and write server NAME iburst nts to /etc/chrony/sources.d/gatehouse.sources. Else take clock.authenticated "
            + "out: with it a false time server opens hours at once.", severity: .warning)
    package static let boxNoRTC = ReasonCode(
        "box.no-rtc", "There is no battery-backed clock: after a start without network nobody knows the date.",
        "Add one (a DS3231), or see that a time server is always reached.", severity: .warning)
    package static let boxRTCUnused = ReasonCode(
        "box.rtc-unused", "The kernel does not take the date from the battery-backed clock when it starts.",
        "Load its driver at boot (dtoverlay=i2c-rtc,ds3231), so that it is rtc0; then start anew.", severity: .warning)
    package static let boxRTCDiffers = ReasonCode(
        "box.rtc-differs", "The battery-backed clock and the system's differ.",
        "When the system's date is right, run: hwclock --systohc. If it recurs, change the battery.", severity: .warning
    )
    package static let boxRTCSilent = ReasonCode(
        "box.rtc-silent", "The battery-backed clock does not tell its date.",
        "Look at its wiring and at dmesg; until it answers the date counts as a saved one.", severity: .warning)
    package static let boxRTCBattery = ReasonCode(
        "box.rtc-battery", "The battery-backed clock has no battery, or an empty one.",
        "Put a battery in; on a Raspberry Pi 5 it has a connector of its own.", severity: .warning)
    package static let boxTrust = ReasonCode(
        "box.trust", "Something in the trust data is missing, too old or not valid at this date.",
        "Look at all of it with: gatehouse trust verify.", severity: .warning)
    package static let boxPolicyTests = ReasonCode(
        "box.policy-tests", "The gate's rules do not do what their own test cases say.",
        "See which with: gatehouse policy test.")
    package static let boxPolicyGroups = ReasonCode(
        "box.policy-groups", "The gate's rules name a group of issuers that nobody is in.",
        "Add the group to an [[issuer]] of issuers.toml, or correct the rule.", severity: .warning)
    package static let boxNotRunning = ReasonCode(
        "box.not-running", "The service does not run.",
        "Start it: systemctl enable --now gatehouse; why it ended: journalctl -u gatehouse -n 50.", severity: .warning)
    package static let boxRestartDue = ReasonCode(
        "box.restart-due", "The service that runs is of another version than this program.",
        "Run: systemctl restart gatehouse.", severity: .warning)
}
