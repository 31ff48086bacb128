// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.List;

/**
 * What a store's file says, as of its last checkpoint.
 *
 * @param path the path of the file
 * @param version the version of the format
 * @param pageBytes bytes of a page
 * @param stripes files that the pages are spread over
 * @param checkpoint number of the last checkpoint
 * @param isClean whether the store was closed, so that there is nothing to recover
 * @param logBytes bytes of the files of its log; 0 if it has none, as after the store was closed
 * @param indexes the indexes in the store
 * @param engine what reads the file
 */
public record StoreDescription(
    Path path,
    int version,
    int pageBytes,
    int stripes,
    long checkpoint,
    boolean isClean,
    long logBytes,
    List<Index> indexes,
    IoStatus engine) {

  /**
   * One index of the store.
   *
   * @param name the name by which it is opened
   * @param kind name of the tree
   * @param codecs what keys and values are stored as, {@code int64:int64} or {@code bytes:bytes};
   *     with the marks of the codecs that the index was made with, as in {@code
   *     bytes(string):bytes(long)}
   * @param pages number of pages in use
   * @param freePages numbers of pages that were given back and are kept for reuse
   * @param height levels of the tree
   * @param entries number of entries in the tree; -1 if the tree does not know it without a pass
   */
  public record Index(
      String name, String kind, String codecs, int pages, int freePages, int height, long entries) {

    /** Tells whether keys and values are byte strings; if not, they are longs. */
    public boolean hasByteStrings() {
      return StoredCodecs.areByteStrings(codecs);
    }
  }
}
