// SPDX-License-Identifier: Apache-2.0
package dev.espalier.tree;

import dev.espalier.LongCursor;
import dev.espalier.LongEntrySource;
import dev.espalier.LongIndex;
import dev.espalier.LongRun;
import dev.espalier.ProgressListener;
import dev.espalier.inspect.NodeView;
import dev.espalier.memory.MemoryLimitException;
import dev.espalier.memory.MemoryUse;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of one index, as {@link AbstractIndex} knows them: all that is done to the whole of it.
 * What is done to one key stands in the final class of each tree. Each method does what the one of
 * {@link LongIndex} with its name promises.
 */
public abstract class IndexStructure {
  private String name = "index";

  /** Says what messages call the index. */
  public final void setName(String name) {
    this.name = name;
  }

  /** Returns the file in which the nodes are; null if they are in memory only. */
  public @Nullable Path file() {
    return null;
  }

  /** Throws {@link IllegalStateException}, which names the index, if it is closed. */
  public final void checkOpen() {
    if (isClosed()) {
      throw new IllegalStateException(closedMessage(name));
    }
  }

  /** Returns what the index says when it is used after it was closed. */
  protected String closedMessage(String tree) {
    return "the " + tree + " is closed";
  }

  /** Returns the exact number of entries, of an index that is open. */
  public abstract long size();

  /** Returns the number of entries without a pass, of an index that is open. */
  public long sizeEstimate() {
    return size();
  }

  /** Counts the entries in one pass. */
  public final long countEntries() {
    long sum = 0;
    LongCursor cursor = cursor();
    LongRun run = new LongRun();
    while (cursor.nextRun(run)) {
      sum += run.count();
    }
    return sum;
  }

  /** Tells whether there are no entries, of an index that is open. */
  public boolean isEmpty() {
    return size() == 0;
  }

  /** Removes all entries. */
  public abstract void clear();

  /** Returns a new cursor over an index that is open. */
  public abstract LongCursor cursor();

  /** Fills the empty index. */
  public abstract void bulkload(
      LongEntrySource entries, double fillFactor, long total, ProgressListener listener);

  /** Checks every invariant. */
  public abstract void verify(ProgressListener listener);

  /** Returns the root, of an index that is open. */
  public abstract NodeView rootView();

  /**
   * Looks at nodes by {@link #rootView} while nobody replaces one. A structure that many threads
   * may use keeps those out who would.
   */
  public <T> T whileNodesStay(Supplier<T> look) {
    return look.get();
  }

  /** Says which proportions the tree was given for its work and why; empty if it has the usual. */
  public String choice() {
    return "";
  }

  /** Returns the memory in which the nodes are. */
  public abstract MemoryUse memory();

  /**
   * Builds all anew, compactly and beside what there is, and then changes over. Where that finds no
   * memory, or would gain nothing, all stays as it is.
   *
   * @return the bytes that this gave back
   */
  public long shrink(ProgressListener listener) {
    checkOpen();
    long before = memory().committedBytes();
    IndexStructure twin = twin(memoryLimit() - before);
    if (twin == null) {
      return 0;
    }
    boolean adopted = false;
    try {
      twin.bulkload(cursor(), 1.0, sizeEstimate(), listener);
      if (twin.memory().committedBytes() < before) {
        adopt(twin);
        adopted = true;
      }
    } catch (MemoryLimitException _) {
      return 0;
    } finally {
      if (!adopted) {
        twin.close();
      }
    }
    return before - memory().committedBytes();
  }

  /** Returns the most bytes of memory. */
  protected long memoryLimit() {
    return 0;
  }

  /**
   * Makes an empty structure of the same shape, in memory of its own.
   *
   * @param limit most bytes of it, which may be none
   * @return null if that is not enough, or the structure can't be made twice
   */
  protected @Nullable IndexStructure twin(long limit) {
    return null;
  }

  /**
   * Takes the memory and the entries of a {@link #twin} in place of its own. Can't fail halfway.
   */
  protected void adopt(IndexStructure twin) {
    throw new UnsupportedOperationException("no twin was made");
  }

  /** Makes what has changed safe from a crash, of an index that is open. */
  public void flush() {}

  /**
   * Tells whether a lookup that a writer has disturbed leaves nothing behind: neither a page that
   * stays pinned nor a change.
   */
  public boolean allowsTornReads() {
    return true;
  }

  /** Lets growth take no memory from lookups beside writers, from now on. */
  public void expectTornReads() {}

  /** Tells whether {@link #close} was called. */
  public abstract boolean isClosed();

  /** Frees the nodes. A second call does nothing. */
  public abstract void close();
}
