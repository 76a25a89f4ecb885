# Entry points for those who change the project; the Makefile includes this file and has those for all others.

.PHONY: attack bench book check clean cluster-test deny fclean fuzz instructions lint mirror re screenshots seeds sim soak windows help-dev

# How long servers are kept busy, and where the curves of their memory are drawn.
MINUTES ?= 60
PICTURE ?= $(MATCHES)/soak.svg

seeds: zappy_arena ## play many matches of our client against itself, over all cores: SEEDS, SEED, and as match
	"$(BIN)/zappy_arena" match --in-process --bot "red=$$RED" --bot "blue=$$BLUE" $(WORLD) \
		--seeds $(SEEDS) $(if $(SEED),--seed $(SEED)) --out "$$OUT" $(FLAGS)

mirror: zappy_arena ## test that no seat wins by itself: SEEDS, WIDTH, HEIGHT, CLIENTS, FLAGS='--teams 4'
	"$(BIN)/zappy_arena" mirror --seeds $(SEEDS) $(if $(SEED),--first $(SEED)) $(WORLD) $(FLAGS)

cluster-test: zappy_server zappy_ai zappy_arena ## play one tournament by a Slurm of one node and by ssh too, as root: SEEDS=10
	$(if $(filter-out file,$(origin SEEDS)),SEEDS=$(SEEDS)) ZAPPY_ARENA="$(BIN)/zappy_arena" arena/cluster/test.sh

# Who runs it, and which sandboxes the machine has, decides what can be tried.
attack: zappy_server zappy_ai zappy_arena ## try to cheat: hostile bots in every sandbox that works here; FLAGS='--only memfd --in bwrap'
	python3 arena/attack/attack.py '$(BIN)' $(FLAGS)

# Nothing else needs it, and no test. Where Wine is installed, arena/windows/smoke.sh tries them.
windows: ## build the programs for Windows into target/windows, with rustup or a distribution's compiler, and mingw
	CARGO="$(CARGO)" arena/windows/build.sh "$(BUILD)"

# A part that takes input from outside, and for how many seconds inputs are made for it. FLAGS are libFuzzer's.
TARGET ?=
TIME   ?= 60

fuzz: ## look for inputs that break a promise, by coverage: TARGET (none: which there are), TIME=60 in seconds, FLAGS
	@CARGO="$(CARGO)" simulation/fuzz.sh '$(TARGET)' '$(TIME)' $(FLAGS)

# The documentation is for engineers of this project: private items are in it, and links to them are good.
DOC_FLAGS = -D warnings -A rustdoc::private_intra_doc_links

# cargo-deny is a program of its own. Where it isn't installed a line says so; ZAPPY_DENY=required makes that a failure.
deny: ## judge the dependencies: bans, licences, sources; advisories where their database can be fetched
	@if ! $(CARGO) deny --version >/dev/null 2>&1; then \
		echo 'make deny: the dependencies were NOT judged, because cargo-deny is not installed; install it with: cargo install cargo-deny --locked' >&2; \
		[ "$$ZAPPY_DENY" != required ]; exit; \
	fi; \
	$(CARGO) deny check --hide-inclusion-graph bans licenses sources || exit; \
	(cd python && $(CARGO) deny check --hide-inclusion-graph bans licenses sources) || exit; \
	if $(CARGO) deny fetch db; then \
		$(CARGO) deny --offline check advisories && cd python && $(CARGO) deny --offline check advisories; \
	else \
		echo 'make deny: the advisories were NOT checked, because their database could not be fetched' >&2; \
	fi

# With SEED or SCRIPT, which a failure printed, whole sessions alone; every 64th of them has a crowd.
sim: ## play whole sessions and the rules alone in memory and check everything: SEEDS, SEED, SCRIPT (docs/simulation.md)
	$(if $(SCRIPT),SIMULATION_SCRIPT=$(SCRIPT)) SIMULATION_SEEDS=$(SEEDS) SIMULATION_SEED=$(or $(SEED),0) \
		$(CARGO) test -p zappy-simulation --lib $(if $(SEED)$(SCRIPT),tests,--test rules)
	$(if $(SEED)$(SCRIPT),,SIMULATION_SEEDS=$(SEEDS) $(CARGO) test -p zappy-server -p zappy-game-conquest --lib simulation)

lint: ## formatting, lints, dependencies, documentation
	$(CARGO) fmt --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	cd python && $(CARGO) fmt --check && $(CARGO) clippy --locked --all-targets -- -D warnings
	cd python && RUSTDOCFLAGS='$(DOC_FLAGS)' $(CARGO) rustdoc --locked --lib -- --document-private-items
	@$(MAKE) --no-print-directory deny
	RUSTDOCFLAGS='$(DOC_FLAGS)' $(CARGO) doc --workspace --no-deps --document-private-items

check: lint ## lint, and tests
	$(TEST)

# All programs are built first, because some benches play matches between them.
bench: ## measure speed and scale and print a table, in a few minutes; docs/performance.md says how to read it
	$(CARGO) build --release --workspace --bins
	@printf '%-52s %8s %8s %8s %8s\n' 'what is measured' median '99 %' '99.9 %' most
	$(CARGO) bench -p zappy-server --bench '*'
	ZAPPY_PROGRAMS=built $(CARGO) bench -p zappy-arena -p zappy-gui --bench '*'

soak: ## keep both games busy with connections that come and go: MINUTES, and PICTURE for the curves
	@mkdir -p '$(dir $(PICTURE))'
	$(CARGO) bench -p zappy-server --bench load -- soak --minutes $(MINUTES) --picture '$(PICTURE)'

instructions: ## count the instructions of fixed work and compare them with what is expected (needs valgrind)
	@CARGO="$(CARGO)" .ci/instructions

screenshots: zappy_gui zappy_server zappy_arena zappy_ai ## render the observer in all its states into matches/pictures
	gui/screenshots.sh

book: ## make the documents a book, target/book/html: a page per audience (needs mdbook)
	docs/book/build.sh

clean: ## remove what was built, but not the programs
	$(CARGO) clean

fclean: clean ## remove the programs too; matches stay
	rm -f $(BINARIES) $(SITE)
	rm -rf zappy_web

re: ## build everything anew
	@$(MAKE) --no-print-directory fclean
	@$(MAKE) --no-print-directory all

help-dev: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1|\2/p' dev.mk | awk -F'|' '{ printf "  %-13s %s\n", $$1, $$2 }'
	@printf '  %-13s %s\n' TARGET '$(TARGET)' TIME '$(TIME)' MINUTES '$(MINUTES)' PICTURE '$(PICTURE)'
