// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bftl;

import java.lang.foreign.MemorySegment;

/**
 * The units of a node in one sector, as a number: the sector, and in which slots they are. The unit
 * that begins a node anew is not among them.
 *
 * <pre>
 *   63     32      31       30       29    15 14    0
 *   +--------+--------+-----------+--------+--------+
 *   | sector | unused | scattered | first  | units  |
 *   +--------+--------+-----------+--------+--------+
 * </pre>
 *
 * <p>Units are in their sector in the order in which they apply. A place is one in the order of
 * their keys, in which those of one key are in the order in which they apply. Where the two differ,
 * the run is scattered, and an array has the slot of each place, counted from the first.
 */
final class UnitRun {
  /** Where a run that is not scattered has its slots in the array. */
  static final int IN_ORDER = -1;

  /** More than a page of 64 KiB has units. */
  private static final int SLOT_BITS = 15;

  private static final int SLOTS = (1 << SLOT_BITS) - 1;
  private static final long SCATTERED = 1L << (2 * SLOT_BITS);

  private UnitRun() {}

  static long of(int sector, int first, int units, boolean isInOrder) {
    long slots = ((long) first << SLOT_BITS) | units;
    return ((long) sector << Integer.SIZE) | (isInOrder ? 0 : SCATTERED) | slots;
  }

  static int sector(long run) {
    return (int) (run >>> Integer.SIZE);
  }

  /** Returns the slot of the first unit. */
  static int first(long run) {
    return (int) (run >>> SLOT_BITS) & SLOTS;
  }

  /** Returns the number of units. */
  static int units(long run) {
    return (int) run & SLOTS;
  }

  static boolean isInOrder(long run) {
    return (run & SCATTERED) == 0;
  }

  /**
   * Returns the offset of the unit in a place.
   *
   * @param order the slots of scattered runs
   * @param from where this run's are there, or {@link #IN_ORDER}
   */
  static long unit(long page, long run, char[] order, int from, int place) {
    return SectorPage.unit(page, first(run) + (from < 0 ? place : order[from + place]));
  }

  /** Returns how many units have keys up to one. O(log units). */
  static int upTo(MemorySegment pages, long page, long run, char[] order, int from, long key) {
    int low = 0;
    int high = units(run);
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (SectorPage.key(pages, unit(page, run, order, from, middle)) <= key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
