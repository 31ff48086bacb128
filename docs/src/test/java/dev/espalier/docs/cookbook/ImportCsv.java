// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs.cookbook;

import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.bytes.TypedIndex;
import dev.espalier.io.IndexStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

class ImportCsv {
  public static void main(String[] args) throws IOException {
    Path csv = Path.of(args[0], "towns.csv");
    Files.writeString(csv, "town,people\nZug,31345\nBern,134591\nBiel,55602\nAarau,22593\n");

    NavigableMap<String, Integer> rows = new TreeMap<>(BytesKeyCodec.ofString().comparator());
    try (Stream<String> lines = Files.lines(csv)) {
      lines
          .skip(1)
          .map(line -> line.split(","))
          .forEach(fields -> rows.put(fields[0], Integer.valueOf(fields[1])));
    }
    try (IndexStore store = IndexStore.open(Path.of(args[0], "towns"))) {
      TypedIndex<String, Integer> towns =
          store.typedIndex("towns", BytesKeyCodec.ofString(), BytesValueCodec.ofInt());
      towns.bulkload(rows.entrySet()); // the fastest way into an empty index: full pages, in order
      store.commit();
      towns.range("B", true, "C", false).forEach(System.out::println);
      System.out.println(towns.asMap().firstEntry());
    }
  }
}
