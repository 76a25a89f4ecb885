/* A small Zappy player to continue: it eats, reaches level 2 alone, shouts where it is, and lays one egg.
 *
 * Every plan ends with a Look, and the answer to that Look makes the next plan. A few commands are sent ahead, so that
 * the server never waits for the network. What it does depends on the lines it reads and on ZAPPY_SEED alone. Each
 * player is a process. */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    AHEAD = 3,      /* commands sent and not answered, 2 at least; the server keeps ten, and drops what comes beyond */
    HUNGRY = 6,     /* with less food, nothing else matters; a unit lasts 126 ticks */
    ENOUGH = 30,    /* with more food, eating is a waste of time */
    RICH = 20,      /* with so much, an egg is laid */
    MAX_TILES = 81, /* what a player of level 8 sees */
    MAX_PLAN = 32,
    MAX_COMMAND = 256,
};

/* Commands, the next or the oldest one first. */
struct queue {
    char commands[MAX_PLAN][MAX_COMMAND];
    int count;
};

struct tile {
    int players, food, linemate;
};

struct player {
    const char *host, *port, *team;
    bool lays, frozen;
    int fd;
    FILE *in;
    FILE *notes; /* what this player notes for you; NULL without ZAPPY_NOTES */
    int sent;    /* commands, and */
    int heard;   /* lines after WELCOME, by which notes count */
    char *line; /* the last one that was read; grows with need */
    size_t line_size;
    struct queue plan;    /* what to send */
    struct queue pending; /* what was sent and not answered */
    uint32_t chance;
    int level, food, looks;
    int unit;         /* what the server counts for a unit of food: 1, or 126 ticks; 0 until it is known */
    int x, y, facing; /* counted from birth: the server doesn't tell a player where it stands, nor where north is */
};

static void push(struct queue *queue, const char *command, int times)
{
    for (; times > 0 && queue->count < MAX_PLAN; times--)
        snprintf(queue->commands[queue->count++], MAX_COMMAND, "%s", command);
}

static void remove_at(struct queue *queue, int at)
{
    memmove(queue->commands[at], queue->commands[at + 1], (size_t)(--queue->count - at) * MAX_COMMAND);
}

static void pop(struct queue *queue, char command[MAX_COMMAND])
{
    memcpy(command, queue->commands[0], MAX_COMMAND);
    remove_at(queue, 0);
}

/* The place of the oldest of these commands; -1 if there is none. */
static int find(const struct queue *queue, const char *command)
{
    for (int at = 0; at < queue->count; at++)
        if (strcmp(queue->commands[at], command) == 0)
            return at;
    return -1;
}

static bool starts(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Reads the next line, in however many packets it comes. False at the end. */
static bool read_line(struct player *me)
{
    ssize_t length = getline(&me->line, &me->line_size, me->in);
    if (length < 1 || me->line[length - 1] != '\n')
        return false;
    me->line[length - 1] = '\0';
    me->heard++;
    return true;
}

/* A write that fails shows as the end at the next read. */
static void send_line(const struct player *me, const char *line)
{
    dprintf(me->fd, "%s\n", line);
}

/* Where a new player notes: the file in ZAPPY_NOTES, further players of this process beside it. */
static FILE *open_notes(void)
{
    static int players;
    const char *path = getenv("ZAPPY_NOTES");
    char name[4096];
    players++;
    if (path == NULL)
        return NULL;
    if (players == 1)
        snprintf(name, sizeof name, "%s", path);
    else
        snprintf(name, sizeof name, "%s.%d", path, players);
    return fopen(name, "a");
}

/* Notes something for you, which `zappy_arena show` and the observer tell: words, `tile X Y word` counted from birth as x
 * and y are, or `marker word` for the timeline. Opponents don't see it. */
static void note(struct player *me, const char *format, ...)
{
    va_list words;
    if (me->notes == NULL)
        return;
    fprintf(me->notes, "%d/%d ", me->sent, me->heard);
    va_start(words, format);
    vfprintf(me->notes, format, words);
    va_end(words);
    fputc('\n', me->notes);
    fflush(me->notes);
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

/* Connects, reads WELCOME, names the team. */
static bool enter(struct player *me, const char *host, const char *port, const char *team, bool lays)
{
    *me = (struct player){.host = host, .port = port, .team = team, .lays = lays, .level = 1, .food = 9, .heard = -1};
    me->notes = open_notes();
    me->fd = connect_to(host, port);
    if (me->fd < 0)
        return false;
    me->in = fdopen(me->fd, "r");
    if (me->in == NULL || !read_line(me))
        return false;
    send_line(me, team);
    return true;
}

/* The same each time. All processes of a team have the same seed; the number of slots left makes players differ. */
static void seed(struct player *me, const char *slots)
{
    const char *given = getenv("ZAPPY_SEED");
    const char *parts[] = {given != NULL ? given : "0", " ", slots};
    me->chance = 2166136261u;
    for (int i = 0; i < 3; i++)
        for (const char *at = parts[i]; *at != '\0'; at++)
            me->chance = (me->chance ^ (unsigned char)*at) * 16777619u;
}

static int draw(struct player *me, int below)
{
    me->chance = me->chance * 1664525u + 1013904223u;
    return (int)((me->chance >> 16) % (unsigned)below);
}

static const int steps[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}}; /* ahead when facing up, right, down, left */

static void move(struct player *me, int turned)
{
    const int *step = steps[(me->facing + turned + 4) % 4];
    me->x += step[0];
    me->y += step[1];
}

/* TODO for you: direction is 0 here, 1 ahead, and on counter-clockwise to 8. Go there, or answer. Anybody can shout
 * anything: don't trust every text that begins with your team's name. */
static void hear(struct player *me, int direction, const char *text)
{
    (void)me, (void)direction, (void)text;
}

/* To the nearest tile that holds something wanted, or on. Tile d*d + i lies d ahead and i - d to the right. */
static void walk(struct player *me, const struct tile *tiles, int count, bool food, bool linemate)
{
    int best = 0, best_ahead = 0, best_right = 0;
    for (int ahead = 0, index = 1; index < count; index++) {
        if (index == (ahead + 1) * (ahead + 1))
            ahead++;
        int right = index - ahead * ahead - ahead;
        int cost = ahead + abs(right) + (right != 0);
        bool good = (food && tiles[index].food > 0) || (linemate && tiles[index].linemate > 0);
        if (good && (best == 0 || cost < best))
            best = cost, best_ahead = ahead, best_right = right;
    }
    if (best > 0) {
        const int *on = steps[me->facing], *side = steps[(me->facing + 1) % 4];
        note(me, "tile %d %d goal", me->x + best_ahead * on[0] + best_right * side[0],
             me->y + best_ahead * on[1] + best_right * side[1]);
        push(&me->plan, "Forward", best_ahead);
        if (best_right != 0)
            push(&me->plan, best_right > 0 ? "Right" : "Left", 1);
        push(&me->plan, "Forward", abs(best_right));
    } else {
        if (draw(me, 4) == 0)
            push(&me->plan, draw(me, 2) ? "Left" : "Right", 1);
        push(&me->plan, "Forward", me->level);
    }
}

/* Makes a plan of what is seen; the own tile is the first one. */
static void think(struct player *me, const struct tile *tiles, int count)
{
    me->looks++;
    if (me->lays && me->food >= RICH) {
        /* Nothing may be sent behind it: while the egg's connection is opened, no tick shall pass. */
        me->lays = false;
        note(me, "marker lays an egg");
        push(&me->plan, "Fork", 1);
        return;
    }
    if (me->looks % 10 == 0) {
        char text[MAX_COMMAND];
        snprintf(text, sizeof text, "Broadcast %s:level:%d:at:%d:%d", me->team, me->level, me->x, me->y);
        push(&me->plan, text, 1);
    }
    bool food = me->food < ENOUGH;
    bool linemate = me->level == 1 && me->food >= HUNGRY;
    note(me, "level %d, food %d, wants%s%s", me->level, me->food, food ? " food" : "", linemate ? " linemate" : "");
    /* TODO for you: from level 2 on it takes several players of one level on a tile, and more stones; see the table in
     * protocol.md, chapter 12. Take the stones you will need, meet, Set them down, and begin. */
    if (linemate && tiles[0].linemate > 0 && tiles[0].players == 1) {
        push(&me->plan, "Incantation", 1);
        push(&me->plan, "Connect_nbr", 1);
    } else if (food && tiles[0].food > 0) {
        push(&me->plan, "Take food", tiles[0].food < 3 ? tiles[0].food : 3);
    } else {
        walk(me, tiles, count, food, linemate);
    }
    push(&me->plan, "Inventory", 1);
    push(&me->plan, "Look", 1);
}

/* Reads `[ player food, linemate,, ]`: one tile between two commas, one word per thing. Gives their number. */
static int parse_look(const char *at, struct tile tiles[MAX_TILES])
{
    int count = 1;
    memset(tiles, 0, MAX_TILES * sizeof *tiles);
    while (*at != '\0') {
        size_t word = strcspn(at, "[ ,]");
        struct tile *tile = &tiles[count - 1];
        if (word == 0) {
            if (*at++ == ',' && count++ == MAX_TILES)
                return MAX_TILES;
            continue;
        }
        tile->players += starts(at, "player");
        tile->food += starts(at, "food");
        tile->linemate += starts(at, "linemate");
        at += word;
    }
    return count;
}

static int play(struct player *me);

/* Opens the egg's connection: WELCOME is read and the team named before this player's next line, so that the child
 * comes in at the same tick each time. TODO for you: how many eggs does your team need, and where? */
static void hatch(struct player *me)
{
    struct player child;
    if (!enter(&child, me->host, me->port, me->team, false)) {
        fprintf(stderr, "no connection for the egg\n");
    } else if (fork() == 0) {
        close(me->fd); /* Else the server wouldn't notice that the parent has left. */
        exit(play(&child));
    }
    if (child.in != NULL)
        fclose(child.in);
    if (child.notes != NULL)
        fclose(child.notes);
    free(child.line);
}

static void answer(struct player *me, const char *command)
{
    struct tile tiles[MAX_TILES];
    if (strcmp(command, "Look") == 0 && me->pending.count == 0)
        think(me, tiles, parse_look(me->line, tiles));
    else if (strcmp(command, "Inventory") == 0 && sscanf(me->line, "[ food %d", &me->food) == 1) {
        /* At birth it is 9 or 10 units. A server with --rules strict tells ticks: more than 1000. */
        if (me->unit == 0)
            me->unit = me->food > 100 ? 126 : 1;
        me->food /= me->unit;
    }
    else if (strcmp(command, "Forward") == 0)
        move(me, 0);
    else if (strcmp(command, "Right") == 0)
        me->facing = (me->facing + 1) % 4;
    else if (strcmp(command, "Left") == 0)
        me->facing = (me->facing + 3) % 4;
    else if (strcmp(command, "Fork") == 0 && strcmp(me->line, "ok") == 0)
        hatch(me);
}

/* What comes unasked first; a number answers Connect_nbr, and all else the oldest command. */
static void handle(struct player *me)
{
    const char *line = me->line;
    bool ko = strcmp(line, "ko") == 0;
    int asked = isdigit((unsigned char)line[0]) ? find(&me->pending, "Connect_nbr") : -1;
    char command[MAX_COMMAND];
    if (starts(line, "message ")) {
        const char *comma = strchr(line, ','); /* some servers send no blank behind it */
        if (comma != NULL)
            hear(me, atoi(line + strlen("message ")), comma + (comma[1] == ' ' ? 2 : 1));
    } else if (starts(line, "eject: ")) {
        /* K is where the push came from; 5 is from behind, and moved us ahead. */
        move(me, (5 - atoi(line + strlen("eject: "))) / 2);
        me->plan.count = 0; /* It was made for another tile. */
    } else if (strcmp(line, "Elevation underway") == 0) {
        /* For 300 ticks there are no answers. Another player's incantation may have taken us along. */
        me->frozen = true;
    } else if (starts(line, "Current level: ") || (me->frozen && ko)) {
        /* Some servers leave the line before it out. */
        me->frozen = false;
        if (sscanf(line, "Current level: %d", &me->level) == 1) {
            fprintf(stderr, "level %d\n", me->level);
            note(me, "marker level %d", me->level);
        }
    } else if (asked >= 0) {
        /* The official server answers it at once, before commands that were sent earlier. */
        remove_at(&me->pending, asked);
    } else if (me->pending.count > 0) {
        pop(&me->pending, command);
        /* An Incantation was answered by the lines above. */
        if (strcmp(command, "Incantation") == 0 && !ko && me->pending.count > 0)
            pop(&me->pending, command);
        answer(me, command);
    }
}

/* Sends what there is room for. */
static void go_on(struct player *me)
{
    if (me->plan.count == 0 && me->pending.count == 0) {
        push(&me->plan, "Inventory", 1);
        push(&me->plan, "Look", 1);
    }
    while (me->plan.count > 0 && me->pending.count < AHEAD) {
        char command[MAX_COMMAND];
        pop(&me->plan, command);
        push(&me->pending, command, 1);
        send_line(me, command);
        me->sent++;
    }
}

/* Lives until it is dead or the match is over. Gives the exit code: 1 if there was no place for it. */
static int play(struct player *me)
{
    if (!read_line(me))
        return 0;
    if (strcmp(me->line, "ko") == 0) {
        int length = (int)strcspn(me->team, ":"); /* What stands behind a colon is a ladder's token. */
        fprintf(stderr, "bot: no place in team %.*s: no such team, or all its slots are taken (%s)\n", length, me->team,
                "on a ladder: no or a wrong token, a removed name, too many waiting, or no opponent");
        return 1;
    }
    seed(me, me->line);
    if (read_line(me)) /* The size of the map. */
        go_on(me);
    bool more;
    while ((more = read_line(me)) && strcmp(me->line, "dead") != 0) {
        handle(me);
        go_on(me);
    }
    fprintf(stderr, "%s\n", more ? "starved" : "the match is over");
    fclose(me->in);
    free(me->line);
    while (wait(NULL) > 0) /* Its child plays on. */
        continue;
    return 0;
}

int main(int argc, char **argv)
{
    const char *usage = "Usage: bot -p PORT -n TEAM [-h HOST]\n\n"
                        "  -p PORT  the server's port\n  -n TEAM  the team's name (ZAPPY_TEAM)\n"
                        "  -h HOST  the server's host (localhost)\n  --help   this\n";
    /* On a ladder NAME:TOKEN, which other users of this machine shall not see. */
    const char *host = "localhost", *port = NULL, *team = getenv("ZAPPY_TEAM");
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
    struct player me;
    if (!enter(&me, host, port, team, true)) {
        fprintf(stderr, "bot: no server on %s:%s\n", host, port);
        return 1;
    }
    return play(&me);
}
