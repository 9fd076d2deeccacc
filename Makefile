# isolab. `make help` lists the targets.
#
# Sources are found by folder: a new file needs no line here. B is the build folder, so that variants
# (asan, cov, fuzz) live side by side.

B ?= build
prefix ?= /usr/local
VERSION := $(shell sed -n 's/.*ISOLAB_VERSION "\(.*\)"/\1/p' include/isolab.h)
SO := $(firstword $(subst ., ,$(VERSION)))

CC = gcc
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion
OPT ?= -O2 -g
# Warnings are errors where CI is set, as CI services do, and not for users, whose compiler may know more of them.
WERROR = $(if $(CI),-Werror)
CFLAGS = -std=gnu11 $(OPT) $(WARN) $(WERROR) -fPIC -I. -pthread $(EXTRA) $(EXTRA_FLAGS)
LDFLAGS = -pthread $(EXTRA)
LIBS = -lcadical -lstdc++ -lgsl -lgslcblas -lgmp -ljansson -lzstd -lz -llzma -lxxhash -lsqlite3 -lm

# igraph is loaded when it is needed (graph/igraph.h); tests use it as an oracle.
TEST_LIBS = -ligraph

# Folders of the library; a checker has a folder in checkers/ or is one file there.
LIB_DIRS = base history formats graph linear certificates checkers checkers/* explain library
LIB_SRC := $(wildcard $(LIB_DIRS:%=%/*.c))
# Folders that only the program and tests use.
ROOM_DIRS = shrink report generators reductions experiments/*
ROOM_SRC := $(wildcard $(ROOM_DIRS:%=%/*.c))
CLI_SRC := $(wildcard cli/*.c)
COLLECTORS_SRC := $(wildcard collectors/*.c)
VERIFY_SRC := $(wildcard verify/*.c)
TEST_SRC := $(wildcard tests/unit/*.c tests/exhaustive/*.c)
BENCH_SRC := $(filter-out bench/grow.c,$(wildcard bench/*.c))

LIB_OBJ := $(LIB_SRC:%.c=$B/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$B/%.o)
COLLECTORS_OBJ := $(COLLECTORS_SRC:%.c=$B/%.o)
ROOM_OBJ := $(ROOM_SRC:%.c=$B/%.o)
VERIFY_OBJ := $(VERIFY_SRC:%.c=$B/%.o)
TEST_BIN := $(TEST_SRC:%.c=$B/%)
TEST_LIB := $(patsubst %.c,$B/%.o,$(wildcard tests/*.c))
BENCH_BIN := $(BENCH_SRC:%.c=$B/%)
PROGRAMS := $(if $(CLI_SRC),$B/isolab) $(if $(VERIFY_SRC),$B/isolab-verify)

# A line a step; make V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),@:,@echo '  $1')

.DEFAULT_GOAL := all
.SECONDARY:

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: all
all: $(PROGRAMS) $B/libisolab.a $B/libisolab.so ## build the programs and the library

# What everything is compiled with: another compiler or other options compile everything again.
FLAGS = $(CC) $(CFLAGS) $(LDFLAGS)
$B/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(FLAGS)' | cmp -s - $@ || echo '$(FLAGS)' >$@

# What prints does so through base/print.h, which escapes: other folders cannot call the functions that do not.
only = $(if $(filter base/% formats/% tests/% bench/%,$1),,-include base/print_only.h)

$B/%.o: %.c $B/flags
	@mkdir -p $(@D)
	$(call say,cc $<)
	$Q$(CC) $(CFLAGS) $(call only,$<) -MMD -MP -c $< -o $@

$B/libisolab.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,ar $@)
	$Qar rcs $@ $^

# What is installed of the static library: one object, whose only global names are isolab_*.
$B/installed/libisolab.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,ar $@)
	$Qld -r $^ -o $(@D)/isolab.o
	$Qobjcopy --wildcard --keep-global-symbol='isolab_*' $(@D)/isolab.o
	$Qar rcs $@ $(@D)/isolab.o

# Only isolab_* leaves the shared library.
$B/libisolab.so: $(LIB_OBJ) library/exports.map
	$(call say,ld $@)
	$Q$(CC) $(LDFLAGS) -shared -Wl,-soname,libisolab.so.$(SO) -Wl,--version-script=library/exports.map \
	    -Wl,--no-undefined -Wl,--as-needed $(LIB_OBJ) $(LIBS) -o $@

$B/librooms.a: $(ROOM_OBJ)
	@rm -f $@
	$(call say,ar $@)
	$Qar rcs $@ $^

# Collectors load the libraries of their databases when they open them. A collector whose library has no headers here is built as
# a name that says what to install; when headers come or go, it is compiled again.
$B/libcollectors.a: $(COLLECTORS_OBJ)
	@rm -f $@
	$(call say,ar $@)
	$Qar rcs $@ $^

DATABASE_HEADERS := $(sort $(shell sed -n 's/.*__has_include(<\(.*\)>).*/\1/p' $(COLLECTORS_SRC)))
$B/database-headers: FORCE
	@mkdir -p $(@D)
	@for h in $(DATABASE_HEADERS); do [ -e /usr/include/$$h ] && echo $$h; done | cmp -s - $@ || \
	    for h in $(DATABASE_HEADERS); do [ -e /usr/include/$$h ] && echo $$h; done >$@; true
$(COLLECTORS_OBJ): $B/database-headers

# Results name the commit, the compiler and its options.
COMMIT := $(shell git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
$B/commit: FORCE
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@
.PHONY: FORCE
$B/experiments/runner/environment.o: $B/commit
# What the program has of a page is in files of its own.
$B/report/page.o: report/page.js report/page.css
$B/experiments/runner/environment.o: CFLAGS += -DISOLAB_COMMIT='"$(COMMIT)"' -DISOLAB_FLAGS='"$(CC) $(OPT) $(EXTRA)"'

# Programs take in all libraries except libc and libm: to look for a dozen shared ones takes longer than to check most
# histories. Where a static library is missing, or with sanitizers, the programs use the shared ones.
static = -static-libgcc -Wl,-Bstatic $(filter-out -lm,$1) -Wl,-Bdynamic -lm
not_static = $(shell for l in $(patsubst -l%,%,$(filter-out -lm,$1)); do \
    p=$$($(CC) -print-file-name=lib$$l.a); [ -e "$$p" ] || echo $$l; done)
link = $(CC) $(LDFLAGS) $^ $(if $(EXTRA)$(call not_static,$1),$1,$(call static,$1)) -o $@

$B/isolab: $(CLI_OBJ) $B/libcollectors.a $B/librooms.a $B/libisolab.a
	$(call say,ld $@)
	$Q$(call link,$(LIBS))

# The verifier links the history and the formats, the words for proofs, and nothing else of the project.
WORDS := $(patsubst %,$B/explain/%.o,words steps prose telling story_reads story_cycles story_cases)
$B/isolab-verify: $(VERIFY_OBJ) $(filter $B/base/% $B/history/% $B/formats/% $(WORDS),$(LIB_OBJ))
	$(call say,ld $@)
	$Q$(call link,-lzstd -lz -llzma -lxxhash -lm)

# Tests verify certificates in their own process, with the verifier's own objects.
VERIFY_LIB := $(filter-out $B/verify/main.o,$(VERIFY_OBJ))

# What all test programs need is linked once: 130 programs that each had it would take a minute and four gigabytes with
# sanitizers. As in a program, no call goes through a table that another library could change (-Bsymbolic).
$B/tests/libtests.so: $(sort $(TEST_LIB) $(VERIFY_LIB) $(COLLECTORS_OBJ) $(ROOM_OBJ) $(LIB_OBJ))
	$(call say,ld $@)
	$Q$(CC) $(LDFLAGS) -shared -Wl,-Bsymbolic $^ $(LIBS) $(TEST_LIBS) -o $@

$B/tests/%: $B/tests/%.o $B/tests/libtests.so
	$(call say,ld $@)
	$Q$(CC) $(LDFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' $(LIBS) $(TEST_LIBS) -o $@

# Programs of the benchmark. The floor and the workload use nothing of the project.
$B/bench/%: $B/bench/%.o $(filter $B/base/% $B/history/% $B/formats/%,$(LIB_OBJ))
	$(call say,ld $@)
	$Q$(CC) $(LDFLAGS) $^ -lzstd -lz -llzma -lxxhash -lm -o $@

# These measure checkers, so they link all.
$B/bench/strong $B/bench/mini: $B/bench/%: $B/bench/%.o $B/bench/grow.o $B/librooms.a $B/libisolab.a
	$(call say,ld $@)
	$Q$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

# This one measures what recording a database costs.
$B/bench/collect: $B/bench/%: $B/bench/%.o $B/libcollectors.a $B/librooms.a $B/libisolab.a
	$(call say,ld $@)
	$Q$(CC) $(LDFLAGS) $^ $(LIBS) -o $@

.PHONY: bench
bench: all $(BENCH_BIN) ## the floor, loading, checking and recording, as ratios; unusual shapes
	@$B/bench/bench
	@tools/shapes.sh $B
	@$B/bench/strong
	@$B/bench/mini
	@$B/bench/collect

.PHONY: hard
SIZE = minute
hard: all ## the competition of hard instances: every answer proved, ranking, pictures; SIZE=minute, hour or day
	@BUILD=$B tools/hard.sh $(SIZE)

# HISTORIES=DIR: the papers' real histories. docs/papers.md says which figures use them.
.PHONY: paper
paper: all ## measure what the papers claim and draw their figures (at most an hour); needs gnuplot for pictures
	@for a in paper-artifacts/*/run.sh; do BUILD=$B $$a || exit 1; done
	@echo "The pages:"; ls $(or $(OUT),$B/paper)/*.html

.PHONY: paper-smoke
paper-smoke: all ## the same on small histories, to see that everything works (five minutes)
	@for a in paper-artifacts/*/run.sh; do BUILD=$B OUT=$B/paper-smoke SCALE=smoke $$a || exit 1; done
	@$B/isolab claims --results $B/paper-smoke --scale smoke paper-artifacts/*/claims.md; status=$$?; \
	    echo "The pages:"; ls $B/paper-smoke/*.html; exit $$status

.PHONY: paper-full
paper-full: all ## the same at the papers' sizes, as far as the machine allows (days)
	@for a in paper-artifacts/*/run.sh; do BUILD=$B OUT=$B/paper-full SCALE=full $$a || exit 1; done

.PHONY: claims
claims: all ## compare the papers' claims with what was measured: PASS, FAIL, KNOWN or SKIPPED
	@$B/isolab claims --results $(or $(OUT),$B/paper) paper-artifacts/*/claims.md

.PHONY: tests
tests: all $(TEST_BIN)

.PHONY: deps
deps: ## install what is missing (Debian and relatives)
	@tools/install-deps.sh test

CLI_TESTS = $(wildcard tests/cli/*.t)
J = $(shell nproc)
# Some tests mostly wait, for programs that they stop and for limits.
TESTS_AT_ONCE = $(shell expr $J + 1)
run_tests = BUILD=$B tools/run-tests.pl -j$(TESTS_AT_ONCE) $(TEST_BIN) $(CLI_TESTS)

# Random tests that take another seed in every run take this one in `check`: the same run for the same commit.
COMMIT_SEED := $(shell printf '%d' 0x$$(git rev-parse --short=8 HEAD 2>/dev/null || echo 1))

# Instrumented code makes the compiler guess wrong: warnings are the plain build's business.
ASAN = B=$B/asan OPT='-O1 -g' WARN=-w EXTRA='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
    EXTRA_FLAGS=-DISOLAB_ASSERT

.PHONY: check
check: export ISOLAB_COMMIT_SEED ?= $(COMMIT_SEED)
check: deps ## install what is missing, build, run all tests (about a quarter of an hour on two cores)
	@echo "make check: about a quarter of an hour on two cores. Three stages: build, unit tests under sanitizers, all tests."
	@echo "1 of 3: building everything, and once more with sanitizers"
	@$(MAKE) --no-print-directory -j$J tests asan-built >/dev/null
	@echo "2 of 3: unit tests with few random rounds under the address and undefined-behaviour sanitizers"
	@$(MAKE) --no-print-directory asan
	@echo "3 of 3: all tests"
	@$(run_tests)

.PHONY: check-deep
check-deep: deps ## the same with deep exhaustive and random rounds (an hour)
	@$(MAKE) --no-print-directory -j$J tests
	@ISOLAB_DEEP=1 $(run_tests)

.PHONY: fresh
fresh: ## the README's commands on a bare Debian, as root; QUICK=1: few random rounds, BUSY=4: beside busy loops
	@tools/fresh.sh

.PHONY: quick
quick: ## all tests with few random rounds and with assertions, without installing
	@$(MAKE) --no-print-directory -j$J B=$B/quick EXTRA_FLAGS=-DISOLAB_ASSERT few-rounds

.PHONY: few-rounds
few-rounds: tests
	@ISOLAB_QUICK=1 $(run_tests)

.PHONY: asan
asan: ## unit tests and those of check with few random rounds under the address and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory -j$J $(ASAN) sanitized

.PHONY: asan-built
asan-built:
	@$(MAKE) --no-print-directory $(ASAN) instrumented

.PHONY: instrumented sanitized
instrumented: $(PROGRAMS) $(TEST_BIN)
sanitized: instrumented
	@tools/sanitized.sh $B $(TEST_BIN) tests/cli/check.t tests/cli/usage.t

# Another compiler warns of other things. It does not depend on optimisation, so it compiles without; nothing is run.
.PHONY: clang
clang: ## compile and link everything by clang, where a warning is an error; skipped where there is no clang
	@if command -v clang >/dev/null; then \
	    $(MAKE) --no-print-directory -j$J B=$B/clang CC=clang OPT=-O0 WERROR=-Werror compiled; \
	else \
	    echo "clang is not installed (tools/install-deps.sh clang): skipped"; \
	fi

.PHONY: compiled
compiled: $(PROGRAMS) $(TEST_BIN:=.o) $(TEST_LIB) $(BENCH_BIN:=.o)

# The tests that run checkers by several threads.
TSAN_TESTS = tests/unit/awdit tests/unit/awdit_sieve \
    tests/unit/formats_threads tests/unit/library tests/unit/base_env tests/unit/formats_ilb
.PHONY: tsan
tsan: ## the threaded tests with few random rounds under the thread sanitizer
	@$(MAKE) --no-print-directory -j$J B=$B/tsan OPT='-O1 -g' WARN=-w EXTRA='-fsanitize=thread' \
	    $(TSAN_TESTS:%=$B/tsan/%)
	@ISOLAB_QUICK=1 BUILD=$B/tsan TSAN_OPTIONS=halt_on_error=1 tools/run-tests.pl $(TSAN_TESTS:%=$B/tsan/%)

.PHONY: cov
cov: ## line coverage of all tests, by folder
	@$(MAKE) --no-print-directory -j$J B=$B/cov OPT='-O1 -g' WARN=-w EXTRA=--coverage few-rounds
	@tools/coverage.sh $B/cov

.PHONY: fuzz
fuzz: ## fuzz every format (SECONDS_EACH=10), or replay damaged inputs where there is no libFuzzer
	@tests/fuzz/run.sh $B/fuzz

.PHONY: format
format: ## lay all sources out by .clang-format, and documents in 120 columns
	@tools/wrap.pl $(filter %.c %.h,$(shell git ls-files)) README.md CONTRIBUTING.md NEWS.md $(filter-out docs/anomalies.md,$(wildcard docs/*.md))
	@clang-format -i $(filter %.c %.h,$(shell git ls-files))

.PHONY: format-check
format-check: ## refuse sources that .clang-format lays out otherwise
	@clang-format --dry-run --Werror $(filter %.c %.h,$(shell git ls-files))

.PHONY: golden
golden: all ## write the expected output of the command-line tests again (then read the diff)
	@BUILD=$B GOLDEN=write tests/cli/golden.t

.PHONY: demo
demo: ## install what is missing, build, and show a good and a broken history at every level
	@tools/install-deps.sh build
	+@BUILD=$B DEMO_MAKE='$(MAKE) --no-print-directory -s -j$J all' tools/demo.sh

.PHONY: install
install: all $B/installed/libisolab.a ## install programs, library, manual and completions (prefix=, DESTDIR=)
	@tools/install.sh $B '$(DESTDIR)' '$(prefix)' '$(VERSION)' '$(LIBS)'

.PHONY: clean
clean: ## remove what was built
	rm -rf $B

-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(COLLECTORS_OBJ:.o=.d) $(ROOM_OBJ:.o=.d) $(VERIFY_OBJ:.o=.d) $(TEST_SRC:%.c=$B/%.d) $(BENCH_SRC:%.c=$B/%.d) $B/bench/grow.d $(TEST_LIB:.o=.d)
