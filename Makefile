# Entry points for people and for CI. GNU make, a POSIX shell and cargo are all it takes.
# `make help` lists the targets; every variable can be set on the command line: make match FREQ=500.

CARGO ?= cargo

# The built programs are put here, and what they leave goes to matches/. Where this folder can't be written to, the
# programs stay where cargo leaves them, and matches go to a folder for temporary files. Recipes quote these paths, which
# may hold blanks.
BUILD = $(or $(CARGO_TARGET_DIR),target)
ifeq ($(shell test -w . && echo yes),yes)
BIN     := .
MATCHES := matches
else
BIN     := $(BUILD)/release
MATCHES := $(or $(TMPDIR),/tmp)/zappy-matches-$(shell id -u)
$(info make: this folder can't be written to: programs stay in $(BIN), matches go to $(MATCHES))
endif
OUR_CLIENT = $(if $(filter .,$(BIN)),./zappy_ai,'$(BIN)/zappy_ai')

# A match, or a server: zappy or conquest.
GAME    ?= zappy
WIDTH   ?= 20
HEIGHT  ?= 20
# Slots per team, in games that have this option; empty: as many as the game has by default.
CLIENTS ?=
# Ticks per second, of games without a rate of their own. Programs on the same machine keep up with far more than the
# subject's 100.
FREQ    ?= 1000
# real, the clock on the wall; lockstep: as fast as the bots think, and the same each time.
CLOCK   ?= real
# Empty: the arena draws one and tells it.
SEED    ?=
RED     ?= $(OUR_CLIENT)
BLUE    ?= $(OUR_CLIENT)
# The command of a bot to be checked.
BOT     ?=
OUT     := $(or $(OUT),$(MATCHES)/$(shell echo "$$(date +%Y%m%d-%H%M%S)-$$$$"))
# More flags for the program that is run.
FLAGS   ?=
# Tests at once in one test program. Those that last mostly wait for matches: on two cores, two at once would leave the
# machine idle for two thirds of the time.
TEST_THREADS ?= $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores > 8 ? cores : 8)))

# Matches in one process, with the seeds SEED, SEED+1 and so on.
SEEDS ?= 200

# A tournament: the file that names its bots, its folder (run again, it goes on), and more flags for its plan.
BOTS ?= bots.toml
DIR  ?= $(MATCHES)/tournament
PLAN ?=

# A server alone.
PORT        ?= 4242
TEAMS       ?= red blue
SERVER_FREQ ?= 100

# A match that is watched: people follow the subject's frequency.
WATCH_FREQ ?= 100
# A record to look at.
FILE ?= gui/assets/sample.zrec

# What is played, as the arena's flags.
WORLD = --game $(GAME) --width $(WIDTH) --height $(HEIGHT) $(if $(CLIENTS),--clients $(CLIENTS))

# Through the environment, so that quotes in a command reach the arena as they are.
export RED BLUE BOT OUT

BINARIES = zappy_server zappy_gui zappy_ai zappy_arena
# Built when it is asked for: its libraries are those of no other program.
SITE = zappy_site

.DEFAULT_GOAL := all
# Where the gym is installed.
GYM_ENV ?= $(BUILD)/gym

.PHONY: all $(BINARIES) $(SITE) gym match compare check-bot grade grade-class league tournament watch replay web site server test help

all: ## build the four programs and put them here
	$(CARGO) build --release $(foreach binary,$(BINARIES),--bin $(binary))
	@for binary in $(BINARIES); do $(call place,$$binary); done

# Cargo knows best what is out of date. A program that is running is replaced, not overwritten.
$(BINARIES) $(SITE):
	$(CARGO) build --release --bin $@
	@$(call place,$@)

place = [ "$(BIN)" != . ] || cmp -s "$(BUILD)/release/$(1)" $(1) || { cp "$(BUILD)/release/$(1)" .$(1).new && mv -f .$(1).new $(1); }

# One build for all that a match needs; our client only if a team plays with it.
MATCH_BINARIES = zappy_server zappy_arena $(if $(findstring zappy_ai,$(RED) $(BLUE)),zappy_ai)

match: ## play our client against itself: GAME, RED, BLUE, SEED, CLOCK, WIDTH, HEIGHT, CLIENTS, FREQ, OUT, FLAGS
	$(CARGO) build --release $(foreach binary,$(MATCH_BINARIES),--bin $(binary))
	@for binary in $(MATCH_BINARIES); do $(call place,$$binary); done
	"$(BIN)/zappy_arena" match --bot "red=$$RED" --bot "blue=$$BLUE" $(WORLD) \
		--clock $(CLOCK) --freq $(FREQ) $(if $(SEED),--seed $(SEED)) --out "$$OUT" $(FLAGS); status=$$?; $(LINK_LAST) exit $$status

# Also after a match that failed, if it left a folder. Folders elsewhere are the caller's own.
LINK_LAST = case "$$OUT" in matches/last) ;; matches/*) [ ! -d "$$OUT" ] || ln -sfn "$${OUT\#matches/}" matches/last;; esac;

# The old version and the new one; our client can play in this process: FLAGS=--in-process.
A ?= $(OUR_CLIENT)
B ?= $(OUR_CLIENT)
export A B

compare: zappy_server zappy_arena zappy_ai ## is bot B stronger than A? A, B (commands), SEED, WIDTH, HEIGHT, CLIENTS, FLAGS
	"$(BIN)/zappy_arena" compare "$$A" "$$B" $(WORLD) \
		$(if $(SEED),--first $(SEED)) $(FLAGS)

check-bot: zappy_arena ## say what a bot does wrong before it is handed in: GAME, BOT='python3 my_bot.py', FLAGS='--only messages'
	@[ -n "$$BOT" ] || { echo "make check-bot: no BOT; try make check-bot BOT='python3 my_bot.py'" >&2; exit 2; }
	"$(BIN)/zappy_arena" check "$$BOT" --game $(GAME) $(FLAGS)

# The folder that a graded bot works in, and the file that names its opponents.
BOT_DIR ?=
AGAINST ?=

grade: zappy_server zappy_ai zappy_arena ## give a bot points, one per opponent beaten: BOT, BOT_DIR, AGAINST, SEEDS=10, OUT, FLAGS
	@[ -n "$$BOT" ] || { echo "make grade: no BOT; try make grade BOT='python3 my_bot.py' BOT_DIR=submissions/ada" >&2; exit 2; }
	"$(BIN)/zappy_arena" grade "$$BOT" $(if $(BOT_DIR),--folder '$(BOT_DIR)') $(if $(AGAINST),--against '$(AGAINST)') \
		--out "$$OUT" $(if $(filter-out file,$(origin SEEDS)),--seeds $(SEEDS)) $(FLAGS)

# The folder of a class, with a folder per student.
CLASS ?= submissions

grade-class: zappy_server zappy_ai zappy_arena ## grade every folder of a class, again only what has changed: CLASS, AGAINST, SEEDS=10, OUT, FLAGS
	@[ "$(origin OUT)" != file ] || { echo "make grade-class: no OUT; try make grade-class CLASS=submissions OUT=grades/class" >&2; exit 2; }
	"$(BIN)/zappy_arena" grade --class '$(CLASS)' $(if $(AGAINST),--against '$(AGAINST)') \
		--out "$$OUT" $(if $(filter-out file,$(origin SEEDS)),--seeds $(SEEDS)) $(FLAGS)

tournament: zappy_server zappy_ai zappy_arena ## play all bots of a file against each other and sum it up: BOTS, DIR, PLAN, FLAGS
	"$(BIN)/zappy_arena" tournament plan --bots '$(BOTS)' --out '$(DIR)' $(PLAN)
	"$(BIN)/zappy_arena" tournament run '$(DIR)' $(FLAGS); status=$$?; case $$status in \
		130) ;; *) "$(BIN)/zappy_arena" tournament merge '$(DIR)' || exit;; esac; exit $$status

# DIR is the league's folder here; the bots lie in DIR/bots, a folder each.
league: zappy_server zappy_ai zappy_arena ## play the bots in DIR/bots on and on, as they come and change: DIR, FLAGS='--once --pairing swiss'
	"$(BIN)/zappy_arena" league '$(DIR)' $(FLAGS)

watch: zappy_gui ## play a match with the observer's window open on it: as match, and WATCH_FREQ
	@$(MAKE) --no-print-directory match FREQ=$(WATCH_FREQ) FLAGS="--observer \"'$(BIN)/zappy_gui' --director -p {port} -h {host}\" $(FLAGS)"

replay: zappy_gui ## open a record in the observer: FILE, by default the sample; FLAGS
	"$(BIN)/zappy_gui" --replay '$(FILE)' $(FLAGS)

# The place of the viewer is beside the programs, where the arena and the site look for it.
web: ## build the observer for browsers: zappy_web/viewer.js, which pages of matches are made of
	CARGO="$(CARGO)" gui/web/build.sh "$(BUILD)" "$(BIN)"

# The folder that spectators see, or the record, and where browsers find it: 0.0.0.0:8080 for those of other machines.
SHOW   ?= $(MATCHES)
LISTEN ?= 127.0.0.1:8080

site: zappy_site ## show matches in browsers, live, as replays and as reports: SHOW, LISTEN, FLAGS='--name arena.example'
	@[ -e '$(SHOW)' ] || mkdir -p '$(SHOW)'
	"$(BIN)/zappy_site" --folder '$(SHOW)' --listen $(LISTEN) $(FLAGS)

server: zappy_server ## run a server here until it is stopped: PORT, WIDTH, HEIGHT, TEAMS, CLIENTS, SERVER_FREQ, SEED, FLAGS
	"$(BIN)/zappy_server" -p $(PORT) -x $(WIDTH) -y $(HEIGHT) -n $(TEAMS) $(if $(CLIENTS),-c $(CLIENTS)) -f $(SERVER_FREQ) \
		$(if $(SEED),--seed $(SEED)) $(FLAGS)

# Cargo has built every program before the first test runs. A test that asked for one by itself would have it built
# with other features of its dependencies, which takes minutes.
TEST = ZAPPY_PROGRAMS=built RUST_TEST_THREADS=$(TEST_THREADS) $(CARGO) test --workspace

test: ## run all tests
	$(TEST)

# The packages that it needs are fetched.
gym: ## build the gym for learning in a virtual environment, GYM_ENV, and run its tests (needs Python; docs/training.md)
	@[ -d "$(BUILD)" ] || mkdir -p "$(BUILD)"
	python/make.sh "$$(realpath -m '$(GYM_ENV)')"

help: ## this
	@echo 'Targets (make help-dev lists those for people who change the project):'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1|\2/p' Makefile | awk -F'|' '{ printf "  %-13s %s\n", $$1, $$2 }'
	@echo 'Variables (and what they are now):'
	@printf '  %-13s %s\n' RED "$$RED" BLUE "$$BLUE" BOT "$$BOT" BOT_DIR '$(BOT_DIR)' AGAINST '$(AGAINST)' CLASS '$(CLASS)' A "$$A" B "$$B" SEED '$(or $(SEED),drawn)' SEEDS '$(SEEDS)' CLOCK '$(CLOCK)' \
		GAME '$(GAME)' WIDTH '$(WIDTH)' \
		HEIGHT '$(HEIGHT)' CLIENTS '$(CLIENTS)' FREQ '$(FREQ)' OUT "$$OUT" \
		WATCH_FREQ '$(WATCH_FREQ)' FILE '$(FILE)' PORT '$(PORT)' TEAMS '$(TEAMS)' SERVER_FREQ '$(SERVER_FREQ)' \
		BOTS '$(BOTS)' DIR '$(DIR)' PLAN '$(PLAN)' SHOW '$(SHOW)' LISTEN '$(LISTEN)' FLAGS '$(FLAGS)'

include dev.mk
