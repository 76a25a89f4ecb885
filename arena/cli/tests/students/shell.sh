#!/usr/bin/env bash
# A bot in a shell: it looks, eats what lies where it stands, and walks.
while [ $# -gt 1 ]; do
    case $1 in
    -p) port=$2 ;;
    -n) team=$2 ;;
    -h) host=$2 ;;
    esac
    shift 2
done
LC_ALL=C
exec 3<>"/dev/tcp/$host/$port" || exit 1
line() { IFS= read -r line <&3 || exit 0; }
ask() {
    echo "$1" >&3
    while line; do
        case $line in
        dead) exit 0 ;;
        message\ * | eject:*) ;;
        'Elevation underway') frozen=yes ;;
        ko | Current\ level*) [ -n "$frozen" ] || return 0; frozen= ;;
        *) return 0 ;;
        esac
    done
}
line
echo "$team" >&3
line
[ "$line" = ko ] && exit 1
line
while ask Look; do
    case ${line%%,*} in
    *food*) ask 'Take food' ;;
    *) [ $((RANDOM % 3)) = 0 ] && ask Left; ask Forward ;;
    esac
done
