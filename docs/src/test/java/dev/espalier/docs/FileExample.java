// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import dev.espalier.LongCursor;
import dev.espalier.LongIndex;
import dev.espalier.io.Espalier;
import dev.espalier.io.FileOptions;
import java.nio.file.Path;

class FileExample {
  public static void main(String[] args) {
    Path file = Path.of(args[0], "orders.esp");
    try (LongIndex index = Espalier.open(file)) { // creates the file
      for (long order = 1; order <= 1_000_000; order++) {
        index.put(order * 4, order);
      }
      index.flush(); // what is written so far is safe from a crash
    }
    try (LongIndex index = Espalier.open(file)) {
      LongCursor cursor = index.cursor();
      cursor.scanTo(48); // reads pages ahead, but none beyond this key
      for (boolean found = cursor.ceiling(37); found && cursor.key() <= 48; found = cursor.next()) {
        System.out.println(cursor.key() + " -> " + cursor.value());
      }
    }
    System.out.println(Espalier.describe(file, FileOptions.DEFAULT).indexes().getFirst().kind());
  }
}
