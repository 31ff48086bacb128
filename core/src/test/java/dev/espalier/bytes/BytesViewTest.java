// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@link ViewLaws} leave to say of views. */
class BytesViewTest {
  private final BytesIndex index = new HeapBytesIndex();

  @Test
  void refusalNamesKeyAndBounds() {
    BytesNavigable view = index.subView(key(3), true, key(9), false).descendingView();
    String outside = "key 0x09 is outside the view's bounds [0x03, 0x09)";
    assertEquals(outside, refusal(() -> view.put(key(9), key())));
    assertEquals(outside, refusal(() -> view.set(key(9), key())));
    assertEquals(outside, refusal(() -> view.putIfAbsent(key(9), key())));
    assertEquals(
        "from is outside the view's bounds [0x03, 0x09): 0x09",
        refusal(() -> view.tailView(key(9), true)));
    assertEquals(
        "to is outside the view's bounds [0x03, 0x09): 0x",
        refusal(() -> view.headView(key(), true)));
    assertEquals(
        "from comes after to in the view's order: from=0x04, to=0x05",
        refusal(() -> view.subView(key(4), true, key(5), true)));
    assertEquals(
        "key 0x is outside the view's bounds (0x01, end)",
        refusal(() -> index.tailView(key(1), false).put(key(), key())));
  }

  @Test
  void refusalShortensLongKeys() {
    BytesNavigable view = index.headView(key(1), true);
    assertEquals(
        "key 0x%s... of 1000 bytes is outside the view's bounds [0x, 0x01]"
            .formatted("6b".repeat(32)),
        refusal(() -> view.put(NastyBytes.filled((byte) 'k', 1000), key())));
  }

  @Test
  void narrowerViewMayRepeatAnExclusiveBoundButNotStepOverIt() {
    for (int i : new int[] {1, 5, 9}) {
      index.set(key(i), key());
    }
    BytesNavigable view = index.subView(key(1), false, key(9), false);
    assertEquals(1, view.subView(key(1), false, key(9), false).size());
    assertThrows(IllegalArgumentException.class, () -> view.subView(key(1), true, key(9), false));
    assertThrows(IllegalArgumentException.class, () -> view.headView(key(9), true));
    assertThrows(IllegalArgumentException.class, () -> view.tailView(key(0), false));
  }

  @Test
  void prefixViewOfAViewIsWhatLiesInBoth() {
    for (String key : List.of("a", "ab", "abc", "abd", "ac")) {
      index.set(key.getBytes(), key());
    }
    BytesNavigable tail = index.tailView("abc".getBytes(), true);
    assertEquals(2, tail.prefixView("ab".getBytes()).size());
    assertEquals(2, tail.descendingView().prefixView("ab".getBytes()).size());
    assertEquals(3, tail.prefixView(key()).size());
    BytesNavigable nothing = tail.prefixView("aa".getBytes());
    assertTrue(nothing.isEmpty());
    assertFalse(nothing.cursor().last());
    assertEquals(0, nothing.countRange(key(), true, key(0xFF), true));
    assertThrows(IllegalArgumentException.class, () -> nothing.put("aa".getBytes(), key()));
    nothing.clear();
    assertEquals(5, index.size());
  }

  @Test
  void emptyKeyAndTheLongestAreWithinAViewOfAll() {
    byte[] longest = NastyBytes.filled((byte) 0xFF, BytesIndex.MAX_KEY);
    index.set(key(), key(1));
    index.set(longest, key(2));
    for (BytesNavigable view :
        List.of(index.prefixView(key()), index.tailView(key(), true), index.descendingView())) {
      assertEquals(2, view.size());
      assertArrayEquals(key(1), view.get(key()));
      assertArrayEquals(key(2), view.get(longest));
    }
    assertArrayEquals(key(2), index.prefixView(key(0xFF)).get(longest));
    assertNull(index.tailView(key(), false).get(key()));
    assertEquals(1, index.headView(longest, false).size());
  }

  private static byte[] key(int... bytes) {
    byte[] key = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      key[i] = (byte) bytes[i];
    }
    return key;
  }

  private static String refusal(Runnable call) {
    return String.valueOf(assertThrows(IllegalArgumentException.class, call::run).getMessage());
  }
}
