// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The further files of a store that is spread over several. The {@linkplain StripeLabel label} of
 * each says which one it is, and a file in the wrong place is refused before anything is written.
 *
 * @param files the file system
 * @param path the path of the first file
 * @param others the further files, in their order
 */
record Stripes(StoreFiles files, Path path, List<Path> others) {

  /** Returns an opener of the pages of a store. */
  static PageFileOpener opener(PageFileOpener engine, List<Path> others) {
    if (others.isEmpty()) {
      return engine;
    }
    return (path, access, blockBytes) -> {
      List<Path> all = new ArrayList<>(List.of(path));
      all.addAll(others);
      return StripedPageFile.open(engine, all, access, blockBytes, StripeLabel.bytes(blockBytes));
    };
  }

  private int count() {
    return 1 + others.size();
  }

  private @Nullable StripeLabel label(Path file) {
    if (files instanceof SystemFiles) {
      PathCheck.checkRegular(file);
    }
    try (PageFile opened = files.openLog(file, Access.READ, StoreHeader.BLOCK_BYTES)) {
      return StripeLabel.read(opened);
    }
  }

  // ---------------------------------------------------------------- make

  /**
   * Labels the files of a new store, whose names are safe then. So are the labels as soon as the
   * pages of the store are forced, which are in the same files.
   */
  void write(long storeId) {
    for (int i = 0; i < others.size(); i++) {
      try (PageFile file = files.openLog(others.get(i), Access.WRITE, StoreHeader.BLOCK_BYTES)) {
        new StripeLabel(storeId, i + 1, count()).writeTo(file);
      }
      files.forceNames(others.get(i));
    }
  }

  /**
   * Deletes what is left of these files if making them was cut off.
   *
   * @param unfinished the first file, under the name that it had meanwhile
   * @throws PageFileException if there is a file that may belong to another store
   */
  void deleteLeft(Path unfinished) {
    List<Path> there = others.stream().filter(files::exists).toList();
    if (there.isEmpty()) {
      return;
    }
    long id = 0;
    boolean hasId = false;
    if (files.exists(unfinished)) {
      try {
        id = StoreHeaders.any(files, unfinished).storeId();
        hasId = true;
      } catch (PageFileException notWhole) {
        // Then nothing tells that the files are its.
      }
    }
    for (Path file : there) {
      StripeLabel label = label(file);
      if (label == null) {
        throw refusal(file, "is there already, and has no label of a store; move it away");
      }
      if (!hasId || label.storeId() != id) {
        throw refusal(
            file,
            ("is stripe %d of a store over %d files, but %s is not there; if its making was cut"
                    + " off, delete this file")
                .formatted(label.place(), label.stripes(), path));
      }
    }
    there.forEach(files::delete);
  }

  // ---------------------------------------------------------------- open

  /** Checks that the first file is not one of the further files of some store. */
  void checkFirst() {
    StripeLabel label = label(path);
    if (label != null) {
      throw refusal(
          path,
          "is stripe %d of a store over %d files; name the first file of the store first"
              .formatted(label.place(), label.stripes()));
    }
  }

  /** Checks that the further files are those of a store, in their order. */
  void check(long storeId) {
    for (int i = 0; i < others.size(); i++) {
      check(others.get(i), i + 1, storeId);
    }
  }

  private void check(Path file, int place, long storeId) {
    if (!files.exists(file)) {
      throw refusal(file, "stripe %d of %s is missing".formatted(place, path));
    }
    StripeLabel label = label(file);
    String what =
        label == null
            ? "has no label"
            : label.storeId() != storeId
                ? "is stripe %d of another store".formatted(label.place())
                : "is stripe %d".formatted(label.place());
    if (label == null || label.storeId() != storeId || label.place() != place) {
      throw refusal(file, "should be stripe %d of %s, but %s".formatted(place, path, what));
    }
  }

  private static PageFileException refusal(Path file, String what) {
    return new PageFileException(file, what, PageFileException.NO_ERRNO);
  }
}
