# The two main commands of this repository are `make demo` and `make test`. Both install what they need.
.PHONY: demo product test test-step forget-steps nightly nightly-tests nightly-respellings nightly-fuzz test-page test-unit test-vm test-power \
	test-card deb test-deb smoke deb-arm64 test-arm64 workshop-arm64 release workshop fuzz bench figures reasons reference site hardware \
	format lint setup build peers clean
.DEFAULT_GOAL := demo

# The build folder. It is outside the clone, so that a second clone on the same machine does not build the
# dependencies again.
SCRATCH ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gatehouse/build
SWIFT_FLAGS := --scratch-path $(SCRATCH)
DEMO_ARGUMENTS ?=

# Fetches the dependencies of the build in a scratch folder. Tries up to three times, because SwiftPM tries only once.
# Fetches again only after a change of Package.swift. If all attempts fail, the build continues and fails only if a
# dependency is missing.
fetch = [ $(1)/gatehouse-fetched -nt Package.swift ] || for pause in 5 20 0; do \
	swift package $$([ -t 2 ] || echo --quiet) --scratch-path $(1) resolve && touch $(1)/gatehouse-fetched && break; sleep $$pause; done

# The file with the duration of each step, for the table at the end of `make test`. If the environment names this
# file, as .ci/run does, the caller empties and prints it.
export GATEHOUSE_STEPS ?= $(SCRATCH)-tests/steps
STEPS_ARE_OTHERS := $(filter environment,$(origin GATEHOUSE_STEPS))
STEP := Tests/step

# Shows the progress of the build only on a terminal.
swift_build = swift build $(SWIFT_FLAGS) $(1) $$([ -t 2 ] || echo --quiet)

# Builds the product and the tests as a debug build.
build: setup
	@echo "Building the tests (the first time takes some minutes) ..."
	@$(call fetch,$(SCRATCH))
	@$(STEP) "debug build, tests included" $(call swift_build,--build-tests)

# Builds only the product, without the tests and without optimised cores. If the tests are built already, uses their
# build instead. Omits the index, which only SwiftPM's search for tests needs and which takes a tenth of the time.
IS_PLAIN = $(if $(wildcard $(SCRATCH)/debug/gatehousePackageTests.xctest),,yes)
product: setup
	@echo "Building (the first time takes some minutes) ..."
	@$(call fetch,$(SCRATCH))
	@$(if $(IS_PLAIN),GATEHOUSE_UNOPTIMISED=1) $(call swift_build,--product gatehouse $(if $(IS_PLAIN),--disable-index-store))

demo: product
	@$(SCRATCH)/debug/gatehouse demo $(DEMO_ARGUMENTS)

# Runs all tests. Tests/StepRunner groups them by their tags and uses the installed form of the program; each process
# runs one test at a time. Tests/Hermetic is their environment: in it, a test fails if it reads or changes the gate of
# this machine. At the end, `make test` prints the slowest tests and the duration of each step. `make test-step
# STEPS=cores` runs one step with the tests that are already built.
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

# Runs the tests that `make test` omits because they take long. Each part is also a command of its own. If a part
# fails, the next parts still run.
NIGHTLY := nightly-tests nightly-respellings test-deb test-unit test-vm test-power test-card test-arm64 nightly-fuzz
nightly:
	@$(MAKE) --keep-going --no-print-directory $(NIGHTLY)

# Runs each test with each version of its peer, and the tests with many repetitions or cases: for example every
# variant of every vector (Confusion), withheld data (Withholding), and random contexts compared with PyLD
# (ScopedContext).
nightly-tests: build release peers
	@GATEHOUSE_PEERS=all $(RUN_STEPS) --nightly --patience 4000

# Verifies every signed document in every spelling that JSON-LD allows.
nightly-respellings: build
	@GATEHOUSE_RESPELLINGS=all $(SCRATCH)/debug/gatehousePackageTests.xctest --testing-library swift-testing --filter Respelling

nightly-fuzz:
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=300

# Builds the program in its installed form: it contains the standard library, and all its addresses are bound and
# read-only before it reads input. LLVM's linker needs 30 KB for the addresses to bind; other linkers write a table of
# 3.7 MB, which each start would read into memory. The program's own symbols are not exported, because no program
# looks them up by name.
RELEASE_FLAGS := -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld -Xlinker -z -Xlinker now \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic --quiet
release: setup
	@$(call fetch,$(SCRATCH)-install)
	@$(STEP) "release build" swift build --scratch-path $(SCRATCH)-install $(RELEASE_FLAGS) --product gatehouse

# Builds the program with the repository's tools in the same form, for measurements. Pages and pictures are made with
# the program of `make build` instead.
WORKSHOP := $(SCRATCH)-install/release/gatehouse-workshop
workshop: setup
	@$(call fetch,$(SCRATCH)-install)
	@$(STEP) "release build of the workshop" swift build --scratch-path $(SCRATCH)-install $(RELEASE_FLAGS) --product gatehouse-workshop

# Builds the package for the Debian version of this machine, and the package with its debug symbols (deploy/deb).
DEB ?= $(SCRATCH)-install/deb
deb: release
	@deploy/deb/build $(RELEASE) $(DEB)

# Installs, upgrades, removes and purges the packages in clean trees (Tests/Package). Needs root, debootstrap and
# systemd-container.
test-deb: deb
	@Tests/Peers/setup
	@Tests/Package/run $(DEB) $(CHECKS)

# Builds the packages for 64-bit ARM (Debian 13). Debian's own Swift compiles them on this machine, and an emulated
# ARM system packs them (deploy/arm64). Needs root, 5 GB, and half an hour the first time. `make test-arm64 EVERY=1`
# tests every case of the vectors, not only every tenth.
ARM64 ?= $(dir $(SCRATCH))arm64
EVERY ?= 10
deb-arm64: setup
	@deploy/arm64/sdk $(ARM64)
	@deploy/arm64/build $(ARM64) $(RELEASE_FLAGS) --product gatehouse
	@deploy/arm64/enter $(ARM64) /source/deploy/deb/build /kit/scratch/release/gatehouse /kit/deb

test-arm64: release deb-arm64
	@Tests/Arm64/run $(RELEASE) $(ARM64) --every $(EVERY)

# Builds the program that Tests/Arm64/instructions measures, for 64-bit ARM.
workshop-arm64: deb-arm64
	@deploy/arm64/build $(ARM64) $(RELEASE_FLAGS) --product gatehouse-workshop

# Tests the status page in a headless Chromium (Tests/Page), which root must install from Debian. With `make test-page
# SCREENSHOTS=folder`, keeps the screenshots.
test-page: build
	@Tests/Page/run $(SCRATCH)/debug/gatehouse $(SCRATCH) $(SCREENSHOTS) $(PICTURE)

# Tests the real unit with a real systemd in a container (Tests/Unit). Needs root, debootstrap and systemd-container.
test-unit: release
	@Tests/Peers/setup
	@Tests/Unit/run $(RELEASE)

# Tests the release program with a real kernel in a virtual machine: HCI user channel, rfkill, unplugging, GPIO lines
# (Tests/Kernel). Needs QEMU, but not root. `make test-vm CHECKS="lifts_a_block"` runs only the named checks.
test-vm: release
	@Tests/Peers/setup
	@Tests/Kernel/run $(RELEASE) $(CHECKS)

# Cuts the power during visits, on the same virtual machine. Its drive loses all data that were not flushed, and an
# agent stores the entries of the ledger.
POWER_VISITS ?= 100
test-power: release
	@Tests/Peers/setup
	@Tests/Kernel/power $(RELEASE) --visits $(POWER_VISITS)

# Tests the way from a card to the first green light and its report: Debian 12 and 13 with the package on the virtual
# machine, an answer file on the boot partition, and a power cut in between. Needs root, debootstrap and
# systemd-container. `make test-card SUITES=trixie` tests only one Debian version.
test-card: deb
	@Tests/Peers/setup
	@Tests/Kernel/card $(DEB) $(SUITES)

# Runs a small part of each test that takes long or needs root: visits from end to end, three visits with power cuts,
# the packages without a running service, the page. A part that this machine cannot run (exit code 2) prints the
# reason and is skipped.
smoke: build release
	@Tests/Peers/setup
	@Tests/Kernel/run $(RELEASE) smoke || [ $$? -eq 2 ]
	@Tests/Kernel/power $(RELEASE) --visits 3 || [ $$? -eq 2 ]
	@(python3 -B Tests/Unit/packages.py dpkg-dev=dpkg-shlibdeps binutils=readelf xz-utils=xz || exit 2; \
		deploy/deb/build $(RELEASE) $(DEB) || exit 1; Tests/Package/run $(DEB) smoke) || [ $$? -eq 2 ]
	@Tests/Page/run $(SCRATCH)/debug/gatehouse $(SCRATCH) || [ $$? -eq 2 ]

# Runs every fuzz target for FUZZ_SECONDS seconds. With RUNS=1000000, each target has this number of runs instead.
# TARGETS="json cbor" selects the targets.
FUZZ_SECONDS ?= 20
fuzz: setup
	@Tests/Fuzz/run --scratch-path $(SCRATCH)-fuzz $(if $(RUNS),--runs $(RUNS),--seconds $(FUZZ_SECONDS)) $(TARGETS)

# Measures the program in the form that deploy/install installs.
bench: workshop
	@Tests/Bench/run $(WORKSHOP)
	@Tests/Bench/credentials/run $(WORKSHOP)

# Measures the resources that the program needs: sizes, exposure, start, memory, processor, time to the gate, wear of
# the card. Prints the table for docs/figures.md. `make figures VISITS=100000` takes long.
VISITS ?= 20000
figures: deb workshop
	@Tests/Peers/setup >/dev/null
	@Tests/Bench/figures $(RELEASE) $(WORKSHOP) $(DEB) --soak $(VISITS)

# Generates the page of reason codes and the catalog of faults from the program's table.
reasons: build
	@$(SCRATCH)/debug/gatehouse-workshop reference reasons > docs/reasons.md
	@$(SCRATCH)/debug/gatehouse-workshop reference catalog > deploy/gatehouse.catalog

# Generates the reference pages (keys, commands, events) from the program's tables and the comments of the examples.
REFERENCES := configuration policy trust commands events
reference: build
	@mkdir -p docs/reference
	@for page in $(REFERENCES); do \
		$(SCRATCH)/debug/gatehouse-workshop reference $$page > docs/reference/$$page.md || exit 1; done

# Builds the documentation as a web site in the folder SITE, and checks every link and anchor (docs/site). The first
# run installs mkdocs from PyPI.
SITE ?= $(SCRATCH)-site
site:
	@docs/site/build $(SITE)

# Generates the wiring page and its pictures from hardware/pinout.toml.
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
