# Everything a person runs by hand. Each target does its own set-up: on a fresh Debian machine
# with the Swift toolchain, `make demo` and `make test` install what is missing through apt and
# say what and why (SKIP_APT=1 installs nothing).

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test thorough bench docs example build release deb lint format prerequisites test-prerequisites clean

# Swift sources under version control's eye; the build folders are not.
SOURCES := Package.swift Sources Tests $(wildcard Benchmarks/Package.swift Benchmarks/Sources Snippets \
  Examples/Inspections/Package.swift Examples/Inspections/Sources Examples/Inspections/Tests)

# An `import` of a sibling that Package.swift does not declare is an error.
STRICT := --explicit-target-dependency-import-check error

# `make demo KEEP=1`, `make demo STUDIO=1`, `make demo AIRPORTS=other.csv`, `make thorough SEEDS=100000 FUZZ=60`.
KEEP ?=
STUDIO ?=
AIRPORTS ?= Tests/Data/airports.csv
SEEDS ?= 1000
CASES ?= 100000
QUERIES ?= 20000
# Objects that results are lazy about.
OBJECTS ?= 1000000
# Places of the peers in each topology: all there are of four.
ORDERS ?= 24
# Power cuts, and damaged files.
FAULTS ?= 1000
# Of two applications beside a daemon and the command line, while any of them is killed.
TRANSACTIONS ?= 10000
# Of a daemon that begins with a snapshot.
KILLS ?= 100
# Where a server has the documentation.
DOCS_BASE ?=
# Seconds for each decoder.
FUZZ ?= 600

# The tests that a sanitizer is asked about: those with threads, and those at pointers and C.
THREADED := AtollEventLoopTests AtollSQLiteTests AtollStorageTests AtollPresenceTests \
  AtollTransportTests AtollNodeTests AtollDaemonTests AtollTests
UNSAFE := AtollVocabularyTests AtollSQLiteTests AtollChangesTests AtollWireTests \
  AtollEventLoopTests AtollTransportTests AtollStorageTests AtollNodeTests

comma := ,

help: ## What there is to make
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{printf "make %-14s %s\n", $$1, $$2}'

demo: release ## Three daemons, two applications, 28,298 airports (KEEP=1 leaves the daemons running, STUDIO=1 opens the browser on them)
	@echo "── demo"
	@"$$(swift build -c release --show-bin-path)/atoll-cluster" demo --airports "$(AIRPORTS)" \
	  $(if $(filter 1,$(KEEP)),--keep) $(if $(filter 1,$(STUDIO)),--studio)

# When each part of `make test` began; how long each took is said at the end of it, or by the test runner.
PARTS := .build/parts
begin = @mkdir -p .build && printf '%s %s\n' "$$(date +%s)" "$(1)" >> $(PARTS) && echo "── $(1)"

# Tests that wait for other processes, threads and sockets, each with a bound. They run one after
# the other; see `.ci/all-tests`.
WAITING := ^(AtollEventLoop|AtollPresence|AtollTransport|AtollNode|AtollStudio|AtollDaemon|AtollCommand|Sync|Cluster|Browser|Snippet|File|RealmSwift|Atoll)Tests\.

# Continuous integration debugs nothing: a build without debug information takes four fifths.
QUICK := $(if $(CI),-Xswiftc -gnone)

test: test-prerequisites ## Lint, build with warnings as errors, and every test
	@rm -f $(PARTS)
	$(call begin,lint)
	@$(LINT)
	$(call begin,build)
	@swift build --build-tests $(STRICT) $(QUICK)
	$(call begin,test (those that wait))
	@awk '{ began = $$1; $$1 = ""; if (part) printf "%6d s%s\n", began - last, part; last = began; part = $$0 }' $(PARTS)
	@.ci/all-tests '$(WAITING)' $(STRICT) --skip-build

# A part of `make thorough`: what it is, and when it began.
part = @printf '── %s (%s)\n' "$(1)" "$$(date +%H:%M:%S)"

# What takes longer than a test may. Each part can be run alone, once `make test` and `make release` have built
# what it runs.
THOROUGH := thorough-cases thorough-seeds thorough-faults thorough-pages thorough-museum thorough-fuzz \
  thorough-sanitizers
.PHONY: $(THOROUGH)

thorough: test release $(THOROUGH) ## What takes longer, two hours and more: seeds, cases, fuzzing, sanitizers, the museum
	$(call part,all of it has passed)

# Optimized, because these compute for long; in a folder of their own, because `@testable` needs another build
# than users have.
COMPUTING := AtollChangesTests ScenarioTests QueryTests
optimized = ATOLL_TESTS="$(COMPUTING)" .ci/tests -c release -Xswiftc -enable-testing --scratch-path .build-optimized

thorough-cases:
	$(call part,$(CASES) cases of each merge rule)
	@ATOLL_CASES=$(CASES) $(optimized) --filter '^AtollChangesTests\..*(MergeTests|CausalOrderTests)'
	$(call part,the numbered scenarios in $(ORDERS) orders of exchange for each topology)
	@ATOLL_ORDERS=$(ORDERS) $(optimized) --filter '^ScenarioTests\.'
	$(call part,$(QUERIES) random queries$(comma) asked in three ways$(comma) and $(OBJECTS) objects)
	@ATOLL_QUERIES=$(QUERIES) ATOLL_OBJECTS=$(OBJECTS) $(optimized) --filter '^QueryTests\.'

thorough-seeds:
	$(call part,$(SEEDS) seeds of the simulation)
	@"$$(swift build -c release --show-bin-path)/atoll-cluster" simulate --seeds $(SEEDS)
	$(call part,$(SEEDS) seeds with a malicious member)
	@"$$(swift build -c release --show-bin-path)/atoll-cluster" simulate --forger --seeds $(SEEDS)

thorough-faults:
	$(call part,a disk that fails at every call$(comma) loses its power$(comma) and rots: $(FAULTS) times)
	@ATOLL_SEEDS=$(FAULTS) .ci/tests $(STRICT) --skip-build --filter 'DiskTests|BitRotTests'
	$(call part,$(TRANSACTIONS) transactions of four processes on one file$(comma) any of which is killed)
	@ATOLL_TRANSACTIONS=$(TRANSACTIONS) .ci/tests $(STRICT) --skip-build --filter 'SharedFileTests'
	$(call part,a daemon that is killed $(KILLS) times while it takes a snapshot)
	@ATOLL_BOOTSTRAP_KILLS=$(KILLS) .ci/tests $(STRICT) --skip-build --filter 'BootstrapTests'

thorough-pages:
	$(call part,the studio against the description of its API)
	@.ci/studio-api "$$(swift build -c release --show-bin-path)" 100
	$(call part,the documentation$(comma) without a warning$(comma) a dead link or a declaration it says nothing of)
	@.ci/prerequisites --docs
	@.ci/docs .build/docs
	$(call part,a store without replication)
	@swift build --disable-default-traits --scratch-path .build-local --product Models
	@"$$(swift build --disable-default-traits --scratch-path .build-local --show-bin-path)/Models"
	$(call part,the sample application)
	@swift test --package-path Examples/Inspections --disable-xctest

thorough-museum:
	$(call part,the bug museum$(comma) each bug put back)
	@.ci/museum

thorough-fuzz:
	$(call part,$(FUZZ) seconds of fuzzing for each decoder)
	@.ci/fuzz $(FUZZ)

thorough-sanitizers:
	$(call part,thread sanitizer)
	@ATOLL_TESTS="$(THREADED)" TSAN_OPTIONS=suppressions=$(CURDIR)/.ci/thread-sanitizer.supp \
	  .ci/tests --sanitize=thread --scratch-path .build-thread --no-parallel
	$(call part,address sanitizer)
	@ATOLL_TESTS="$(UNSAFE)" ASAN_OPTIONS=detect_leaks=0 \
	  .ci/tests --sanitize=address --scratch-path .build-address --no-parallel

bench: release ## Ours against raw SQLite and GRDB, interleaved, in release
	@echo "── benchmarks"
	@swift run -c release --package-path Benchmarks AtollBenchmarks --markdown \
	  --cluster "$$(swift build -c release --show-bin-path)/atoll-cluster"

docs: prerequisites ## The documentation as a static site, in .build/docs (DOCS_BASE=/path it will be served under)
	@.ci/prerequisites --docs
	@.ci/docs .build/docs $(if $(DOCS_BASE),--base "$(DOCS_BASE)")

example: prerequisites ## The tests of the sample application: three inspectors, with a terminal and in the browser
	@echo "── example"
	@swift test --package-path Examples/Inspections --disable-xctest

build: prerequisites ## A debug build of everything, tests included
	@swift build --build-tests $(STRICT)

release: prerequisites ## atolld, atoll and atoll-cluster in release
	@echo "── build (release)"
	@swift build -c release

# The Swift runtime is linked in: the package needs Debian's own libraries only.
deb: test-prerequisites ## A Debian package of atolld and atoll, in .build/deb
	@echo "── build (release, with the Swift runtime linked in)"
	@for product in atolld atoll; do \
	  swift build -c release --static-swift-stdlib --scratch-path .build-deb --product $$product; done
	@deploy/build-deb "$$(swift build -c release --static-swift-stdlib --scratch-path .build-deb \
	  --show-bin-path)" .build/deb

LINT := swift format lint --strict --parallel --recursive $(SOURCES)

lint: ## The formatter's rules, strictly
	@echo "── lint"
	@$(LINT)

format: ## Lets the formatter put the sources right
	@swift format format --in-place --parallel --recursive $(SOURCES)

prerequisites:
	@.ci/prerequisites

test-prerequisites:
	@.ci/prerequisites --tests

clean: ## Removes what was built
	@rm -rf .build .build-* Benchmarks/.build Examples/Inspections/.build
