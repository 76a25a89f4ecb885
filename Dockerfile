# The arena with all that a grader's machine needs: server, client, arena, bubblewrap and the languages of the starters.
#
#   docker build -t zappy-arena .
#   docker run --rm --security-opt seccomp=unconfined -v "$PWD/matches:/arena/matches" zappy-arena \
#       grade zappy_ai --out matches/grade
#
# Bubblewrap makes namespaces, which a container's usual filter forbids. Without that option the arena takes Landlock where
# the kernel has it, and says so; --sandbox bwrap refuses to play instead.
ARG RUST_IMAGE=rust:1-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${RUST_IMAGE} AS build
WORKDIR /source
COPY . .
RUN cargo build --release --locked --bin zappy_server --bin zappy_ai --bin zappy_arena

FROM ${BASE_IMAGE}
# What bots are written in, and built with where they hand in sources ("python3-minimal gcc libc6-dev make"); an empty list makes a
# small image.
ARG LANGUAGES="python3-minimal"
RUN apt-get update \
    && apt-get install -y --no-install-recommends bubblewrap ${LANGUAGES} \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 arena \
    && install -d -o arena /arena /arena/matches
COPY --from=build /source/target/release/zappy_server /source/target/release/zappy_ai /source/target/release/zappy_arena /usr/local/bin/
COPY --from=build /source/protocol.md /source/conquest.md /source/docs/console.md /source/docs/record-format.md /source/bots.toml /usr/local/share/doc/zappy-arena/
USER arena
WORKDIR /arena
ENTRYPOINT ["zappy_arena"]
CMD ["--help"]
