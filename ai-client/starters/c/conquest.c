/* A small faction of conquest to continue: pioneers take land, a worker earns, and a unit stays on the base.
 *
 * It reads a snapshot up to `go N`, sends an order for its base and for each unit, and ends with `Done N`. What it orders
 * depends on the lines it reads alone. */
#define _POSIX_C_SOURCE 200809L
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DAMAGE = 2,   /* of a pioneer's attack */
    SETTLED = 4,  /* units before the worker is built */
    ALARM = 3,    /* an enemy so near to the base is met, and the base isn't left */
    NEUTRAL = -1, /* the owner of a tile that has none */
    LATER = 9,    /* turns until the next unit appears, if none is being built */
    NONE = -1,    /* no tile */
    MAX_WORDS = 64,
};

static const struct kind {
    const char *name;
    int gold, upkeep, turns; /* its price, what it costs each turn, and how many turns of the base it takes */
} pioneer = {"pioneer", 200, 25, 2}, worker = {"worker", 350, 45, 3};

/* As last seen; `seen` is false before. */
struct tile {
    bool seen;
    int owner;
    char flags[5];
};

struct unit {
    int number, owner, at, health;
    char kind[12], state[4];
};

struct way {
    int dx, dy;
};

/* What one faction knows. A tile's place `at` is x * height + y. */
struct faction {
    int width, height, me;
    struct tile *tiles;
    struct unit *units; /* in sight now, by number */
    int count, room;
    struct way *ways; /* from a tile to all others, the nearest first: the tile itself, the 8 around, and so on */
    int gold, pop, cap, upkeep, base;
    char slot[12]; /* what is being built, or "-" */
    int left;
    bool *taken; /* two units can't stand on one tile */
    bool *goals; /* and needn't go to one */
    int threat;  /* where an enemy stands near the base, or NONE */
    bool makes_room, poor;
};

static int greater(int a, int b)
{
    return a > b ? a : b;
}

static int nearer(const void *left, const void *right)
{
    const struct way *a = left, *b = right;
    int far = greater(abs(a->dx), abs(a->dy)) - greater(abs(b->dx), abs(b->dy));
    int sum = abs(a->dx) + abs(a->dy) - abs(b->dx) - abs(b->dy);
    return far != 0 ? far : sum != 0 ? sum : a->dx != b->dx ? a->dx - b->dx : a->dy - b->dy;
}

static bool begin(struct faction *f, int width, int height, int me)
{
    size_t area = (size_t)width * (size_t)height;
    *f = (struct faction){.width = width, .height = height, .me = me, .slot = "-", .threat = NONE};
    f->tiles = calloc(area, sizeof *f->tiles);
    f->ways = calloc(area, sizeof *f->ways);
    f->taken = calloc(area, sizeof *f->taken);
    f->goals = calloc(area, sizeof *f->goals);
    if (f->tiles == NULL || f->ways == NULL || f->taken == NULL || f->goals == NULL)
        return false;
    for (int i = 0; i < width * height; i++)
        f->ways[i] = (struct way){i / height - width / 2, i % height - height / 2};
    qsort(f->ways, area, sizeof *f->ways, nearer);
    return true;
}

/* The place of a tile; NONE off the map. */
static int place(const struct faction *f, const char *x, const char *y)
{
    int column = atoi(x), row = atoi(y);
    return column >= 0 && column < f->width && row >= 0 && row < f->height ? column * f->height + row : NONE;
}

static void read_unit(struct faction *f, char **words)
{
    if (f->count == f->room) {
        struct unit *more = realloc(f->units, (size_t)(f->room * 2 + 16) * sizeof *more);
        if (more == NULL)
            return;
        f->units = more;
        f->room = f->room * 2 + 16;
    }
    struct unit unit = {.number = atoi(words[1]), .owner = atoi(words[2]), .health = atoi(words[6])};
    unit.at = place(f, words[4], words[5]);
    snprintf(unit.kind, sizeof unit.kind, "%s", words[3]);
    snprintf(unit.state, sizeof unit.state, "%s", words[7]);
    if (unit.at != NONE)
        f->units[f->count++] = unit;
}

/* Takes a line of the snapshot. What it doesn't know is left out. */
static void take(struct faction *f, char **words, int count)
{
    if (strcmp(words[0], "turn") == 0) {
        f->count = 0;
    } else if (strcmp(words[0], "faction") == 0 && count > 28 && atoi(words[1]) == f->me) {
        /* faction I NAME alive gold G food F wood W bombs B land L pop P cap C kills K score S upkeep U base X Y slot TYPE
         * LEFT, or slot - if nothing is being built. */
        f->gold = atoi(words[5]);
        f->pop = atoi(words[15]);
        f->cap = atoi(words[17]);
        f->upkeep = atoi(words[23]);
        f->base = place(f, words[25], words[26]);
        snprintf(f->slot, sizeof f->slot, "%s", words[28]);
        f->left = count > 29 ? atoi(words[29]) : 0;
    } else if (strcmp(words[0], "unit") == 0 && count > 7) {
        read_unit(f, words);
    } else if (strcmp(words[0], "tile") == 0 && count > 5 && place(f, words[1], words[2]) != NONE) {
        struct tile *tile = &f->tiles[place(f, words[1], words[2])];
        tile->seen = true;
        tile->owner = strcmp(words[3], "-") == 0 ? NEUTRAL : atoi(words[3]);
        snprintf(tile->flags, sizeof tile->flags, "%s", words[5]);
    }
}

static int owner(const struct faction *f, int at)
{
    return f->tiles[at].seen ? f->tiles[at].owner : NEUTRAL;
}

/* TODO for you: allies, if the match has any, are no enemies; the line of the options names them. */
static bool is_enemys(const struct faction *f, int owner)
{
    return owner != NEUTRAL && owner != f->me;
}

/* Whether a worker can earn most there. */
static bool is_site(const struct faction *f, int at)
{
    return strchr(f->tiles[at].flags, 'r') != NULL && !is_enemys(f, owner(f, at));
}

static bool is_foreign(const struct faction *f, int at)
{
    return owner(f, at) != f->me;
}

/* Steps between two tiles: a diagonal is one, and the map has no edge. */
static int distance(const struct faction *f, int a, int b)
{
    int dx = abs(a / f->height - b / f->height), dy = abs(a % f->height - b % f->height);
    return greater(dx < f->width - dx ? dx : f->width - dx, dy < f->height - dy ? dy : f->height - dy);
}

/* The tile that lies on the way of that number from a tile; with numbers from 0 on all tiles, the nearest first. */
static int around(const struct faction *f, int at, int number)
{
    struct way way = f->ways[number];
    int x = (at / f->height + way.dx + f->width) % f->width;
    int y = (at % f->height + way.dy + f->height) % f->height;
    return x * f->height + y;
}

static void step(struct faction *f, const struct unit *unit, int to, FILE *out)
{
    int best = NONE;
    for (int i = 1; i < 9; i++) {
        int at = around(f, unit->at, i);
        if (!f->taken[at] && (best == NONE || distance(f, at, to) < distance(f, best, to)))
            best = at;
    }
    if (best == NONE) {
        fputs("idle\n", out);
        return;
    }
    f->taken[unit->at] = false;
    f->taken[best] = true;
    fprintf(out, "travel %d %d\n", best / f->height, best % f->height);
}

/* Towards the nearest good tile to which no other unit goes. */
static void go(struct faction *f, const struct unit *unit, bool (*good)(const struct faction *, int), FILE *out)
{
    for (int i = 0; i < f->width * f->height; i++) {
        int at = around(f, unit->at, i);
        if (!f->taken[at] && !f->goals[at] && good(f, at)) {
            f->goals[at] = true;
            step(f, unit, at, out);
            return;
        }
    }
    if (unit->at == f->base)
        step(f, unit, unit->at, out);
    else
        fputs(owner(f, unit->at) == f->me ? "gold\n" : "idle\n", out);
}

/* An enemy beside the unit, if the others before it have left it alive. TODO for you: which one first? */
static bool attack(struct faction *f, const struct unit *unit, FILE *out)
{
    for (int i = 0; i < f->count; i++) {
        struct unit *enemy = &f->units[i];
        if (is_enemys(f, enemy->owner) && enemy->health > 0 && distance(f, unit->at, enemy->at) == 1) {
            enemy->health -= DAMAGE;
            if (enemy->health <= 0)
                f->taken[enemy->at] = false;
            fprintf(out, "attack %d\n", enemy->number);
            return true;
        }
    }
    return false;
}

/* TODO for you: strike. A faction whose base tile isn't its own is beaten, but a single unit seldom takes it. */
static void pioneer_order(struct faction *f, const struct unit *unit, FILE *out)
{
    if (owner(f, unit->at) != f->me)
        fputs(is_enemys(f, owner(f, unit->at)) ? "neutralize\n" : "conquer\n", out);
    else if (f->threat != NONE && distance(f, unit->at, f->base) <= 2 * ALARM)
        step(f, unit, f->threat, out);
    else if (f->poor && unit->at != f->base)
        fputs("gold\n", out);
    else
        go(f, unit, is_foreign, out);
}

/* False without an order. TODO for you: fighters, clerics and sappers, which this faction doesn't build. */
static bool unit_order(struct faction *f, const struct unit *unit, FILE *out)
{
    bool on_guard = unit->at == f->base && !f->makes_room, works = strcmp(unit->kind, worker.name) == 0;
    /* By the rules `arena` a unit that has changed sides takes no order at first. */
    if (strcmp(unit->state, "c") == 0 || !(works || strcmp(unit->kind, pioneer.name) == 0))
        return false;
    fprintf(out, "Unit %d ", unit->number);
    if (!works && attack(f, unit, out))
        return true;
    if (on_guard)
        fputs("gold\n", out);
    else if (!works)
        pioneer_order(f, unit, out);
    else if (is_site(f, unit->at))
        fputs(owner(f, unit->at) == f->me ? "gold\n" : "conquer\n", out);
    else
        go(f, unit, is_site, out);
    return true;
}

/* Gives how many turns the next unit takes after it. */
static int base_order(struct faction *f, bool has_worker, FILE *out)
{
    bool site = false;
    for (int at = 0; at < f->width * f->height; at++)
        site = site || is_site(f, at);
    const struct kind *kind = site && !has_worker && f->pop >= SETTLED ? &worker : &pioneer;
    bool builds = strcmp(f->slot, "-") != 0;
    /* What can't be paid costs score, and by the rules `arena` a unit. */
    if (builds && f->gold >= f->upkeep) {
        fputs("Base continue\n", out);
        return f->left - 1;
    }
    if (builds || f->pop >= f->cap || f->gold < kind->gold + 2 * (f->upkeep + kind->upkeep)) {
        fputs("Base income\n", out);
        return LATER;
    }
    f->gold -= kind->gold;
    fprintf(out, "Base build %s\n", kind->name);
    return kind->turns - 1;
}

/* Gives their number. */
static int orders(struct faction *f, FILE *out)
{
    bool has_worker = false;
    int count = 1;
    memset(f->taken, 0, (size_t)(f->width * f->height) * sizeof *f->taken);
    memset(f->goals, 0, (size_t)(f->width * f->height) * sizeof *f->goals);
    f->threat = NONE;
    for (int i = 0; i < f->count; i++) {
        const struct unit *unit = &f->units[i];
        f->taken[unit->at] = true;
        has_worker = has_worker || (unit->owner == f->me && strcmp(unit->kind, worker.name) == 0);
        if (f->threat == NONE && is_enemys(f, unit->owner) && distance(f, unit->at, f->base) <= ALARM)
            f->threat = unit->at;
    }
    int left = base_order(f, has_worker, out);
    /* The base acts before the units: the one on it makes room a turn before the next one appears. */
    f->makes_room = left <= 1 && f->threat == NONE;
    f->poor = f->gold < 2 * f->upkeep;
    for (int i = 0; i < f->count; i++)
        if (f->units[i].owner == f->me)
            count += unit_order(f, &f->units[i], out);
    return count;
}

/* Lines from the server and to it, and notes for you. */
struct server {
    int fd;
    FILE *in, *notes; /* notes is NULL without ZAPPY_NOTES */
    int sent;
    char *line; /* the last one that was read; grows with need */
    size_t line_size;
    char *words[MAX_WORDS]; /* of it */
};

/* The number of words in the next line, in however many packets it comes; -1 at the end. */
static int read_words(struct server *server)
{
    ssize_t length = getline(&server->line, &server->line_size, server->in);
    if (length < 1 || server->line[length - 1] != '\n')
        return -1;
    int count = 0;
    for (char *word = strtok(server->line, " \t\r\n"); word != NULL && count < MAX_WORDS; word = strtok(NULL, " \t\r\n"))
        server->words[count++] = word;
    return count;
}

/* A write that fails shows as the end at the next read. */
static void send_lines(struct server *server, const char *text, int count)
{
    dprintf(server->fd, "%s", text);
    server->sent += count;
}

/* Notes something for you, which `zappy_arena show` and the observer tell: words, `tile X Y word`, or `marker word` for the
 * timeline. Opponents don't see it. */
static void note(struct server *server, const char *format, ...)
{
    va_list words;
    if (server->notes == NULL)
        return;
    fprintf(server->notes, "%d ", server->sent);
    va_start(words, format);
    vfprintf(server->notes, format, words);
    va_end(words);
    fputc('\n', server->notes);
    fflush(server->notes);
}

static int connect_to(const char *host, const char *port)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *all;
    int fd = -1, on = 1;
    if (getaddrinfo(host, port, &hints, &all) != 0)
        return -1;
    for (struct addrinfo *at = all; at != NULL && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(all);
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

/* One phase in which the faction acts. */
static void act(struct server *server, struct faction *f, const char *turn)
{
    char *text = NULL;
    size_t size;
    bool alarm = f->threat != NONE;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return;
    int count = orders(f, out) + 1;
    fprintf(out, "Done %s\n", turn);
    fclose(out);
    note(server, "gold %d, population %d of %d", f->gold, f->pop, f->cap);
    if (f->threat != NONE && !alarm) {
        note(server, "marker alarm");
        note(server, "tile %d %d enemy", f->threat / f->height, f->threat % f->height);
    }
    send_lines(server, text, count);
    free(text);
}

/* Plays until the match is over, which ends the connection. False if there was no place for it. */
static bool play(struct server *server, const char *name)
{
    struct faction f;
    char **words = server->words, first[24] = "";
    int count, me = 0;
    if (read_words(server) < 0) /* WELCOME */
        return true;
    dprintf(server->fd, "%s\n", name);
    if ((count = read_words(server)) < 1 || strcmp(words[0], "ko") == 0)
        return count < 1;
    if (read_words(server) < 2)
        return true;
    int width = atoi(words[0]), height = atoi(words[1]);
    count = read_words(server);
    for (int i = 0; i + 1 < count; i += 2) /* keys and their values */
        me = strcmp(words[i], "you") == 0 ? atoi(words[i + 1]) : me;
    if (width < 1 || height < 1 || !begin(&f, width, height, me))
        return true;
    while ((count = read_words(server)) >= 0) {
        if (count > 1 && strcmp(words[0], "start") == 0) {
            if (first[0] == '\0') /* TODO for you: the best one, not the first. */
                snprintf(first, sizeof first, "Place %.10s\n", words[1]);
        } else if (count > 1 && strcmp(words[0], "go") == 0 && strcmp(words[1], "0") == 0) {
            send_lines(server, first, first[0] != '\0');
            send_lines(server, "Done 0\n", 1);
        } else if (count > 1 && strcmp(words[0], "go") == 0) {
            act(server, &f, words[1]);
        } else if (count > 0 && (strcmp(words[0], "dead") == 0 || strcmp(words[0], "over") == 0)) {
            for (int i = 0; i < count; i++)
                fprintf(stderr, "%s%s", words[i], i + 1 < count ? " " : "\n");
        } else if (count > 0) {
            take(&f, words, count);
        }
    }
    free(f.tiles);
    free(f.units);
    free(f.ways);
    free(f.taken);
    free(f.goals);
    return true;
}

int main(int argc, char **argv)
{
    const char *usage = "Usage: conquest -p PORT -n TEAM [-h HOST]\n\n"
                        "  -p PORT  the server's port\n  -n TEAM  the faction's name (ZAPPY_TEAM)\n"
                        "  -h HOST  the server's host (localhost)\n  --help   this\n";
    /* On a ladder NAME:TOKEN, which other users of this machine shall not see. */
    const char *host = "localhost", *port = NULL, *team = getenv("ZAPPY_TEAM"), *notes = getenv("ZAPPY_NOTES");
    if (argc > 1 && strcmp(argv[1], "--help") == 0) { /* -h is the host here */
        fputs(usage, stdout);
        return 0;
    }
    for (int option; (option = getopt(argc, argv, "p:n:h:")) != -1;) {
        host = option == 'h' ? optarg : host;
        port = option == 'p' ? optarg : port;
        team = option == 'n' ? optarg : team;
        if (option == '?')
            team = NULL;
    }
    if (port == NULL || team == NULL) {
        fputs(usage, stderr);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    struct server server = {.fd = connect_to(host, port), .notes = notes != NULL ? fopen(notes, "a") : NULL};
    server.in = server.fd < 0 ? NULL : fdopen(server.fd, "r");
    if (server.in == NULL) {
        fprintf(stderr, "conquest: no server on %s:%s\n", host, port);
        return 1;
    }
    if (!play(&server, team)) {
        int length = (int)strcspn(team, ":"); /* What stands behind a colon is a ladder's token. */
        fprintf(stderr, "conquest: no place for %.*s: no such faction, or its seat is taken (%s)\n", length, team,
                "on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent");
        return 1;
    }
    fputs("the match is over\n", stderr);
    fclose(server.in);
    free(server.line);
    return 0;
}
