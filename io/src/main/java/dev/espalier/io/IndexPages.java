// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.PageAllocation;
import dev.espalier.memory.PageStore;
import java.util.stream.IntStream;

/**
 * What a store knows about one of its indexes, whether it is open or not.
 *
 * <p>The map and the numbers change under the lock of the pool's frames.
 */
final class IndexPages {
  final int id;
  final String name;
  final String kind;
  final String codecs;
  final long[] meta;
  PageMap map;
  PageAllocation numbers;

  /** An index without pages. */
  IndexPages(int id, String name, String kind, String codecs, int pageBytes) {
    this.id = id;
    this.name = name;
    this.kind = kind;
    this.codecs = codecs;
    this.meta = new long[PageStore.META_WORDS];
    this.map = new PageMap(pageBytes);
    this.numbers = new PageAllocation();
  }

  /** The index of a catalogue, whose map was read. */
  IndexPages(Catalogue.Entry entry, PageMap map) {
    this.id = entry.id();
    this.name = entry.name();
    this.kind = entry.kind();
    this.codecs = entry.codecs();
    this.meta = entry.meta();
    this.map = map;
    int[] free =
        IntStream.rangeClosed(1, entry.top()).filter(page -> map.slot(page) == 0).toArray();
    this.numbers = new PageAllocation(entry.top(), free);
  }

  /** Tells whether keys and values are byte strings. */
  boolean hasByteStrings() {
    return codecs.equals(Catalogue.BYTES_CODECS);
  }

  /** Puts what has changed of the map into new slots, and describes the index. */
  Catalogue.Entry capture(SlotSpace space, long checkpoint, PageImages images) {
    PageMap.Root root = map.capture(space, numbers, PageSeal.tag(id, checkpoint), images);
    return new Catalogue.Entry(id, name, kind, codecs, meta.clone(), numbers.top(), root);
  }
}
