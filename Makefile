# The two main commands of this repository are `make demo` and `make test`. Both do their own set-up.
.PHONY: demo product test test-step forget-steps nightly nightly-tests nightly-respellings nightly-fuzz test-page test-unit test-vm test-power \
	test-card deb test-deb smoke deb-arm64 test-arm64 workshop-arm64 release workshop fuzz bench figures reasons reference site hardware \
	format lint setup build peers clean
.DEFAULT_GOAL := demo

# The build folder is outside the clone, so that a second clone on the same machine does not build the dependencies
# again.
SCRATCH ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gatehouse/build
SWIFT_FLAGS := --scratch-path $(SCRATCH)
DEMO_ARGUMENTS ?=

# Fetches the dependencies of the build in a scratch folder, with up to three attempts, because SwiftPM makes only one.
# Fetches again only after Package.swift has changed. If all attempts fail, the build shows whether the dependencies are
# necessary.
fetch = [ $(1)/gatehouse-fetched -nt Package.swift ] || for pause in 5 20 0; do \
	swift package $$([ -t 2 ] || echo --quiet) --scratch-path $(1) resolve && touch $(1)/gatehouse-fetched && break; sleep $$pause; done

# The file with the time of each step, for the table at the end. If the environment names the file, as in .ci/run, the
# caller empties and prints it.
export GATEHOUSE_STEPS ?= $(SCRATCH)-tests/steps
STEPS_ARE_OTHERS := $(filter environment,$(origin GATEHOUSE_STEPS))
STEP := Tests/step

# On a terminal the build shows its progress.
swift_build = swift build $(SWIFT_FLAGS) $(1) $$([ -t 2 ] || echo --quiet)

# Builds product and tests, in a debug build.
build: setup
	@echo "Building the tests (the first time takes some minutes) ..."
	@$(call fetch,$(SCRATCH))
	@$(STEP) "debug build, tests included" $(call swift_build,--build-tests)

# Builds the product alone, without the tests and their optimised cores. If the tests are built already, uses their
# build. The index, which SwiftPM searches for tests, is omitted: it would take a tenth of the time.
IS_PLAIN = $(if $(wildcard $(SCRATCH)/debug/gatehousePackageTests.xctest),,yes)
product: setup
	@echo "Building (the first time takes some minutes) ..."
	@$(call fetch,$(SCRATCH))
	@$(if $(IS_PLAIN),GATEHOUSE_UNOPTIMISED=1) $(call swift_build,--product gatehouse $(if $(IS_PLAIN),--disable-index-store))

demo: product
	@$(SCRATCH)/debug/gatehouse demo $(DEMO_ARGUMENTS)

# Tests/StepRunner runs the tests by their tags, with the program as it is installed; each process runs one test at a
# time. In the environment of Tests/Hermetic a test fails if it reads or changes the gate of this machine.
# `make test-step STEPS=cores` runs one step of the tests that are already built. `make test` ends with the slowest
# tests and the time of each step.
RELEASE := $(SCRATCH)-install/release/gatehouse
RUN_STEPS = env GATEHOUSE_BINARY=$(RELEASE) GATEHOUSE_CROWD=10000 Tests/Hermetic/run $(SCRATCH)/debug/step-runner \
	$(SCRATCH)/debug/gatehousePackageTests.xctest --folder $(SCRATCH)-tests

test: forget-steps lint build release peers
	@$(STEP) $(if $(STEPS_ARE_OTHERS),,--last) tests $(RUN_STEPS)

test-step:
	@$(RUN_STEPS) $(STEPS)

forget-steps:
	@$(if $(STEPS_ARE_OTHERS),,rm -f $(GATEHOUSE_STEPS))

peers:
	@$(STEP) "environments of the foreign peers" Tests/Peers/setup

# The tests that `make test` omits because they take long, in parts that also run alone. After a failed part the next
# one runs.
NIGHTLY := nightly-tests nightly-respellings test-deb test-unit test-vm test-power test-card test-arm64 nightly-fuzz
nightly:
	@$(MAKE) --keep-going --no-print-directory $(NIGHTLY)

# Runs each test with each version of its peer, and the long repetitions and enumerations: among them every variant of
# every vector (Confusion), withheld data (Withholding) and random contexts compared with PyLD (ScopedContext).
nightly-tests: build release peers
	@GATEHOUSE_PEERS=all $(RUN_STEPS) --nightly --patience 4000

# Verifies every signed document in every spelling that JSON-LD allows.
nightly-respellings: build
	@GATEHOUSE_RESPELLINGS=all $(SCRATCH)/debug/gatehousePackageTests.xctest --testing-library swift-testing --filter Respelling

nightly-fuzz:
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=300

# Builds the program as it is installed: it contains the standard library, and all its addresses are bound and read-only
# before it reads input. LLVM's linker stores the addresses to be bound in 30 KB; other linkers write a table of 3.7 MB,
# which each start would read into memory. No program looks up this program's own symbols by name, so they are not
# exported.
RELEASE_FLAGS := -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld -Xlinker -z -Xlinker now \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic --quiet
release: setup
	@$(call fetch,$(SCRATCH)-install)
	@$(STEP) "release build" swift build --scratch-path $(SCRATCH)-install $(RELEASE_FLAGS) --product gatehouse

# Builds the program of the repository's own tools in the same way, for measurements. Pages and pictures are made with
# the program of `make build`.
WORKSHOP := $(SCRATCH)-install/release/gatehouse-workshop
workshop: setup
	@$(call fetch,$(SCRATCH)-install)
	@$(STEP) "release build of the workshop" swift build --scratch-path $(SCRATCH)-install $(RELEASE_FLAGS) --product gatehouse-workshop

# Makes the package for the Debian version of this machine, and the package of its debug symbols (deploy/deb).
DEB ?= $(SCRATCH)-install/deb
deb: release
	@deploy/deb/build $(RELEASE) $(DEB)

# Installs, upgrades, removes and purges the packages in clean trees (Tests/Package). Needs root, debootstrap,
# systemd-container.
test-deb: deb
	@Tests/Peers/setup
	@Tests/Package/run $(DEB) $(CHECKS)

# Makes the packages for 64-bit ARM (Debian 13), built on this machine with Debian's own Swift and packed in emulation
# (deploy/arm64). Needs root, 5 GB, and half an hour the first time. `make test-arm64 EVERY=1` runs every case of the
# vectors.
ARM64 ?= $(dir $(SCRATCH))arm64
EVERY ?= 10
deb-arm64: setup
	@deploy/arm64/sdk $(ARM64)
	@deploy/arm64/build $(ARM64) $(RELEASE_FLAGS) --product gatehouse
	@deploy/arm64/enter $(ARM64) /source/deploy/deb/build /kit/scratch/release/gatehouse /kit/deb

test-arm64: release deb-arm64
	@Tests/Arm64/run $(RELEASE) $(ARM64) --every $(EVERY)

# Builds the program that Tests/Arm64/instructions measures.
workshop-arm64: deb-arm64
	@deploy/arm64/build $(ARM64) $(RELEASE_FLAGS) --product gatehouse-workshop

# Shows the status page in a headless Chromium (Tests/Page), which root installs from Debian. `make test-page
# SCREENSHOTS=folder` keeps the pictures.
test-page: build
	@Tests/Page/run $(SCRATCH)/debug/gatehouse $(SCRATCH) $(SCREENSHOTS) $(PICTURE)

# Tests the real unit under a real systemd, in a container (Tests/Unit). Needs root, debootstrap and systemd-container.
test-unit: release
	@Tests/Peers/setup
	@Tests/Unit/run $(RELEASE)

# Tests the same program with a real kernel in a virtual machine: HCI user channel, rfkill, unplugging, GPIO lines
# (Tests/Kernel). Needs QEMU and not root. `make test-vm CHECKS="lifts_a_block"` runs only the named checks.
test-vm: release
	@Tests/Peers/setup
	@Tests/Kernel/run $(RELEASE) $(CHECKS)

# Cuts the power during visits, on this virtual machine with a drive that loses data that were not flushed, and with an
# agent that stores the ledger.
POWER_VISITS ?= 100
test-power: release
	@Tests/Peers/setup
	@Tests/Kernel/power $(RELEASE) --visits $(POWER_VISITS)

# Goes from a card to the first green light and its report: Debian 12 and 13 with the package on the virtual machine, an
# answer file on the boot partition, and a power cut in between. Needs root, debootstrap and systemd-container.
# `make test-card SUITES=trixie` tests one Debian version.
test-card: deb
	@Tests/Peers/setup
	@Tests/Kernel/card $(DEB) $(SUITES)

# Runs a small part of each of these tests that take long or need root: visits from end to end, three visits with power
# cuts, the packages where no service runs, the page. A part that this machine cannot run (exit code 2) reports this and
# is omitted.
smoke: build release
	@Tests/Peers/setup
	@Tests/Kernel/run $(RELEASE) smoke || [ $$? -eq 2 ]
	@Tests/Kernel/power $(RELEASE) --visits 3 || [ $$? -eq 2 ]
	@(python3 -B Tests/Unit/packages.py dpkg-dev=dpkg-shlibdeps binutils=readelf xz-utils=xz || exit 2; \
		deploy/deb/build $(RELEASE) $(DEB) || exit 1; Tests/Package/run $(DEB) smoke) || [ $$? -eq 2 ]
	@Tests/Page/run $(SCRATCH)/debug/gatehouse $(SCRATCH) || [ $$? -eq 2 ]

# Runs every fuzz target for FUZZ_SECONDS. RUNS=1000000 sets a number of runs instead, TARGETS="json cbor" selects
# targets.
FUZZ_SECONDS ?= 20
fuzz: setup
	@Tests/Fuzz/run --scratch-path $(SCRATCH)-fuzz $(if $(RUNS),--runs $(RUNS),--seconds $(FUZZ_SECONDS)) $(TARGETS)

# Measures the program as deploy/install builds it.
bench: workshop
	@Tests/Bench/run $(WORKSHOP)
	@Tests/Bench/credentials/run $(WORKSHOP)

# Measures the resources that the program needs: sizes, exposure, start, memory, processor, time to the gate, wear. The
# table is for docs/figures.md. `make figures VISITS=100000` takes long.
VISITS ?= 20000
figures: deb workshop
	@Tests/Peers/setup >/dev/null
	@Tests/Bench/figures $(RELEASE) $(WORKSHOP) $(DEB) --soak $(VISITS)

# Makes the page of reason codes and the catalog of faults from the program's table.
reasons: build
	@$(SCRATCH)/debug/gatehouse-workshop reference reasons > docs/reasons.md
	@$(SCRATCH)/debug/gatehouse-workshop reference catalog > deploy/gatehouse.catalog

# Makes the reference pages (keys, commands, events) from the program's tables and the comments of the examples.
REFERENCES := configuration policy trust commands events
reference: build
	@mkdir -p docs/reference
	@for page in $(REFERENCES); do \
		$(SCRATCH)/debug/gatehouse-workshop reference $$page > docs/reference/$$page.md || exit 1; done

# Makes the documentation as a site in SITE, and checks every link and anchor (docs/site). The first run installs mkdocs
# from PyPI.
SITE ?= $(SCRATCH)-site
site:
	@docs/site/build $(SITE)

# Makes the wiring page and its pictures from hardware/pinout.toml.
hardware: build
	@$(SCRATCH)/debug/gatehouse-workshop wiring hardware/pinout.toml hardware

setup:
	@deploy/bootstrap

format:
	@swift format -i -r Package.swift Sources Tools Tests Examples

lint:
	@$(STEP) lint swift format lint --strict -r Package.swift Sources Tools Tests Examples

clean:
	@rm -rf $(SCRATCH)
