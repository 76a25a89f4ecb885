#!/bin/sh
# Makes the book of the project's documents, target/book/html/index.html, with mdbook.
# The documents stay where they are; mdbook wants one folder, so it gets a copy of them and of all that they link to, at the same
# paths. Links that lead nowhere are told, and are a failure.
set -eu
cd "$(dirname "$0")/../.."
command -v mdbook >/dev/null || {
    echo "book: mdbook isn't installed; install it with: cargo install mdbook --locked" >&2
    exit 1
}

out=${CARGO_TARGET_DIR:-target}/book
rm -rf "$out"
mkdir -p "$out/src"
cp docs/book/book.toml "$out/"
tar --exclude=./target --exclude=./matches --exclude=./.git -cf - . | tar -C "$out/src" -xf - --wildcards --no-wildcards-match-slash \
    './*.md' --wildcards-match-slash '*.rs' './docs/*' './ai-client/*' ./gui/assets/fonts/LICENSE.txt ./LICENSE
# mdbook calls the page of a README index, in its folder; links have to say so.
find "$out/src" -name README.md | while read -r page; do mv "$page" "${page%README.md}index.md"; done
find "$out/src" -name '*.md' -exec sed -i 's|\(\](\([^)]*/\)*\)README\.md|\1index.md|g' {} +
sed -e 's|(../../|(|' -e t -e 's|(../|(docs/|' -e t -e 's|](\([a-z]\)|](docs/book/\1|' "$out/src/docs/book/SUMMARY.md" >"$out/src/SUMMARY.md"
mdbook build "$out"

# Each page, by the links in it that name no other host.
cd "$out/html"
find . -name '*.html' ! -name print.html ! -name toc.html -exec grep -o 'href="[^"]*"' /dev/null {} + |
    sed -e 's|^\([^:]*\):href="\([^"#?]*\).*"|\1 \2|' | sort -u |
    while read -r page link; do
        case $link in '' | *://* | mailto:*) continue ;; esac
        [ -e "$(dirname "$page")/$link" ] || echo "book: $page links to $link, which isn't there"
    done >../missing
cat ../missing >&2
[ ! -s ../missing ]
echo "book: $out/html/index.html"
