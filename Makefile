# What can be done here:
#
#   make demo      compile the firewall, run a capture through it, compare it with the kernel   (needs Rust only)
#   make quick     what gives most confidence in five minutes: unit tests, file tests, a few programs beside the judge
#   make test      what CI runs: style, layers, programs, all tests   (installs what is missing, see tools/setup)
#   make full      all of that, and the long runs
#   make mutants   designs broken by rule, run against the test bench of their folder   (SEED=N draws others)
#   make bench     compile time and simulation speed, native and Verilator
#   make programs  our XDP samples and the kernel's xdp1 and xdp2, to build/programs/NAME.o
#   make realworld the kernel's XDP programs, libxdp's and ours with two compilers, compared with the kernel (needs root)
#   make cocotb    generated designs and all blocks under models of AXI by others (a part of `make test`)
#   make ecp5      ten programs placed and routed for an ECP5, and the clocks they reach: docs/ecp5.md
#   make ecp5-p4   the same of the P4 programs: docs/ecp5-p4.md   (some hours)
#   make ecp5-core a core of two lanes placed and routed for an ECP5   (an hour or more)
#   make calibrate LUT6 levels of single operations as yosys maps them, for ECP5 nanoseconds, beside the delay model
#   make levels    LUT6 levels and area of whole programs, to docs/levels.md   (an hour or two)
#   make bench-area  what each optimisation gains in area, to docs/area.md   (an hour or two)
#   make bench-core  the core beside the figures and tables of hXDP's paper, to docs/core.md   (a quarter of an hour)
#   make bench-p4  P4 programs beside the figures and tables of P4FPGA's paper, to docs/p4.md   (an hour; YOSYS=0: some minutes)
#   make campaign  thousands of random programs on cores of all sizes, to docs/fuzz.md   (a part of `make full`; needs root)
#   make bench-lru what full LRU maps keep, beside the kernel's, to docs/lru.md   (needs root)
#   make prebuilt  renews programs/prebuilt/ from those
#   make clean     removes build/ and Cargo's output

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:

export CARGO_TARGET_DIR ?= $(CURDIR)/target
# That of rust-toolchain.toml, or the default one where it is not to be had.
TOOLCHAIN := $(shell tools/toolchain)
ifneq ($(TOOLCHAIN),)
export RUSTUP_TOOLCHAIN := $(TOOLCHAIN)
endif
HARDPATH := $(CARGO_TARGET_DIR)/release/hardpath

SAMPLES := $(patsubst programs/%.c,%,$(wildcard programs/*.c))
OBJECTS := $(SAMPLES:%=build/programs/%.o)
KERNEL_OBJECTS := build/programs/xdp1.o build/programs/xdp2.o

CLANG ?= clang
# The prefix map keeps the path of this checkout out of the objects.
BPF_CFLAGS := -target bpf -O2 -g -Wall -Wextra -Werror -I/usr/include/$(shell uname -m)-linux-gnu \
	-fdebug-compilation-dir=.

# Tests that need a tool or the kernel fail, instead of being left out, when it is missing.
STRICT := HARDPATH_REQUIRE_TOOLS=1
ifeq ($(shell id -u),0)
STRICT += HARDPATH_REQUIRE_KERNEL=1
endif
# Verilator compiles its own run time for each model; ccache, which may be there only when a recipe starts, does so once.
CARGO_TEST := $(STRICT) OBJCACHE="$$(command -v ccache || true)" CCACHE_DIR=$(CURDIR)/build/ccache \
	PATH="$(CURDIR)/.venv/bin:$$PATH" cargo test --workspace --profile ci --no-fail-fast

# Examples have no tests, and are built by who runs them.
define ALL_TESTS
failed=
$(1) $(CARGO_TEST) --lib --bins --tests || failed=1
$(1) $(CARGO_TEST) --doc || failed=1
[ -z "$$failed" ]
endef

.PHONY: demo quick quick-tests test full mutants bench programs cocotb ecp5 ecp5-p4 ecp5-core realworld realworld-sources prebuilt clean setup style calibrate levels bench-area bench-core bench-p4 bench-lru campaign

demo:
	@cargo build --release --package hardpath-cli
	tools/demo $(HARDPATH)

# The log, and the slowest tests at its end.
quick:
	@CI_LOG=build/quick.log .ci/run quick-tests

quick-tests:
	@tools/quick $(CARGO_TARGET_DIR)/ci/hardpath

test: setup style programs realworld-sources
	@$(call ALL_TESTS,)

full: setup style programs realworld-sources
	@$(call ALL_TESTS,HARDPATH_FULL=1)
	$(MAKE) campaign
	$(MAKE) realworld

campaign: setup
	@cargo run --profile ci --package hardpath-fuzz --example campaign -- --docs docs/fuzz.md

SEED := 1
mutants: setup programs
	@HARDPATH_FULL=1 HARDPATH_SEED=$(SEED) $(CARGO_TEST) --test mutants -- --nocapture

bench: setup
	@PATH="$(CURDIR)/.venv/bin:$$PATH" cargo run --release --package hardpath-cli --example bench

ecp5: setup programs
	@cargo build --release --package hardpath-cli
	tools/ecp5 $(HARDPATH)

ecp5-p4: setup
	@cargo build --release --package hardpath-cli
	tools/ecp5 $(HARDPATH) --p4

ecp5-core: setup
	@cargo build --release --package hardpath-cli
	echo '[{"kind": "hash", "key_bytes": 16, "value_bytes": 8, "entries": 256}, {"kind": "array", "key_bytes": 4, "value_bytes": 8, "entries": 256}]' > build/ecp5-core.json
	$(HARDPATH) core --lanes 2 --threads 4 --bus 64 --rows 1024 --maps build/ecp5-core.json --family ecp5 --clock 60 -o build/ecp5-core
	$(HARDPATH) synth build/ecp5-core/verilog --flow ecp5 --no-parts

cocotb: setup build/.tools
	@cargo build --profile ci --package hardpath-cli
	.venv/bin/python tests/cocotb/run.py $(CARGO_TARGET_DIR)/ci/hardpath build/cocotb
	$(STRICT) cargo test --profile ci --package hardpath-blocks --test cocotb

setup:
	@tools/setup

style: setup
	@cargo fmt --check
	tools/check-layers
	cargo clippy --workspace --all-targets --profile ci -- -D warnings

programs: $(OBJECTS) $(KERNEL_OBJECTS)

# A machine without clang gets it first; where all is there this costs nothing.
build/.tools: tools/setup
	@tools/setup programs
	mkdir -p build
	touch $@

build/programs/%.o: programs/%.c $(wildcard programs/*.h) build/.tools
	@mkdir -p $(@D)
	echo "  CLANG-BPF $@"
	$(CLANG) $(BPF_CFLAGS) -c $< -o $@.new
	mv $@.new $@

$(KERNEL_OBJECTS) &: tools/build-kernel-samples build/.tools
	@echo "  CLANG-BPF $(KERNEL_OBJECTS)"
	tools/build-kernel-samples build/programs build/kernel

# The page in the docs is renewed; SYNTH=1 adds the LUT6 levels, which takes long.
CAPTURES := $(wildcard ../shared/pcaps)
realworld: setup realworld-sources
	@cargo build --release --package hardpath-cli
	$(HARDPATH) realworld --compiler "$(CLANG)" --compiler ".venv/bin/python -m ziglang cc" \
		$(if $(CAPTURES),--captures $(CAPTURES)) $(if $(SYNTH),--synth) \
		--time-limit 1800 --out build/realworld.json --docs docs/realworld.md

realworld-sources: setup
	@tools/realworld-sources build/realworld

calibrate: setup
	@cargo build --release --package hardpath-cli --example calibrate
	$(CARGO_TARGET_DIR)/release/examples/calibrate
	$(CARGO_TARGET_DIR)/release/examples/calibrate --family 7-series
	$(CARGO_TARGET_DIR)/release/examples/calibrate --family agilex
	$(CARGO_TARGET_DIR)/release/examples/calibrate --family ecp5 --routed

# The kernel's objects are compiled by the command itself.
KERNEL_WORK = build/realworld/work/clang-$$($(CLANG) -dumpversion | cut -d. -f1)
LEVELS_KERNEL := xdp_tx_iptunnel xdp_router_ipv4
# Fewer, or others of ours: make levels LEVELS="flood blocklist"
LEVELS := acl suricata_like nat token_bucket leaky_bucket listing1 firewall syn_filter load_balancer rate_limit vxlan_encap \
	blocklist flood ipip_decap ipip_encap redirector reflector
# Maps that take yosys too long: they need no logic of their own for each entry.
SMALLER_xdp_router_ipv4 := @rx_cnt=64
SMALLER_suricata_like := @flows_v4=256,flows_v6=256
SYNTHESIZED = $(foreach object,$(1),$(object)$(SMALLER_$(basename $(notdir $(object)))))
COMMA := ,
EMPTY :=
levels: setup programs realworld-sources
	@cargo build --release --package hardpath-cli --bin hardpath --example levels
	$(HARDPATH) realworld --only $(subst $(EMPTY) $(EMPTY),$(COMMA),$(strip $(LEVELS_KERNEL))) >/dev/null
	$(CARGO_TARGET_DIR)/release/examples/levels --docs docs/levels.md \
		$(call SYNTHESIZED,$(LEVELS_KERNEL:%=$(KERNEL_WORK)/%.o)) \
		build/realworld/packages/objects/xdpfilt_alw_all.o@128 \
		$(call SYNTHESIZED,$(LEVELS:%=build/programs/%.o))

AREA := listing1 firewall nat suricata_like
bench-area: setup programs realworld-sources
	@cargo build --release --package hardpath-cli --bin hardpath --example area
	$(HARDPATH) realworld --only xdp_tx_iptunnel >/dev/null
	$(CARGO_TARGET_DIR)/release/examples/area --docs docs/area.md \
		$(call SYNTHESIZED,$(AREA:%=build/programs/%.o)) $(KERNEL_WORK)/xdp_tx_iptunnel.o

CORE_KERNEL := xdp1 xdp2 xdp_adjust_tail xdp_router_ipv4 xdp_rxq_info xdp_tx_iptunnel xdp_redirect_map
bench-core: setup programs realworld-sources
	@cargo build --release --package hardpath-cli --bin hardpath --example bench_core
	$(HARDPATH) realworld --compile-only --only $(subst $(EMPTY) $(EMPTY),$(COMMA),$(strip $(CORE_KERNEL))) >/dev/null
	CLANG="$(CLANG)" $(CARGO_TARGET_DIR)/release/examples/bench_core --kernel $(KERNEL_WORK) --docs docs/core.md

# Netlists of designs that are the same as before are kept; YOSYS=0 makes no new ones.
bench-p4: setup
	@cargo build --release --package hardpath-cli
	@cargo build --release --package hardpath-synth --example tables
	PATH="$(CURDIR)/.venv/bin:$$PATH" tools/bench-p4 $(HARDPATH) $(CARGO_TARGET_DIR)/release/examples/tables $(if $(filter 0,$(YOSYS)),--no-yosys)

bench-lru: setup
	@cargo build --release --package hardpath-cli --example forgetting
	$(CARGO_TARGET_DIR)/release/examples/forgetting --docs docs/lru.md

# BTF stays, DWARF goes: smaller, and what most people ship.
prebuilt: $(OBJECTS)
	@mkdir -p programs/prebuilt
	for sample in $(SAMPLES); do
		llvm-strip -g build/programs/$$sample.o -o programs/prebuilt/$$sample.o
	done

clean:
	@rm -rf build
	cargo clean
