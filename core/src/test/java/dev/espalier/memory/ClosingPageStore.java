// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/**
 * A page store during whose calls something else happens, as another thread may do it: when it is
 * closed, and when a certain page is given back. Pages do not stay where they are.
 */
public final class ClosingPageStore extends ForwardingPageStore {
  /** What happens in {@link #close} before the store behind is closed. */
  public Runnable atClose = () -> {};

  /** What happens after {@link #countdown} calls of {@link #unpin} more. */
  public Runnable atUnpin = () -> {};

  /** The calls of {@link #unpin} until then. */
  public int countdown;

  /** Stands before {@code store}, and closes it. */
  public ClosingPageStore(PageStore store) {
    super(store);
  }

  @Override
  public boolean pagesStay() {
    return false;
  }

  @Override
  public void unpin(long offset, boolean changed) {
    super.unpin(offset, changed);
    if (--countdown == 0) {
      atUnpin.run();
    }
  }

  @Override
  public void close() {
    atClose.run();
    super.close();
  }
}
