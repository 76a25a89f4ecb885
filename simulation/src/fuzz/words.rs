//! Words of the formats that targets read, so that made inputs get past the first look; a bar stands between two of them.
//!
//! Used by `mutate`.

/// Zappy's lines, of players, observers and servers.
pub const ZAPPY: &str = "\
    Forward|Right|Left|Look|Inventory|Broadcast|Connect_nbr|Fork|Eject|Take|Set|Incantation|WELCOME|ok|ko|dead|\
    Elevation underway|Current level: |message 3, |eject: 2|[ player,, food ]|[ food 1, sibur 2 ]|food|linemate|\
    deraumere|sibur|mendiane|phiras|thystame|player|egg|msz 3 3|bct 1 1 0 0 0 0 0 0 0|mct|tna red|tna blue|\
    pnw #0 1 1 2 1 red|ppo #0 1 1 3|plv #0 2|pin #0 1 1 9 0 0 0 0 0 0|pex #0|pbc #0 a|pic 1 1 1 #0|pie 1 1 1|pfk #0|\
    pdr #0 0|pgt #0 0|pdi #0|enw #0 #0 1 1|enw #1 #-1 0 0|sse #2 red 0 1|eht #0|ebo #0|edi #0|sgt 100|sst 5|seg red|\
    smg hello|suc|sbp|gam zappy 1|trn 1|sco red 3|#|#-1|\n";

/// Conquest's lines, of players, observers and servers.
pub const CONQUEST: &str = "\
    Base|Unit|City|Done|Place|build|move|income|continue|bomb|idle|travel|attack|heal|convert|conquer|neutralize|\
    gold|defend|fortify|pray|deploy|clear|retire|assign|unassign|recruit|pioneer|worker|cleric|soldier|house|farm|\
    plain|forest|msz 9 8|sgt 1000|\
    gam conquest 1 factions red,blue cities on rules classic mode concurrent turns 40 time 0 placement random alliances -|\
    gam conquest 1 factions red,blue cities off rules classic mode alliances turns 4 time 9 placement draft alliances red,blue|\
    tna red|tna blue|\
    fac red 0 gold 500 food 10 wood 20 bombs 0 land 3 pop 2 cap 5 kills 0 score 5 upkeep 50 base 4 5 slot - 0|\
    fde blue|loc 4 5 0 plain b--- -|loc 5 5 0 forest ---m house|loc 1 1 - plain ---- -|bom 5 5 blue|bom 5 5 -|\
    unw #3 red cleric 4 6 4 de|umv #3 1 1|uhp #3 2 d|uat #3 #4|uhe #3 #4|ucv #3 blue|udi #3 attack|cas 5 5 4 5|\
    cas 5 5 -|cit 4 5 3 0 3|trn 7 0 red|tnd 7|lat red|seg red|seg -|smg hello|suc|sbp|WELCOME|turn 12|did 7 ok|\
    did base ko no gold|go 12|maybe a|start 3 4 5|over 1 red 245 2 blue -10|ok|ko|dead|de|b---|----|\n";

/// Lines of records and notes.
pub const RECORD: &str = "\
    zrec 3|zrec 2|zrec 1|game zappy 3|game conquest 1|seed 7|map 4 3|frequency 100|max-frequency 100000|\
    auto-start on|auto-start off|max-ticks none|max-ticks 300|clock real|clock lockstep|level inputs|level full|\
    team t0|team t1|option rules subject|option rules official|option clients 2|begin|= msz 4 3|w sgt 5|0 + 0 t0|\
    0 + 1 t1|0 < 0 Forward|3 > 0 ok|3 > 0,1 ok|3 # 0 20|5 ~ 0|6 . 0|7 - 0|8 ! 0 late|9 ? 0 why|9 x 0 over|9 * sgt 5|\
    9 w sgt 5|9 k|300 end time t0|digest 0123456789abcdef|keyframe 9 12|check 0123456789abcdef 00000000000000000012|\
    c|\\x0a|\\x5c|0 < c /quit|0 < c /pause|\n|# player 0|# team t0|12 tile 1 -1 food|12 marker x";

/// Lines of `bots.toml` and `bot.toml`, and commands of bots.
pub const FILES: &str = "\
    [[bot]]|[limits]|name = \"ada\"|name = \"bob\"|command = \"true\"|command = \"cat {port}\"|folder = \"ada\"|\
    folder = \".\"|processes = 1|environment = { A = \"b\" }|limits = { memory_mib = 9 }|memory_mib = 256|\
    cpu_seconds = 9|processes|build = \"make\"|{team}|{host}|{seed}|\"\"\"|'''|t0=true -p {port}|t0=attach:2|= |\n";
