// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.List;

/**
 * What a store's file says, as of its last checkpoint.
 *
 * @param path of the file
 * @param version of the format
 * @param pageBytes bytes of a page
 * @param stripes files that the pages are spread over
 * @param checkpoint number of the last checkpoint
 * @param isClean whether the store was closed, so that nothing is to be recovered
 * @param logBytes bytes of the files of its log; 0 if it has none, as after it was closed
 * @param indexes in it
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
   * @param name by which it is opened
   * @param kind name of the tree
   * @param codecs of keys and values
   * @param pages in use
   * @param freePages numbers of pages that were given back and are kept for reuse
   * @param height levels of the tree
   * @param entries in the tree; -1 if the tree does not know it without a pass
   */
  public record Index(
      String name, String kind, String codecs, int pages, int freePages, int height, long entries) {

    /** Returns whether keys and values are byte strings; if not, they are longs. */
    public boolean hasByteStrings() {
      return codecs.equals(Catalogue.BYTES_CODECS);
    }
  }
}
