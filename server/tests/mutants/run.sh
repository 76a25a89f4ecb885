#!/bin/sh
# Plants each bug of list.txt in a copy of the project, builds the tests of the games and of the server, and says what finds it: the
# simulation of whole sessions first, then the simulations of the rules, then all other tests. Prints a line of a table
# for each: area, bug, what found it, seeds, seconds (without building).
#
#   server/tests/mutants/run.sh [SEEDS] [WORDS]      of those bugs only whose line holds the words
#   BEFORE='nice -n 15' server/tests/mutants/run.sh  with a command before each build and run
#
# The copy lies in target/mutants, and its builds are those of target.
set -eu
cd "$(dirname "$0")/../../.."
seeds=${1:-300}
words=${2:-}
root=$PWD
target=${CARGO_TARGET_DIR:-$root/target}
copy=$target/mutants/copy
list=server/tests/mutants/list.txt
log=$target/mutants/log

export CARGO_TARGET_DIR="$target" CARGO_INCREMENTAL=1 RUST_BACKTRACE=0
mkdir -p "$copy"

# Each bug is built for a few seconds of tests, so all is built as quickly as can be. What cargo printed says where
# the test binary lies.
build() {
	(cd "$copy" && ${BEFORE:-} cargo test --config 'profile.dev.opt-level=0' -p "$@" --no-run 2>&1) >"$log" || return 1
	sed -n 's/^ *Executable .*(\(.*\))$/\1/p' "$log" | head -n 1
}

# Copies what has changed, so that cargo builds no more than that again, and removes what is gone.
refresh() {
	find "$copy" -type f | while IFS= read -r file; do
		[ -e "${file#"$copy"/}" ] || rm "$file"
	done
	git ls-files -co --exclude-standard | while IFS= read -r file; do
		[ -e "$file" ] || continue
		cmp -s "$file" "$copy/$file" || { mkdir -p "$copy/$(dirname "$file")" && cp "$file" "$copy/$file"; }
	done
}

# Whether the tests fail, or don't end; sets `seconds`.
fails() {
	status=0
	(cd "$copy/server" && ${BEFORE:-} timeout 240 "$@" >"$log" 2>&1) || status=$?
	seconds=$(sed -n 's/^test result: .* finished in \(.*\)s$/\1/p' "$log")
	[ "$status" != 0 ]
}

# Whether the tests of that target fail, or those of them that are named; sets `name` to the first one that does.
target_fails() {
	target_of=$1
	shift
	# shellcheck disable=SC2086
	binary=$(build $target_of) || return 1
	fails "$binary" "$@" || return 1
	name=$(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | head -n 1)
}

look() {
	binary=$(build zappy-simulation --lib) || { echo "doesn't compile | | "; return; }
	if SIMULATION_SEEDS=$seeds SIMULATION_SHRINK=off fails "$binary" tests::nothing_is_wrong; then
		seed=$(sed -n 's/^seed \([0-9]*\) fails.*/\1/p' "$log" | head -n 1)
		[ -z "$seed" ] && echo "sessions, which never end | | 240" || echo "sessions | $((seed + 1)) | $seconds"
		return
	fi
	if target_fails 'zappy-simulation --test rules' || target_fails 'zappy-game-conquest --lib' simulation ||
		target_fails 'zappy-server --lib' simulation; then
		echo "the rules' simulations | | $seconds"
		return
	fi
	for tests in 'zappy-game --lib' 'zappy-turns --lib' 'zappy-game-zappy --lib' 'zappy-game-conquest --lib' 'zappy-server --lib' \
		'zappy-turns --test turns' 'zappy-game-conquest --test inside' 'zappy-server --test rules' 'zappy-server --test conquest' \
		'zappy-server --test resume' 'zappy-server --test protocol_md'; do
		if target_fails "$tests"; then
			echo "test \`$name\` of $tests | | $seconds"
			return
		fi
	done
	echo "NOTHING | | "
}

# Writes the file with the bug, if the text stands in one of its lines.
plant() {
	OLD=$1 NEW=$2 awk '
		BEGIN { old = ENVIRON["OLD"]; new = ENVIRON["NEW"] }
		(at = index($0, old)) { found++; $0 = substr($0, 1, at - 1) new substr($0, at + length(old)) }
		{ print }
		END { exit found != 1 }' "$file" >"$copy/$file"
}

refresh
grep -v '^#' "$list" | while IFS= read -r line; do
	case $line in *"$words"*) ;; *) continue ;; esac
	area=${line%% | *} rest=${line#* | }
	what=${rest%% | *} rest=${rest#* | }
	file=${rest%% | *} bug=${rest#* | }
	new=${bug#*" ~>"}
	if plant "${bug%%" ~>"*}" "${new# }"; then
		found=$(look)
	else
		found="NOT PLANTED: the text doesn't stand in one line of $file | | "
	fi
	echo "| $area | $what | $found |"
	cp "$file" "$copy/$file"
done
