// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import dev.espalier.memory.PageAllocation;
import dev.espalier.memory.PageStore;
import dev.espalier.paged.StoredTree;

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

  /** The meta words; those that the tree keeps elsewhere while it is open may be behind. */
  final long[] meta;

  /** Writes these words; by the one who is alone in the gate. */
  private Runnable metaTask = IndexPages::keepNothing;

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

  /** An index as it is made: without pages, and with the geometry of its tree. */
  IndexPages(Catalogue.Entry made, int pageBytes) {
    this(made.id(), made.name(), made.kind(), made.codecs(), pageBytes);
    System.arraycopy(made.meta(), 0, meta, 0, meta.length);
    StoredTree.forgetPages(meta);
  }

  /** The index of a catalogue, whose map was read. */
  IndexPages(Catalogue.Entry entry, PageMap map) {
    this.id = entry.id();
    this.name = entry.name();
    this.kind = entry.kind();
    this.codecs = entry.codecs();
    this.meta = entry.meta();
    this.map = map;
    this.numbers = new PageAllocation(entry.top(), free(entry.top()));
  }

  /** Returns the pages without an entry; not by a stream's array, which takes thrice the memory. */
  private int[] free(int top) {
    int count = 0;
    for (int page = 1; page <= top; page++) {
      count += map.slot(page) == 0 ? 1 : 0;
    }
    int[] free = new int[count];
    for (int page = top; page >= 1; page--) {
      if (map.slot(page) == 0) {
        free[--count] = page;
      }
    }
    return free;
  }

  /** Has the tree that is open write what it keeps elsewhere whenever all words are wanted. */
  void whenMetaIsWanted(Runnable task) {
    metaTask = task;
  }

  /** Returns the meta words when the tree has written all of them; while nobody changes it. */
  long[] wholeMeta() {
    metaTask.run();
    return meta;
  }

  /** Has the tree, which is about to be closed, write all meta words a last time. */
  void forgetTree() {
    metaTask.run();
    metaTask = IndexPages::keepNothing;
  }

  /** Tells whether keys and values are byte strings. */
  boolean hasByteStrings() {
    return StoredCodecs.areByteStrings(codecs);
  }

  /** Describes the index as it is made. */
  Catalogue.Entry asMade() {
    return new Catalogue.Entry(id, name, kind, codecs, meta.clone(), 0, PageMap.Root.NONE);
  }

  /** Puts what has changed of the map into new slots, and describes the index. */
  Catalogue.Entry capture(SlotSpace space, long checkpoint, PageImages images) {
    PageMap.Root root = map.capture(space, numbers, PageSeal.tag(id, checkpoint), images);
    return new Catalogue.Entry(id, name, kind, codecs, wholeMeta().clone(), numbers.top(), root);
  }

  /** What there is to do where no tree keeps a word elsewhere. */
  private static void keepNothing() {}
}
