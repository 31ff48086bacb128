// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * An index that can be replaced as a whole while it is being read, such as a lookup table that is
 * reloaded every night. Readers take a {@link Lease} on the current version. {@link #swap} makes
 * another version current atomically; a reader that holds a lease goes on using the previous
 * version, which is closed when its last lease is closed.
 *
 * <pre>{@code
 * try (SwappableIndex.Lease<LongIndex> lease = prices.lease()) {
 *   lease.index().getAll(keys, values);
 * }
 * }</pre>
 *
 * <p>Any number of threads may use a swappable index at once. A lease costs two atomic additions to
 * a counter that all readers share, so take one lease for a batch of lookups rather than for each
 * lookup. Each version is an ordinary index: many threads may read it, or one may write to it.
 *
 * @param <I> the kind of index: {@link LongIndex} or {@link BytesIndex}
 */
public final class SwappableIndex<I> implements AutoCloseable {
  private final Predicate<I> isIndexClosed;
  private final Consumer<I> closing;

  /** Changed under the monitor; the last one stays when this is closed. */
  private volatile Version<I> current;

  private volatile boolean isClosed;

  private SwappableIndex(I first, Predicate<I> isIndexClosed, Consumer<I> closing) {
    this.isIndexClosed = isIndexClosed;
    this.closing = closing;
    checkOpen(first);
    this.current = new Version<>(first, closing);
  }

  /**
   * Returns a swappable index with the given index as its first version. The result owns that
   * index, and closes it once it has been replaced, or the result has been closed, and no reader
   * holds a lease on it.
   *
   * @throws IllegalArgumentException if {@code first} is closed
   */
  public static SwappableIndex<LongIndex> of(LongIndex first) {
    return new SwappableIndex<>(first, LongIndex::isClosed, LongIndex::close);
  }

  /** Returns a swappable index of byte strings, as {@link #of(LongIndex)} does for longs. */
  public static SwappableIndex<BytesIndex> of(BytesIndex first) {
    return new SwappableIndex<>(first, BytesIndex::isClosed, BytesIndex::close);
  }

  private void checkOpen(I index) {
    if (isIndexClosed.test(Objects.requireNonNull(index, "index"))) {
      throw new IllegalArgumentException("index is closed: " + index);
    }
  }

  /** An index and how many still need it: its readers, and the owner while it is current. */
  private static final class Version<I> {
    private final I index;
    private final Consumer<I> closing;
    private final AtomicInteger users = new AtomicInteger(1);

    Version(I index, Consumer<I> closing) {
      this.index = index;
      this.closing = closing;
    }

    /** Counts one more user, unless the last one has left. */
    boolean enter() {
      return users.getAndUpdate(count -> count == 0 ? 0 : count + 1) > 0;
    }

    void leave() {
      if (users.decrementAndGet() == 0) {
        closing.accept(index);
      }
    }
  }

  /**
   * One reader's right to read one version. Must be closed.
   *
   * @param <I> the kind of index
   */
  public static final class Lease<I> implements AutoCloseable {
    private final Version<I> version;
    private final AtomicBoolean isOver = new AtomicBoolean();

    private Lease(Version<I> version) {
      this.version = version;
    }

    /**
     * Returns the index, which stays open until the lease is closed, even if it is swapped out
     * meanwhile.
     *
     * @throws IllegalStateException if the lease is closed
     */
    public I index() {
      if (isOver.get()) {
        throw new IllegalStateException("the lease is closed");
      }
      return version.index;
    }

    /**
     * Gives the index back. If the index is no longer current and nobody else holds a lease on it,
     * closes it and throws whatever its {@code close} throws. A second call does nothing.
     */
    @Override
    public void close() {
      if (isOver.compareAndSet(false, true)) {
        version.leave();
      }
    }
  }

  /**
   * Returns a lease on the current version.
   *
   * @throws IllegalStateException if this is closed
   */
  public Lease<I> lease() {
    while (!isClosed) {
      Version<I> version = current;
      if (version.enter()) {
        return new Lease<>(version);
      }
    }
    throw closed();
  }

  private static IllegalStateException closed() {
    return new IllegalStateException("the SwappableIndex is closed");
  }

  /**
   * Makes another index current, and takes ownership of it. Leases requested after this method has
   * returned are on the new index. The previous version is closed when its last lease is closed, or
   * at once if it has none. If this method closes it and its {@code close} throws, the exception is
   * passed on; the new version is current all the same.
   *
   * @param next the new index, loaded and ready; not the current one
   * @throws IllegalArgumentException if {@code next} is closed, or is already current
   * @throws IllegalStateException if this is closed; the caller then still owns {@code next}
   */
  public void swap(I next) {
    checkOpen(next);
    Version<I> before;
    synchronized (this) {
      if (isClosed) {
        throw closed();
      }
      before = current;
      if (before.index.equals(next)) {
        throw new IllegalArgumentException("index is current already: " + next);
      }
      current = new Version<>(next, closing);
    }
    before.leave();
  }

  /** Returns whether {@link #close} was called. */
  public boolean isClosed() {
    return isClosed;
  }

  /**
   * Stops giving out leases. The current version is closed when its last lease is closed, or at
   * once if it has none. A second call does nothing.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (isClosed) {
        return;
      }
      isClosed = true;
    }
    current.leave();
  }
}
