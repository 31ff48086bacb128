// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cola;

import java.util.List;

/**
 * What a merge has written, for the structure to install.
 *
 * @param levels the new levels, from level 1 on; those of them above the last have pointers only
 * @param isAll whether there are no messages below them
 * @param sources the number of levels that were read, from level 1 on, and are to be given back
 */
record MergedLevels(List<Level> levels, boolean isAll, int sources) {

  /** Returns the number of the deepest new level, 0 if nothing is left. */
  int deepest() {
    return levels.size();
  }

  Level level(int k) {
    return levels.get(k - 1);
  }
}
