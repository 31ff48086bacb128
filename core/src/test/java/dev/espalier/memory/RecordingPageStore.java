// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A page store that writes down which pages are asked for ahead. */
public final class RecordingPageStore extends ForwardingPageStore {
  private final List<List<Integer>> asked = new ArrayList<>();

  /** Stands before {@code store}. */
  public RecordingPageStore(PageStore store) {
    super(store);
  }

  /** Returns the pages of each call since the last {@link #forget}. */
  public List<List<Integer>> asked() {
    return List.copyOf(asked);
  }

  /** Returns all pages that were asked for since the last {@link #forget}. */
  public List<Integer> allAsked() {
    return asked.stream().flatMap(List::stream).toList();
  }

  /** Forgets what was asked. */
  public void forget() {
    asked.clear();
  }

  @Override
  public void readAhead(int[] pages, int from, int count) {
    asked.add(Arrays.stream(pages, from, from + count).boxed().toList());
    super.readAhead(pages, from, count);
  }
}
