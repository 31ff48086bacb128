// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.espalier.LongIndex;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.io.IndexStore;
import dev.espalier.io.WriteBatch;
import java.nio.file.Path;

class BytesFileExample {
  static void run(Path file) {
    // Shown:
    try (IndexStore store = IndexStore.open(file)) {
      LongIndex stock = store.index("stock");
      BytesIndex names = store.bytesIndex("names");
      WriteBatch batch = new WriteBatch();
      batch.set(stock, 4711, 12).set(names, "tulip".getBytes(UTF_8), "4711".getBytes(UTF_8));
      store.write(batch);
      store.commit();
      System.out.println(new String(names.get("tulip".getBytes(UTF_8)), UTF_8));
    }
  }
}
