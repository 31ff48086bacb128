// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class UnitTest {

  @Test
  void timesAreInTheUnitThatOneWouldSay() {
    Unit unit = Unit.of(Column.real("time", "time", "ns per search"));
    assertEquals("time per search", unit.caption());
    assertEquals("7.2 ns", unit.text(7.2));
    assertEquals("229 ns", unit.text(229.4));
    assertEquals("2.5 µs", unit.text(2500));
    assertEquals("338 ms", unit.text(337_641_471));
    assertEquals("0", unit.text(0));
    assertEquals("1.5 s", Unit.of(Column.real("t", "t", "ms")).text(1500));
    assertEquals("latency per probe", Unit.of(Column.real("t", "latency", "ns/probe")).caption());
  }

  @Test
  void largeNumbersAreShort() {
    Unit unit = Unit.of(Column.integer("entries", "entries", ""));
    assertEquals("entries", unit.caption());
    assertEquals("5000", unit.text(5000));
    assertEquals("20k", unit.text(20_000));
    assertEquals("1.5M", unit.text(1_500_000));
    assertEquals("0.05", unit.text(0.05));
    assertEquals("page (KB)", Unit.of(Column.integer("page", "page", "KB")).caption());
  }
}
