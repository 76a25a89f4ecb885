//! The table of the rules: C01 to C13.

use zappy_protocol::conquest::Building::{self, Bakery, Bank, Factory, Market, Mill, Sawmill};
use zappy_protocol::conquest::constants::Yield;

use crate::{CityPlan, production};

/// Checks what a city makes and what is left of that. `tiles`: the yield of each worked tile (food, wood, gold), and
/// how many tiles are worked.
fn check(
    citizens: u32,
    tiles: ([u64; 3], usize),
    buildings: &[Building],
    total: [u64; 3],
    balance: [i64; 3],
) {
    let ([food, wood, gold], count) = tiles;
    let worked = vec![Yield { food, wood, gold }; count];
    let made = production(&CityPlan { citizens, worked, buildings: buildings.to_vec() });
    let Yield { food, wood, gold } = made.total;
    assert_eq!([food, wood, gold], total);
    assert_eq!([made.balance.food, made.balance.wood, made.balance.gold], balance);
}

const NONE: ([u64; 3], usize) = ([0; 3], 0);
const FIELDS: ([u64; 3], usize) = ([4, 0, 0], 3);
const FORESTS: ([u64; 3], usize) = ([1, 2, 0], 4);

#[test]
fn c01_an_empty_city() {
    check(0, NONE, &[], [2, 0, 2], [2, 0, 2]);
}

#[test]
fn c02_merchants() {
    check(3, NONE, &[], [2, 0, 8], [-4, 0, 8]);
}

#[test]
fn c03_workers() {
    check(3, FIELDS, &[], [14, 0, 2], [8, 0, 2]);
}

#[test]
fn c04_a_mill() {
    check(3, FIELDS, &[Mill], [22, 0, 2], [16, -1, 2]);
}

#[test]
fn c05_two_mills() {
    check(3, FIELDS, &[Mill, Mill], [28, 0, 2], [22, -2, 2]);
}

#[test]
fn c06_a_mill_and_a_bakery() {
    check(3, FIELDS, &[Mill, Bakery], [30, 0, 2], [24, -3, 2]);
}

#[test]
fn c07_a_second_bakery_adds_nothing() {
    check(3, FIELDS, &[Mill, Mill, Bakery, Bakery], [42, 0, 2], [36, -6, 2]);
}

#[test]
fn c08_a_bakery_without_mills_adds_nothing() {
    check(3, FIELDS, &[Bakery], [14, 0, 2], [8, -2, 2]);
}

#[test]
fn c09_forests() {
    check(4, FORESTS, &[], [6, 8, 2], [-2, 8, 2]);
}

#[test]
fn c10_a_sawmill_and_a_factory() {
    check(4, FORESTS, &[Sawmill, Factory], [6, 24, 2], [-2, 21, 2]);
}

#[test]
fn c11_a_market() {
    check(5, NONE, &[Market], [2, 0, 20], [-8, -1, 20]);
}

#[test]
fn c12_two_markets_and_a_bank() {
    check(5, NONE, &[Market, Market, Bank], [2, 0, 36], [-8, -4, 36]);
}

#[test]
fn c13_sawmills_without_wood() {
    check(0, NONE, &[Sawmill, Sawmill, Sawmill, Factory], [2, 0, 2], [2, -5, 2]);
}
