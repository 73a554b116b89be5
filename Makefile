# The two commands of this repository are `make demo` and `make test`; both do all their own set-up.
.PHONY: demo test test-page test-unit test-vm test-power test-card deb test-deb smoke deb-arm64 test-arm64 release fuzz bench figures reasons reference site hardware format lint setup build peers clean
.DEFAULT_GOAL := demo

# Outside the clone, so that a second clone on the same machine does not build the dependencies again.
SCRATCH ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gatehouse/build
SWIFT_FLAGS := --scratch-path $(SCRATCH)
DEMO_ARGUMENTS ?=
# The tests' own program: `swift test` would let no second process run beside it.
TESTS = Tests/run $(SCRATCH)/debug/gatehousePackageTests.xctest --testing-library swift-testing
RUN_TESTS = GATEHOUSE_BINARY=$(SCRATCH)/debug/gatehouse $(TESTS)

# Fetches what the build in a scratch folder stands on, up to three times: SwiftPM itself asks only once. Not again before Package.swift
# changes; whether the build can do without it says the build.
fetch = [ $(1)/gatehouse-fetched -nt Package.swift ] || for pause in 5 20 0; do \
	swift package $$([ -t 1 ] || echo --quiet) --scratch-path $(1) resolve && touch $(1)/gatehouse-fetched && break; sleep $$pause; done

# Builds product and tests together: one build serves both commands.
build: setup
	@echo "Building (the first time takes some minutes) ..."
	@$(call fetch,$(SCRATCH))
	@if [ -t 1 ]; then swift build $(SWIFT_FLAGS) --build-tests; else swift build $(SWIFT_FLAGS) --build-tests --quiet; fi

demo: build
	@$(SCRATCH)/debug/gatehouse demo $(DEMO_ARGUMENTS)

# Several processes: what lives in real time would starve beside the cores' tests, which keep every thread busy; so would those of them
# that are bounded in time beside whole crowds.
CROWDS := 'KioskTests|SimulationTests'
ADAPTERS := 'ApplianceTests|LinuxIOTests|StoreTests|HTTPTransportTests'
# Of these, what computes for long and asks no clock: disks and agents that are models.
MODELS := '(ApplianceTests[.](CrashRule|Kill|RestoredDelivery|StoredDelivery)|StoreTests[.](Crash|DiskUse|Fault|Tampering))Tests'
REAL_TIME := 'PeerTests|CommandTests|GatekeeperTests|DecisionBenchTests|SoakTests|SilentMailboxTests|WebhookReceiverTests|LocalServerTests|ObservationServiceTests|DoorDeskTests'
# Of these most wait, so two processes share the machine: those with agents on the other side, and the rest.
AGENTS := 'PeerTests[.](AgencyPeer|AgentCommand|AttributePeer|Delivery|DeliveryRate|Keeper|MailboxPeer|RotationPeer)Tests'

# What of these drives `gatehouse run`, for the program as it is installed: another build may behave otherwise; and 10,000 visits in a
# crowd, which only that plays in time.
AS_INSTALLED := 'RunCommandTests|ProcessTests|DeliveryRateTests|PeerTests.VisitTests|StallTests|WatchdogTests|SignalTests|CrowdCommandTests'
RELEASE := $(SCRATCH)-install/release/gatehouse

# Two processes side by side, one test at a time in each: a process whose few threads are all taken lets no clock in it be read in time.
# The second one's words are shown when it failed. What to run in the first, what in the second, and a name for the latter's file.
define side_by_side
$(RUN_TESTS) --no-parallel $(2) > $(SCRATCH)-$(3).log 2>&1 & beside=$$!; \
$(RUN_TESTS) --no-parallel $(1); first=$$?; \
wait $$beside; second=$$?; if [ $$second -eq 0 ]; then tail -n 1 $(SCRATCH)-$(3).log; else cat $(SCRATCH)-$(3).log; fi; \
exit $$((first | second))
endef

test: lint build release
	@Tests/Peers/setup
	@$(RUN_TESTS) --skip $(REAL_TIME) --skip $(ADAPTERS) --skip $(CROWDS)
	@echo "Now crowds, sieges and whatever may go wrong in the air, in virtual time:"
	@$(RUN_TESTS) --filter $(CROWDS)
	@echo "Now what touches disks, sockets and threads:"
	@$(call side_by_side,--filter $(ADAPTERS) --skip $(REAL_TIME) --skip $(MODELS),--filter $(MODELS),models)
	@echo "Now the real program, also against Bumble and ACA-Py:"
	@$(call side_by_side,--filter $(REAL_TIME) --skip $(AGENTS),--filter $(AGENTS),agents)
	@echo "And the program as it is installed:"
	@GATEHOUSE_BINARY=$(RELEASE) GATEHOUSE_CROWD=10000 $(TESTS) --no-parallel --filter $(AS_INSTALLED)

# The program as it is installed: with the standard library inside, and with every address bound and sealed before it reads anything.
# LLVM's linker keeps addresses to be bound in 30 KB where others write a table of 3.7 MB, which each start would read into memory; and
# nobody looks up this program's own symbols by name.
RELEASE_FLAGS := -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld -Xlinker -z -Xlinker now \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic --product gatehouse --quiet
release: setup
	@$(call fetch,$(SCRATCH)-install)
	@swift build --scratch-path $(SCRATCH)-install $(RELEASE_FLAGS)

# Packages of it for the Debian that runs here, and their debug symbols (deploy/deb).
DEB ?= $(SCRATCH)-install/deb
deb: release
	@deploy/deb/build $(RELEASE) $(DEB)

# Installed, upgraded, removed and purged in clean trees (Tests/Package); needs root, debootstrap and systemd-container.
test-deb: deb
	@Tests/Peers/setup
	@Tests/Package/run $(DEB) $(CHECKS)

# The same for 64-bit ARM (Debian 13), built here with Debian's own Swift and packed in emulation: deploy/arm64. Needs root, 5 GB and
# half an hour the first time. `make test-arm64 EVERY=1` takes every case of the vectors.
ARM64 ?= $(dir $(SCRATCH))arm64
EVERY ?= 10
deb-arm64: setup
	@deploy/arm64/sdk $(ARM64)
	@deploy/arm64/build $(ARM64) $(RELEASE_FLAGS)
	@deploy/arm64/enter $(ARM64) /source/deploy/deb/build /kit/scratch/release/gatehouse /kit/deb

test-arm64: release deb-arm64
	@Tests/Arm64/run $(RELEASE) $(ARM64) --every $(EVERY)

# The status page in a headless Chromium (Tests/Page), which root gets from Debian. `make test-page SCREENSHOTS=folder` keeps the pictures.
test-page: build
	@Tests/Page/run $(SCRATCH)/debug/gatehouse $(SCRATCH) $(SCREENSHOTS) $(PICTURE)

# The real unit under a real systemd, in a container (Tests/Unit); needs root, debootstrap and systemd-container.
test-unit: release
	@Tests/Peers/setup
	@Tests/Unit/run $(RELEASE)

# The same program on a kernel of its own in a virtual machine: HCI user channel, rfkill, unplugging, GPIO lines (Tests/Kernel); needs
# QEMU, and no root. `make test-vm CHECKS="lifts_a_block"` makes only those.
test-vm: release
	@Tests/Peers/setup
	@Tests/Kernel/run $(RELEASE) $(CHECKS)

# Visits while the power goes, on that machine with a disk whose drive forgets what was not flushed, and an agent that keeps the ledger.
POWER_VISITS ?= 100
test-power: release
	@Tests/Peers/setup
	@Tests/Kernel/power $(RELEASE) --visits $(POWER_VISITS)

# From a card to the first green light and its report: Debian 12 and 13 with the package on that machine, an installer's file on the boot
# partition, the power cut in between. Needs root, debootstrap and systemd-container; `make test-card SUITES=trixie` takes one of them.
test-card: deb
	@Tests/Peers/setup
	@Tests/Kernel/card $(DEB) $(SUITES)

# Of each of these that takes long or needs root a little: the visits that show the whole way, three of them with power cuts, the packages
# where nothing runs, the page. What cannot be made on this machine (status 2) says so and is left out.
smoke: build release
	@Tests/Peers/setup
	@Tests/Kernel/run $(RELEASE) smoke || [ $$? -eq 2 ]
	@Tests/Kernel/power $(RELEASE) --visits 3 || [ $$? -eq 2 ]
	@(python3 -B Tests/Unit/packages.py dpkg-dev=dpkg-shlibdeps binutils=readelf xz-utils=xz || exit 2; \
		deploy/deb/build $(RELEASE) $(DEB) || exit 1; Tests/Package/run $(DEB) smoke) || [ $$? -eq 2 ]
	@Tests/Page/run $(SCRATCH)/debug/gatehouse $(SCRATCH) || [ $$? -eq 2 ]

# Every fuzz target for FUZZ_SECONDS; `make fuzz RUNS=1000000` runs each so often, TARGETS="json cbor" only those.
FUZZ_SECONDS ?= 20
fuzz: setup
	@Tests/Fuzz/run --scratch-path $(SCRATCH)-fuzz $(if $(RUNS),--runs $(RUNS),--seconds $(FUZZ_SECONDS)) $(TARGETS)

# Measures the program as deploy/install builds it.
bench: release
	@Tests/Bench/run $(RELEASE)
	@Tests/Bench/credentials/run $(RELEASE)

# What the program costs a box: sizes, exposure, start, memory, processor, the way to the gate, wear. The table is for docs/figures.md.
# `make figures VISITS=100000` takes long.
VISITS ?= 20000
figures: deb
	@Tests/Peers/setup >/dev/null
	@Tests/Bench/figures $(RELEASE) $(DEB) --soak $(VISITS)

# The page of reason codes, from the table that the program carries.
reasons: build
	@$(SCRATCH)/debug/gatehouse reasons --markdown > docs/reasons.md
	@$(SCRATCH)/debug/gatehouse reasons --catalog > deploy/gatehouse.catalog

# The pages of reference: keys, commands and events, from the program's own tables and the comments of the examples.
REFERENCES := configuration policy trust commands events
reference: build
	@mkdir -p docs/reference
	@for page in $(REFERENCES); do \
		$(SCRATCH)/debug/gatehouse reference $$page --examples deploy > docs/reference/$$page.md || exit 1; done

# The documentation as a site, in SITE, with every link and anchor of it checked (docs/site); mkdocs comes from PyPI the first time.
SITE ?= $(SCRATCH)-site
site:
	@docs/site/build $(SITE)

# The wiring page and its pictures, from hardware/pinout.toml.
hardware: build
	@$(SCRATCH)/debug/gatehouse hardware hardware/pinout.toml --write hardware

setup:
	@deploy/bootstrap

format:
	@swift format -i -r Package.swift Sources Tests Examples

lint:
	@swift format lint --strict -r Package.swift Sources Tests Examples

clean:
	@rm -rf $(SCRATCH)
