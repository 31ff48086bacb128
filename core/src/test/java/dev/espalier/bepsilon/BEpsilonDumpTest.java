// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bepsilon;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.memory.Words;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A small tree as it lies in its pages, with its messages; a leaf has 14 entries, a buffer 10. */
class BEpsilonDumpTest {
  private static final String[] KINDS = {"?", "put", "delete", "add"};

  private final BEpsilonTree tree =
      BEpsilonTree.open(
          IndexOptions.DEFAULT,
          IndexOptions.DEFAULT.pagesInMemory(256),
          new BEpsilonTree.Geometry(4));

  @AfterEach
  void close() {
    tree.close();
  }

  private void set(BEpsilonTree index, long from, long to) {
    LongStream.rangeClosed(from, to).forEach(key -> index.set(10 * key, key));
  }

  @Test
  void rootThatIsALeafTakesWritesItself() {
    set(tree, 1, 4);
    tree.delete(20);
    tree.add(30, 5);
    tree.add(35, 5);
    assertEquals("leaf 1: 10=1 30=8 35=5 40=4\n", print(tree));
  }

  @Test
  void fullLeafSplitsAndMessagesOfOneKeyBecomeOne() {
    set(tree, 1, 15);
    tree.delete(20);
    tree.add(30, 5);
    tree.add(30, 2);
    tree.add(20, 9);
    tree.set(40, 0);
    tree.delete(40);
    tree.add(500, 7);
    assertEquals(
        """
        inner 2: 70 | 20 put 9, 30 add 7, 40 delete 0, 150 put 15, 500 add 7
          leaf 1: 10=1 20=2 30=3 40=4 50=5 60=6 70=7
          leaf 3: 80=8 90=9 100=10 110=11 120=12 130=13 140=14
        """,
        print(tree));
  }

  @Test
  void fullestChildGetsItsMessages() {
    set(tree, 1, 15);
    tree.delete(20);
    tree.delete(30);
    LongStream.rangeClosed(81, 88).forEach(key -> tree.set(key, key));
    assertEquals(
        """
        inner 2: 70 140 | 20 delete 0, 30 delete 0, 88 put 88
          leaf 1: 10=1 20=2 30=3 40=4 50=5 60=6 70=7
          leaf 3: 80=8 81=81 82=82 83=83 84=84 85=85 86=86 87=87 90=9 100=10 110=11 120=12 130=13 \
        140=14
          leaf 4: 150=15
        """,
        print(tree));
  }

  @Test
  void wholeBufferIsDistributed() {
    try (BEpsilonTree repository =
        BufferedRepositoryTree.open(
            IndexOptions.DEFAULT, IndexOptions.DEFAULT.pagesInMemory(256))) {
      set(repository, 1, 15);
      repository.delete(20);
      repository.delete(30);
      LongStream.rangeClosed(81, 88).forEach(key -> repository.set(key, key));
      assertEquals(
          """
          inner 2: 70 140 | 88 put 88
            leaf 1: 10=1 40=4 50=5 60=6 70=7
            leaf 3: 80=8 81=81 82=82 83=83 84=84 85=85 86=86 87=87 90=9 100=10 110=11 120=12 \
          130=13 140=14
            leaf 4: 150=15
          """,
          print(repository));
    }
  }

  @Test
  void wordsOfTheRootAreWhereTheLayoutSays() {
    set(tree, 1, 15);
    tree.add(30, 7);
    BEpsilonStructure structure = tree.tree;
    long at = structure.store.pin(structure.root());
    assertEquals("1 2 2 0", ints(at + 16, 4), "level, children, messages, unused");
    assertEquals("70", longs(at + 32, 1), "separators");
    assertEquals("1 3", ints(at + 56, 2), "children");
    assertEquals("30 150", longs(at + 72, 2), "keys of messages");
    assertEquals("7 15", longs(at + 72 + 80, 2), "values of messages");
    assertEquals(3 | 1 << 16, Words.getInt(structure.pages, at + 72 + 160), "kinds of messages");
    assertEquals(
        "2 2 -1 14",
        LongStream.of(structure.meta)
            .skip(1)
            .limit(4)
            .mapToObj(Long::toString)
            .collect(Collectors.joining(" ")),
        "root, height, size that is not known, entries in leaves");
  }

  private String longs(long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + Words.getLong(tree.tree.pages, offset + 8 * i))
        .collect(Collectors.joining(" "));
  }

  private String ints(long offset, int count) {
    return LongStream.range(0, count)
        .mapToObj(i -> "" + Words.getInt(tree.tree.pages, offset + 4 * i))
        .collect(Collectors.joining(" "));
  }

  private static String print(BEpsilonTree index) {
    index.verify();
    StringBuilder out = new StringBuilder();
    print(index.tree, index.tree.root(), index.tree.height() - 1, "", out);
    return out.toString();
  }

  private static void print(
      BEpsilonStructure tree, int page, int level, String indent, StringBuilder out) {
    long at = tree.store.pin(page);
    int count = NodePage.count(tree.pages, at);
    out.append(indent).append(level == 0 ? "leaf " : "inner ").append(page).append(':');
    if (level == 0) {
      for (int i = 0; i < count; i++) {
        out.append(' ').append(LeafPage.key(tree.pages, at, i));
        out.append('=').append(tree.leaf.value(tree.pages, at, i));
      }
      out.append('\n');
      return;
    }
    for (int i = 0; i < count - 1; i++) {
      out.append(' ').append(InnerPage.separator(tree.pages, at, i));
    }
    InnerPage inner = tree.inner;
    for (int i = 0; i < NodePage.messages(tree.pages, at); i++) {
      out.append(i == 0 ? " | " : ", ").append(inner.messageKey(tree.pages, at, i)).append(' ');
      out.append(KINDS[inner.messageKind(tree.pages, at, i)]).append(' ');
      out.append(inner.messageValue(tree.pages, at, i));
    }
    out.append('\n');
    for (int i = 0; i < count; i++) {
      print(tree, inner.child(tree.pages, at, i), level - 1, indent + "  ", out);
    }
  }
}
