// SPDX-License-Identifier: Apache-2.0
package dev.espalier.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.LongIndex;
import dev.espalier.ProgressListener;
import dev.espalier.bytes.BytesIndex;
import dev.espalier.family.Indexes;
import dev.espalier.prefix.PrefixBPlusTree;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.util.Text;
import org.junit.jupiter.api.Test;

/** The layout is that of Arrow's own vectors. */
class ArrowVectorsTest {
  @Test
  void aBigIntVectorIsLookedUpAndFilled() {
    try (LongIndex index = Indexes.create();
        BufferAllocator allocator = new RootAllocator();
        BigIntVector keys = new BigIntVector("key", allocator)) {
      for (int row = 0; row < 1000; row++) {
        index.set(row * 2L, row);
        if (row % 7 == 0) {
          keys.setNull(row);
        } else {
          keys.setSafe(row, row);
        }
      }
      keys.setValueCount(1000);
      try (BigIntVector values = ArrowExample.lookUp(index, keys, allocator)) {
        for (int row = 0; row < 1000; row++) {
          Long expected = row % 7 == 0 || row % 2 == 1 ? null : (Long) (row / 2L);
          assertEquals(expected, values.getObject(row));
        }
      }
    }
  }

  @Test
  void sortedVectorsFillAnIndex() {
    try (LongIndex index = Indexes.create();
        BufferAllocator allocator = new RootAllocator();
        BigIntVector keys = new BigIntVector("key", allocator)) {
      for (int row = 0; row < 100; row++) {
        keys.setSafe(row, row * 3L);
      }
      keys.setValueCount(100);
      LongColumn column = ArrowExample.column(keys);
      index.bulkload(ColumnEntries.of(column, column), 1.0, 100, ProgressListener.NONE);
      assertEquals(100, index.size());
      assertEquals(99L * 3, index.get(297));
    }
  }

  @Test
  void theAnswerOfALookupOfStringsIsAVector() {
    try (BytesIndex index = PrefixBPlusTree.create();
        BufferAllocator allocator = new RootAllocator();
        VarCharVector keys = new VarCharVector("key", allocator);
        VarCharVector values = new VarCharVector("value", allocator)) {
      index.set("Zürich".getBytes(java.nio.charset.StandardCharsets.UTF_8), "Limmat".getBytes());
      keys.setSafe(0, new Text("Zürich"));
      keys.setNull(1);
      keys.setSafe(2, new Text("Paris"));
      keys.setValueCount(3);
      Queue<ArrowBuf> buffers = new ArrayDeque<>();
      new BytesLookup(index)
          .getAll(
              column(keys),
              (bytes, alignment) -> {
                ArrowBuf buffer = allocator.buffer(bytes);
                buffer.writerIndex(bytes);
                buffers.add(buffer);
                return ArrowExample.segment(buffer, bytes);
              });
      values.loadFieldBuffers(new ArrowFieldNode(3, 2), List.copyOf(buffers));
      buffers.forEach(ArrowBuf::close);
      assertEquals(new Text("Limmat"), values.getObject(0));
      assertNull(values.getObject(1));
      assertNull(values.getObject(2));
    }
  }

  @Test
  void theExampleIsShownInTheDocumentation() throws IOException {
    String source = Files.readString(Path.of("src/test/java/dev/espalier/arrow/ArrowExample.java"));
    String example = source.substring(source.indexOf("// Shown:\n") + 10, source.lastIndexOf('}'));
    String page = Files.readString(Path.of("../../docs/engines.md"));
    assertTrue(page.contains("```java\n" + example.replaceAll("(?m)^  ", "") + "```\n"), example);
  }

  private static BytesColumn column(VarCharVector vector) {
    int rows = vector.getValueCount();
    MemorySegment bytes =
        ArrowExample.segment(vector.getDataBuffer(), vector.getOffsetBuffer().getInt(rows * 4L));
    return BytesColumn.of(
        bytes,
        ArrowExample.segment(vector.getOffsetBuffer(), (rows + 1) * 4L),
        ArrowExample.segment(vector.getValidityBuffer(), (rows + 7) / 8),
        rows);
  }
}
