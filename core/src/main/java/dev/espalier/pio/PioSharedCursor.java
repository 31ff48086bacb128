// SPDX-License-Identifier: Apache-2.0
package dev.espalier.pio;

import dev.espalier.LongCursor;
import dev.espalier.LongRun;
import dev.espalier.support.ChangeCount;

/**
 * A cursor that may be used beside writers. It finds its place again when its own thread has
 * changed something; what others do, it meets in the leaves that it comes to.
 */
final class PioSharedCursor implements LongCursor {
  private final PioStructure tree;

  /** The number of the last change of this thread. */
  private final ChangeCount own = new ChangeCount();

  private final PioCursor cursor;

  /** The number of the last change of any thread for which {@link #own} was looked up. */
  private long changesSeen = -1;

  PioSharedCursor(PioStructure tree) {
    this.tree = tree;
    this.cursor = new PioCursor(tree, own, tree.dead.ranges, tree.dead);
  }

  private PioCursor catchUp() {
    tree.checkOpen();
    long changes = tree.modifications.changes;
    if (changes != changesSeen) {
      changesSeen = changes;
      own.changes = tree.ownChanges();
    }
    return cursor;
  }

  @Override
  public boolean first() {
    return catchUp().first();
  }

  @Override
  public boolean last() {
    return catchUp().last();
  }

  @Override
  public boolean ceiling(long key) {
    return catchUp().ceiling(key);
  }

  @Override
  public boolean floor(long key) {
    return catchUp().floor(key);
  }

  @Override
  public boolean higher(long key) {
    return catchUp().higher(key);
  }

  @Override
  public boolean lower(long key) {
    return catchUp().lower(key);
  }

  @Override
  public void scanTo(long key) {
    catchUp().scanTo(key);
  }

  @Override
  public boolean next() {
    return catchUp().next();
  }

  @Override
  public boolean previous() {
    return catchUp().previous();
  }

  @Override
  public boolean nextRun(LongRun run) {
    return catchUp().nextRun(run);
  }

  @Override
  public long key() {
    return catchUp().key();
  }

  @Override
  public long value() {
    return catchUp().value();
  }

  @Override
  public void setValue(long value) {
    catchUp().setValue(value);
  }

  @Override
  public void remove() {
    catchUp().remove();
  }
}
