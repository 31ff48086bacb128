// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.bytes.SecondaryIndex;
import dev.espalier.bytes.TypedIndex;
import dev.espalier.io.IndexStore;
import dev.espalier.io.WriteBatch;
import java.nio.file.Path;

class CustomersByCity {
  public static void main(String[] args) {
    try (IndexStore store = IndexStore.open(Path.of(args[0], "shop"))) {
      TypedIndex<Long, String> cities =
          store.typedIndex("cities", BytesKeyCodec.ofLong(), BytesValueCodec.ofString());
      SecondaryIndex<String> byCity = store.secondaryIndex("by city", BytesKeyCodec.ofString());

      String[] rows = {"Bern", "Basel", "Bern", "Zurich"};
      WriteBatch batch = new WriteBatch();
      for (long id = 0; id < rows.length; id++) {
        batch.set(cities, id, rows[(int) id]).add(byCity, rows[(int) id], id);
      }
      store.write(batch); // both indexes, or none after a crash

      batch.clear();
      batch.remove(byCity, cities.get(2L), 2).add(byCity, "Basel", 2).set(cities, 2L, "Basel");
      store.write(batch);
      store.commit();

      System.out.println(byCity.ids("Basel").boxed().toList());
      byCity.range("B", true, "C", false).forEach(System.out::println);
    }
  }
}
