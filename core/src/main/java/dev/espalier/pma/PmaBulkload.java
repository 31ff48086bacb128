// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pma;

import dev.espalier.LongEntrySource;
import dev.espalier.ProgressListener;
import dev.espalier.support.BulkloadInput;

/** Fills an empty array from sorted entries, segment by segment. */
final class PmaBulkload {
  /** Room for more segments than this part more than there are is given back at the end. */
  private static final int SPARE = 8;

  private final PmaStructure tree;
  private final double entriesPerSegment;

  PmaBulkload(PmaStructure tree, double fillFactor) {
    tree.checkOpen();
    BulkloadInput.checkStart(fillFactor, tree.size);
    this.tree = tree;
    this.entriesPerSegment = fillFactor * tree.geometry.segmentSlots();
  }

  /** Loads everything; the array is empty again if that fails. */
  void load(LongEntrySource entries, long total, ProgressListener listener) {
    tree.clear();
    try {
      fillSegments(new BulkloadInput(entries, total, listener));
    } catch (RuntimeException | Error failed) {
      tree.clear();
      throw failed;
    }
    tree.modifications.changes++;
    tree.levelChanges.changedAll();
  }

  private void fillSegments(BulkloadInput input) {
    int segments = 1;
    long endOfSegment = Math.round(entriesPerSegment);
    int card = 0;
    while (input.next()) {
      long key = input.key();
      if (input.loaded() > endOfSegment) {
        tree.columns.card(segments - 1, card);
        if (segments == tree.columns.room) {
          tree.moveTo(tree.roomier(), segments);
        }
        segments++;
        card = 0;
        endOfSegment = Math.round(segments * entriesPerSegment);
      }
      tree.columns.set(tree.columns.slot(segments - 1) + card++, key, input.value());
    }
    tree.columns.card(segments - 1, card);
    if (segments + segments / SPARE < tree.columns.room && tree.fits(segments)) {
      tree.moveTo(segments, segments);
    }
    tree.finishLoad(segments, input.loaded());
    input.finish();
  }
}
