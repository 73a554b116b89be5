# The two commands of this repository are `make demo` and `make test`; both do all their own set-up.
.PHONY: demo product test test-step forget-steps nightly nightly-tests nightly-respellings nightly-fuzz test-page test-unit test-vm test-power \
	test-card deb test-deb smoke deb-arm64 test-arm64 workshop-arm64 release workshop fuzz bench figures reasons reference site hardware \
	format lint setup build peers clean
.DEFAULT_GOAL := demo

# Outside the clone, so that a second clone on the same machine does not build the dependencies again.
SCRATCH ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gatehouse/build
SWIFT_FLAGS := --scratch-path $(SCRATCH)
DEMO_ARGUMENTS ?=

# Fetches what the build in a scratch folder stands on, up to three times: SwiftPM itself asks only once. Not again before Package.swift
# changes; whether the build can do without it says the build.
fetch = [ $(1)/gatehouse-fetched -nt Package.swift ] || for pause in 5 20 0; do \
	swift package $$([ -t 2 ] || echo --quiet) --scratch-path $(1) resolve && touch $(1)/gatehouse-fetched && break; sleep $$pause; done

# What each step took, for the table at the end. Where the environment names the file, as in .ci/run, its owner empties and prints it.
export GATEHOUSE_STEPS ?= $(SCRATCH)-tests/steps
STEPS_ARE_OTHERS := $(filter environment,$(origin GATEHOUSE_STEPS))
STEP := Tests/step

# A terminal sees how far the build is.
swift_build = swift build $(SWIFT_FLAGS) $(1) $$([ -t 2 ] || echo --quiet)

# Builds product and tests, for debugging.
build: setup
	@echo "Building the tests (the first time takes some minutes) ..."
	@$(call fetch,$(SCRATCH))
	@$(STEP) "debug build, tests included" $(call swift_build,--build-tests)

# The product alone, without the tests and what only they need. Where the tests are built it is as they have it. An index, which the
# package manager looks through for tests, would take a tenth of the time.
IS_PLAIN = $(if $(wildcard $(SCRATCH)/debug/gatehousePackageTests.xctest),,yes)
product: setup
	@echo "Building (the first time takes some minutes) ..."
	@$(call fetch,$(SCRATCH))
	@$(if $(IS_PLAIN),GATEHOUSE_UNOPTIMISED=1) $(call swift_build,--product gatehouse $(if $(IS_PLAIN),--disable-index-store))

demo: product
	@$(SCRATCH)/debug/gatehouse demo $(DEMO_ARGUMENTS)

# Tests/StepRunner runs the tests by their tags, each process one test at a time, on the program as it is installed. Tests/Hermetic gives
# them a machine whose gate is hostile: whatever reads or changes it fails the run. `make test-step STEPS=cores` runs one step of those built.
# `make test` ends with the slowest tests and the time of each step.
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

# What `make test` leaves out since it takes long, in parts that also run alone. A part that fails does not keep the next from running.
NIGHTLY := nightly-tests nightly-respellings test-deb test-unit test-vm test-power test-card test-arm64 nightly-fuzz
nightly:
	@$(MAKE) --keep-going --no-print-directory $(NIGHTLY)

# Each test with each version of its peer, and the repetitions and enumerations that take long: among them every disguise of every vector
# (Confusion), what holders keep back (Withholding) and random contexts beside PyLD (ScopedContext).
nightly-tests: build release peers
	@GATEHOUSE_PEERS=all $(RUN_STEPS) --nightly --patience 4000

# Every signed document in every spelling that JSON-LD allows.
nightly-respellings: build
	@GATEHOUSE_RESPELLINGS=all $(SCRATCH)/debug/gatehousePackageTests.xctest --testing-library swift-testing --filter Respelling

nightly-fuzz:
	@$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=300

# The program as it is installed: with the standard library inside, and with every address bound and sealed before it reads anything.
# LLVM's linker keeps addresses to be bound in 30 KB where others write a table of 3.7 MB, which each start would read into memory; and
# nobody looks up this program's own symbols by name.
RELEASE_FLAGS := -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld -Xlinker -z -Xlinker now \
	-Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic --quiet
release: setup
	@$(call fetch,$(SCRATCH)-install)
	@$(STEP) "release build" swift build --scratch-path $(SCRATCH)-install $(RELEASE_FLAGS) --product gatehouse

# The program of the repository's own tools, built in the same way, to measure with. Pages and pictures are made with that of `make build`.
WORKSHOP := $(SCRATCH)-install/release/gatehouse-workshop
workshop: setup
	@$(call fetch,$(SCRATCH)-install)
	@$(STEP) "release build of the workshop" swift build --scratch-path $(SCRATCH)-install $(RELEASE_FLAGS) --product gatehouse-workshop

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
	@deploy/arm64/build $(ARM64) $(RELEASE_FLAGS) --product gatehouse
	@deploy/arm64/enter $(ARM64) /source/deploy/deb/build /kit/scratch/release/gatehouse /kit/deb

test-arm64: release deb-arm64
	@Tests/Arm64/run $(RELEASE) $(ARM64) --every $(EVERY)

# For Tests/Arm64/instructions.
workshop-arm64: deb-arm64
	@deploy/arm64/build $(ARM64) $(RELEASE_FLAGS) --product gatehouse-workshop

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
bench: workshop
	@Tests/Bench/run $(WORKSHOP)
	@Tests/Bench/credentials/run $(WORKSHOP)

# What the program costs a box: sizes, exposure, start, memory, processor, the way to the gate, wear. The table is for docs/figures.md.
# `make figures VISITS=100000` takes long.
VISITS ?= 20000
figures: deb workshop
	@Tests/Peers/setup >/dev/null
	@Tests/Bench/figures $(RELEASE) $(WORKSHOP) $(DEB) --soak $(VISITS)

# The page of reason codes and the catalog of faults, from the table that the program carries.
reasons: build
	@$(SCRATCH)/debug/gatehouse-workshop reference reasons > docs/reasons.md
	@$(SCRATCH)/debug/gatehouse-workshop reference catalog > deploy/gatehouse.catalog

# The pages of reference: keys, commands and events, from the program's own tables and the comments of the examples.
REFERENCES := configuration policy trust commands events
reference: build
	@mkdir -p docs/reference
	@for page in $(REFERENCES); do \
		$(SCRATCH)/debug/gatehouse-workshop reference $$page > docs/reference/$$page.md || exit 1; done

# The documentation as a site, in SITE, with every link and anchor of it checked (docs/site); mkdocs comes from PyPI the first time.
SITE ?= $(SCRATCH)-site
site:
	@docs/site/build $(SITE)

# The wiring page and its pictures, from hardware/pinout.toml.
hardware: build
	@$(SCRATCH)/debug/gatehouse-workshop wiring hardware/pinout.toml hardware

setup:
	@deploy/bootstrap

format:
	@swift format -i -r Package.swift Sources Tests Examples

lint:
	@$(STEP) lint swift format lint --strict -r Package.swift Sources Tests Examples

clean:
	@rm -rf $(SCRATCH)
