// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;

/** A page store that counts which words of a page have changed while that was pinned. */
public final class ChangedWords extends ForwardingPageStore {
  /** A page that is pinned, and what it had then. */
  private record Pinned(long at, long[] words) {}

  private final Deque<Pinned> pinned = new ArrayDeque<>();
  private long changed;
  private int moves;

  /** Stands before {@code store}. */
  public ChangedWords(PageStore store) {
    super(store);
  }

  /** Returns how many words were changed. */
  public long changed() {
    return changed;
  }

  /** Returns how often more than a quarter of a page was changed at once. */
  public int moves() {
    return moves;
  }

  private long[] words(long at) {
    return segment().asSlice(at, pageBytes()).toArray(ValueLayout.JAVA_LONG);
  }

  @Override
  public long pin(int page) {
    long at = super.pin(page);
    pinned.push(new Pinned(at, words(at)));
    return at;
  }

  @Override
  public void unpin(long at, boolean isChanged) {
    Pinned before = pinned.stream().filter(pin -> pin.at == at).findFirst().orElseThrow();
    pinned.remove(before);
    if (isChanged) {
      long[] words = words(at);
      int changes = 0;
      for (int i = 0; i < words.length; i++) {
        changes += words[i] == before.words[i] ? 0 : 1;
      }
      changed += changes;
      moves += 4 * changes > words.length ? 1 : 0;
    }
    super.unpin(at, isChanged);
  }
}
