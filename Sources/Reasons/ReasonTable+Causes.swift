// The causes of faults of the radio and of the GPIO lines. The detail of such a fault begins with the code of its
// cause. `gatehouse doctor` finds the same causes before the service starts.

extension ReasonCode.Group {
    /// The causes of ``ReasonCode/radioFailed``, in the order in which a start of the service can meet them.
    static let radioCauses = Self(
        title: "Causes of fault.radio",
        codes: [
            .radioNoBluetooth, .radioNotFound, .radioBusy, .radioBlocked, .radioSwitchedOff, .radioOpener,
            .radioNotPermitted, .radioUnreachable, .radioSpeed, .radioGone, .radioController, .radioStalled,
            .radioFraming, .radioBadPacket, .radioSystem,
        ])

    /// The causes of ``ReasonCode/gpioFailed``, in the order in which a start of the service can meet them.
    static let gpioCauses = Self(
        title: "Causes of fault.gpio",
        codes: [
            .gpioNoLibrary, .gpioNoChip, .gpioNotPermitted, .gpioOldKernel, .gpioNoLine, .gpioCount, .gpioBusy,
            .gpioActive, .gpioCall,
        ])
}

extension ReasonCode {
    package static let radioNoBluetooth = ReasonCode(
        "radio.no-bluetooth", refining: radioFailed, "The kernel has no Bluetooth support.",
        "Use a kernel with Bluetooth (modprobe bluetooth). Do not run in a container or with PrivateNetwork=.")
    package static let radioNotFound = ReasonCode(
        "radio.not-found", refining: radioFailed, "The adapter or device does not exist.",
        "Check that it is plugged in, and compare radio.device with ls /sys/class/bluetooth.")
    package static let radioBusy = ReasonCode(
        "radio.busy", refining: radioFailed, "bluetoothd or another program uses the adapter.",
        "Run: systemctl disable --now bluetooth; or stop the second kiosk.")
    package static let radioBlocked = ReasonCode(
        "radio.rfkill", refining: radioFailed, "The transmitter is blocked by software.",
        "Run: rfkill unblock bluetooth. The service does so itself where it is permitted to.")
    package static let radioSwitchedOff = ReasonCode(
        "radio.switched-off", refining: radioFailed, "The transmitter is blocked by hardware.",
        "Look for a wireless switch or key on the machine: rfkill list shows a hard block.")
    package static let radioOpener = ReasonCode(
        "radio.opener", refining: radioFailed,
        "The opener, the program that takes the adapter for the service, "
            + "failed.",
        "Run: systemctl restart gatehouse-radio.socket. Its log: journalctl -u gatehouse-radio.")
    package static let radioNotPermitted = ReasonCode(
        "radio.not-permitted", refining: radioFailed, "This process is not permitted to use the adapter or the device.",
        "Run it as the service, or grant it CAP_NET_ADMIN or the device's group.")
    package static let radioUnreachable = ReasonCode(
        "radio.unreachable", refining: radioFailed, "Nothing answers at the controller's address.",
        "Start the controller, or correct radio.host and radio.port.")
    package static let radioSpeed = ReasonCode(
        "radio.speed", refining: radioFailed, "The serial line does not support the speed of radio.baud.",
        "Use one of the speeds that the detail lists.")
    package static let radioGone = ReasonCode(
        "radio.gone", refining: radioFailed, "The adapter was unplugged, or the controller closed the connection.",
        "Plug it in again, with a better cable or supply if this recurs. The service takes it automatically.")
    package static let radioController = ReasonCode(
        "radio.controller", refining: radioFailed,
        "The controller does not follow its commands: no answer, an error, or it stopped advertising.",
        "No immediate action is needed: it is reset automatically. If it recurs, follow the detail, or use another "
            + "adapter.")
    package static let radioStalled = ReasonCode(
        "radio.stalled", refining: radioFailed, "The controller accepts no more data.",
        "No immediate action is needed: it is reset automatically. If it recurs, power it off and on.")
    package static let radioFraming = ReasonCode(
        "radio.framing", refining: radioFailed, "The data from the controller are not a stream of HCI packets.",
        "Check radio.baud and radio.flowControl; on a Raspberry Pi do not use the mini UART.")
    package static let radioBadPacket = ReasonCode(
        "radio.bad-packet", refining: radioFailed, "The program created a packet that cannot be sent.",
        "Keep the log and report it to the maintainers of Gatehouse.")
    package static let radioSystem = ReasonCode(
        "radio.system", refining: radioFailed, "Another system call failed while the radio was opened or used.",
        "Follow the detail.")

    package static let gpioNoLibrary = ReasonCode(
        "gpio.no-library", refining: gpioFailed, "libgpiod, which drives the lines, is not installed.",
        "Install libgpiod2 (Debian 12) or libgpiod3 (13) with apt-get. The service then finds it automatically.")
    package static let gpioNoChip = ReasonCode(
        "gpio.no-chip", refining: gpioFailed, "This machine has no GPIO chip with the name in gpio.chip.",
        "Compare it with the output of gpiodetect, or plug the chip in; the service takes it automatically.")
    package static let gpioNotPermitted = ReasonCode(
        "gpio.not-permitted", refining: gpioFailed, "The service is not permitted to open the chip.",
        "Add its user to the group gpio; the package contains the udev rules for it.")
    package static let gpioOldKernel = ReasonCode(
        "gpio.old-kernel", refining: gpioFailed,
        "The kernel does not support the requests for lines that this "
            + "program makes.",
        "Use Linux 5.10 or later: Debian 11 or later.")
    package static let gpioNoLine = ReasonCode(
        "gpio.no-line", refining: gpioFailed, "The chip has no line with that name.",
        "Compare the name with the output of gpioinfo.")
    package static let gpioCount = ReasonCode(
        "gpio.count", refining: gpioFailed, "No lines are configured, or more than one request to a chip can have.",
        "Configure 1 to 32 lines.")
    package static let gpioBusy = ReasonCode(
        "gpio.busy", refining: gpioFailed, "Another program or a driver uses one of the lines.",
        "Find it with gpioinfo, then stop it, remove its overlay, or use another line.")
    package static let gpioActive = ReasonCode(
        "gpio.active", refining: gpioFailed, "A line is active although it was set inactive.",
        "Check the wiring: something else drives the line, or activeLow is inverted.")
    package static let gpioCall = ReasonCode(
        "gpio.failed", refining: gpioFailed, "The chip was removed, or a call on its lines failed.",
        "Plug it in and check dmesg. The service takes it again automatically.")
}
