// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;

/**
 * What the header of an index file says.
 *
 * @param path of the file
 * @param version of the format
 * @param kind name of the tree
 * @param codecs of keys and values
 * @param pageBytes bytes of a page
 * @param pages in use
 * @param freePages that were given back and are kept for reuse
 * @param stripes files that the pages are spread over
 * @param height levels of the tree
 * @param entries in the tree, as of the last flush; -1 if the tree does not know it without a pass
 * @param isClean whether the file was closed cleanly, so that all of this is so
 * @param engine what reads the file
 */
public record FileDescription(
    Path path,
    int version,
    String kind,
    String codecs,
    int pageBytes,
    int pages,
    int freePages,
    int stripes,
    int height,
    long entries,
    boolean isClean,
    IoStatus engine) {}
