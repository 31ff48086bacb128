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
 * An index that is replaced as a whole while it is read: a lookup table that is loaded anew every
 * night, say. Readers take a {@link Lease} of the version that is current. {@link #swap} makes
 * another one current at one moment; who has a lease goes on with the version before, which is
 * closed when its last lease is.
 *
 * <pre>{@code
 * try (SwappableIndex.Lease<LongIndex> lease = prices.lease()) {
 *   lease.index().getAll(keys, values);
 * }
 * }</pre>
 *
 * <p>For any number of threads. A lease costs two atomic additions, which all readers share: take
 * one for a batch of lookups, not for each. Each version is an index like any other, which many
 * threads may read, or one may write.
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
   * Makes an index current, which is owned from now on: it is closed when it is replaced, or the
   * result is closed, and no reader has a lease of it.
   *
   * @throws IllegalArgumentException if {@code first} is closed
   */
  public static SwappableIndex<LongIndex> of(LongIndex first) {
    return new SwappableIndex<>(first, LongIndex::isClosed, LongIndex::close);
  }

  /** Makes an index of byte strings current, as {@link #of(LongIndex)}. */
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

    /** Counts a user more, unless the last one has left. */
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
   * The right to read one version, for one reader; to be closed.
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
     * Returns the index, which stays open until the lease is closed, whatever is swapped meanwhile.
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
     * Gives the index back. If it is current no more and nobody else has a lease, it is closed, and
     * what its {@code close} throws is thrown here. A second call does nothing.
     */
    @Override
    public void close() {
      if (isOver.compareAndSet(false, true)) {
        version.leave();
      }
    }
  }

  /**
   * Returns a lease of the version that is current.
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
   * Makes another index current, which is owned from now on. Who asks for a lease when this has
   * returned gets it; the version before is closed when its last lease is, or at once. What its
   * {@code close} throws is thrown here; the new version is current all the same.
   *
   * @param next loaded and ready; not the one that is current
   * @throws IllegalArgumentException if {@code next} is closed, or is current already
   * @throws IllegalStateException if this is closed; {@code next} is then still the caller's
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
   * Gives out no more leases. The current version is closed when its last lease is, or at once. A
   * second call does nothing.
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
