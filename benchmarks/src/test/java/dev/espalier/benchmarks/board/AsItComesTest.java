// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Stores that nobody tunes. */
final class AsItComesTest {

  private static Setting setting(Setting.Kind kind) {
    return new Setting(kind, Setting.Data.AS_IT_COMES, Setting.Sync.NOTHING, 1000);
  }

  /** So a store that opens has not used it: {@link MeasuredStoreTest} opens all of them. */
  @ParameterizedTest
  @EnumSource
  void thereIsNoSizeOfACacheToPassOn(Setting.Kind kind) {
    assertThrows(IllegalStateException.class, () -> setting(kind).poolBytes());
  }

  @Test
  void nobodySaysWhenWritesAreSafe() {
    Setting.Kind kind = Setting.Kind.LONGS;
    assertTrue(setting(kind).exists());
    assertEquals("longs, as it comes", setting(kind).label());
    assertFalse(new Setting(kind, Setting.Data.AS_IT_COMES, Setting.Sync.GROUPS, 1000).exists());
  }

  @ParameterizedTest
  @EnumSource
  void espalierHasOneRowWhoseTreeNobodyChose(Setting.Kind kind) {
    assertEquals(
        List.of("Espalier"),
        Stores.all().stream()
            .filter(type -> type.ours() && type.isFor().test(setting(kind)))
            .map(StoreType::name)
            .toList());
  }

  @Test
  void everyStoreTellsHowItIsOpened() {
    for (StoreType type : Stores.all()) {
      assertEquals(
          type.isFor().test(setting(Setting.Kind.LONGS)),
          type.settings().contains("As it comes: "),
          type::name);
    }
  }

  @Test
  void targetsAreForWhatIsMeasuredUntunedOnly() {
    for (Setting.Kind kind : Setting.Kind.values()) {
      for (Work work : Work.values()) {
        Cell cell = new Cell(setting(kind), Crew.ONE, work, work.distributions().getFirst());
        boolean isMeasured = AsItComes.KINDS.contains(kind) && AsItComes.WORKS.contains(work);
        assertEquals(isMeasured, AsItComes.target(cell).isPresent(), cell::toString);
      }
    }
    assertEquals(OptionalDouble.empty(), AsItComes.target(BoardFileTest.CELL));
  }
}
