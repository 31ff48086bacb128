// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/** A page store that refuses to have more than so many pages in use. */
public final class RefusingPageStore extends ForwardingPageStore {
  private int mostPages;
  private boolean hidesLimit;

  /** Stands before {@code store}. */
  public RefusingPageStore(PageStore store, int mostPages) {
    super(store);
    this.mostPages = mostPages;
  }

  /** Sets how many pages may be in use. */
  public void mostPages(int pages) {
    mostPages = pages;
  }

  /** From now on {@link #hasRoom} knows of no limit, so that refusals come unforeseen. */
  public void hideLimit() {
    hidesLimit = true;
  }

  @Override
  public int allocate() {
    checkRoom(1);
    return super.allocate();
  }

  @Override
  public int allocate(int count) {
    checkRoom(count);
    return super.allocate(count);
  }

  @Override
  public boolean hasRoom(long extent, long more) {
    return super.hasRoom(extent, more) && (hidesLimit || extent + more <= mostPages - pagesInUse());
  }

  private void checkRoom(int count) {
    if (pagesInUse() + count > mostPages) {
      throw new MemoryLimitException("the store has " + mostPages + " pages and no more");
    }
  }
}
