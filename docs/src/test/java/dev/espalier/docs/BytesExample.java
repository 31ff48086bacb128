// SPDX-License-Identifier: Apache-2.0
package dev.espalier.docs;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.espalier.bytes.BytesCursor;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.bytes.BytesKeyCodec;
import dev.espalier.bytes.BytesNavigable;
import dev.espalier.bytes.BytesValueCodec;
import dev.espalier.bytes.SecondaryIndex;
import dev.espalier.bytes.TypedIndex;
import java.util.NavigableMap;

class BytesExample {
  static void run(BytesIndex index, BytesIndex entries) {
    // Shown:
    index.set("https://example.org/a".getBytes(UTF_8), "first".getBytes(UTF_8));
    index.set("https://example.org/b".getBytes(UTF_8), "second".getBytes(UTF_8));
    index.set("https://example.com/".getBytes(UTF_8), "third".getBytes(UTF_8));

    // All keys that begin so, in order
    BytesNavigable site = index.prefixView("https://example.org/".getBytes(UTF_8));
    for (BytesCursor cursor = site.cursor(); cursor.next(); ) {
      System.out.println(new String(cursor.valueArray(), UTF_8));
    }

    // The same entries with codecs
    TypedIndex<String, String> pages =
        index.typed(BytesKeyCodec.ofString(), BytesValueCodec.ofString());
    System.out.println(pages.get("https://example.org/b"));

    // The same entries as a map
    NavigableMap<String, String> map = pages.asMap();
    System.out.println(map.firstKey());

    // Many rows with the same key, in an index of their own
    SecondaryIndex<String> byCity = SecondaryIndex.over(entries, BytesKeyCodec.ofString());
    byCity.add("Zurich", 4711);
    byCity.add("Zurich", 17);
    byCity.ids("Zurich").forEach(System.out::println);
  }
}
