// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import dev.espalier.LongCursor;
import java.util.function.Consumer;

/**
 * Ways to damage a healthy tree, each against one invariant of {@link BftlStructure}. The tree has
 * three levels, its root has a sector, and units wait in its buffer.
 */
enum BftlCorruption {
  BUFFER_IS_NO_PAGE("I1", tree -> tree.meta[BftlStructure.BUFFER] = 0),
  SECTOR_TAKEN_BACK("I1", tree -> tree.store.free(sector(tree, tree.root()))),
  PAGE_LEAKED("I1", BftlStructure::allocate),

  LIST_TOO_LONG(
      "I2",
      tree -> {
        for (int i = 0; i < tree.listBound; i++) {
          tree.table.append(tree.root(), sector(tree, tree.root()), 0, 1, null);
        }
      }),
  SEQUENCE_IS_NONE("I2", tree -> SectorPage.sequence(tree.pages, rootSector(tree), 0)),

  UNITS_ABOVE_CAPACITY(
      "I3", tree -> SectorPage.count(tree.pages, rootSector(tree), tree.layout.capacity + 1)),
  WAITING_UNITS_ABOVE_CAPACITY(
      "I3", tree -> SectorPage.count(tree.pages, buffer(tree), tree.layout.capacity + 1)),
  OPERATION_UNKNOWN("I3", tree -> setUnit(tree, 1, 4)),
  UNIT_OF_NO_NODE("I3", tree -> setUnit(tree, 0, SectorPage.PUT)),

  LIST_WITH_A_SECTOR_OF_OTHERS(
      "I4",
      tree -> {
        int other = tree.store.allocate();
        tree.refresh();
        long page = tree.store.pin(other);
        SectorPage.sequence(tree.pages, page, Long.MAX_VALUE);
        SectorPage.count(tree.pages, page, 1);
        SectorPage.set(tree.pages, SectorPage.unit(page, 0), 1, SectorPage.RESET, 0, 0);
        int node = tree.root() == 1 ? 2 : tree.root();
        tree.table.append(node, other, 0, 1, null);
        tree.table.refer(other, 1);
      }),
  RUN_TOO_SHORT("I4", tree -> tree.table.runs(tree.root())[0]--),
  UNITS_NOT_IN_ORDER(
      "I4",
      tree -> {
        long page = rootSector(tree);
        int first = UnitRun.first(tree.table.runs(tree.root())[0]);
        long unit = SectorPage.unit(page, first);
        long key = SectorPage.key(tree.pages, SectorPage.unit(page, first + 1));
        SectorPage.set(tree.pages, unit, tree.root(), SectorPage.PUT, key + 1, 0);
      }),

  REFERENCE_TOO_MANY("I5", tree -> tree.table.refer(sector(tree, tree.root()), 1)),
  WAITING_UNITS_MISCOUNTED("I5", tree -> tree.table.addWaiting(tree.root(), 0, 0)),
  WAITING_UNIT_ELSEWHERE(
      "I5",
      tree -> {
        long unit = SectorPage.unit(buffer(tree), 0);
        int node = SectorPage.node(tree.pages, unit);
        tree.table.moveWaiting(node, SectorPage.key(tree.pages, unit), 0, 1);
      }),

  COUNT_OF_A_NODE_IS_ANOTHER(
      "I6", tree -> tree.table.count(tree.root(), tree.table.count(tree.root()) + 1)),
  KEY_BELOW_THE_LOWER_BOUND("I6", tree -> changeLeaf(tree)),

  HEIGHT_IS_NONE("I7", tree -> tree.meta[BftlStructure.HEIGHT] = 0),
  ROOT_IS_NO_NODE("I7", tree -> tree.meta[BftlStructure.ROOT] = tree.table.top() + 1L),

  SIZE_TOO_LARGE("I8", tree -> tree.meta[BftlStructure.SIZE]++),

  DEAD_RANGE_OVER_ALL("I9", tree -> tree.dead.add(Long.MIN_VALUE, Long.MAX_VALUE)),
  DEAD_RANGE_FROM_AN_ENTRY_ON(
      "I9",
      tree -> {
        LongCursor cursor = tree.cursor();
        cursor.last();
        tree.dead.add(cursor.key(), Long.MAX_VALUE);
      });

  private final String invariant;

  @SuppressWarnings("ImmutableEnumChecker") // lambdas that capture nothing
  private final Consumer<BftlStructure> damage;

  BftlCorruption(String invariant, Consumer<BftlStructure> damage) {
    this.invariant = invariant;
    this.damage = damage;
  }

  /** Returns the number of the invariant that does not hold afterwards, such as {@code I3}. */
  String invariant() {
    return invariant;
  }

  void inflictOn(BftlStructure tree) {
    damage.accept(tree);
  }

  private static int sector(BftlStructure tree, int node) {
    return UnitRun.sector(tree.table.runs(node)[0]);
  }

  private static long rootSector(BftlStructure tree) {
    return tree.store.pin(sector(tree, tree.root()));
  }

  private static long buffer(BftlStructure tree) {
    return tree.store.pin(tree.buffer(0));
  }

  /** Makes the first unit that waits one of a node that is not in use, or of no node. */
  private static void setUnit(BftlStructure tree, int node, int operation) {
    int spare = node == 0 ? 0 : tree.table.take();
    SectorPage.set(tree.pages, SectorPage.unit(buffer(tree), 0), spare, operation, 0, 0);
  }

  /** Exchanges the first key of the last leaf for the least there is, in the sectors. */
  private static void changeLeaf(BftlStructure tree) {
    int leaf = tree.leafOf(Long.MAX_VALUE);
    long page = tree.store.pin(sector(tree, leaf));
    long unit = SectorPage.unit(page, UnitRun.first(tree.table.runs(leaf)[0]));
    SectorPage.set(tree.pages, unit, leaf, SectorPage.PUT, Long.MIN_VALUE, 0);
  }
}
