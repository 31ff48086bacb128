// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Makes the indexes of a test and, after every single test, verifies and closes them. A test class
 * has it in a field with {@code @RegisterExtension}.
 */
public final class Indexes implements AfterEachCallback {
  private final List<LongIndex> opened = new ArrayList<>();

  /** Makes an empty index with default options. */
  public LongIndex create(TreeShape shape) {
    return create(shape, IndexOptions.DEFAULT);
  }

  /** Makes an empty index. */
  public LongIndex create(TreeShape shape, IndexOptions options) {
    return keep(shape.create(options));
  }

  /**
   * Makes an index that holds the keys 0 to {@code entries - 1}, each with minus itself as value.
   */
  public LongIndex createCounting(TreeShape shape, int entries) {
    LongIndex index = create(shape);
    for (long key = 0; key < entries; key++) {
      index.put(key, -key);
    }
    return index;
  }

  /** Takes care of an index that was made elsewhere. */
  public <T extends LongIndex> T keep(T index) {
    opened.add(index);
    return index;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    verifyAndClose();
  }

  /** Verifies all that are open, and closes all even if one is damaged. */
  void verifyAndClose() {
    try {
      opened.stream().filter(index -> !index.isClosed()).forEach(LongIndex::verify);
    } finally {
      opened.forEach(LongIndex::close);
      opened.clear();
    }
  }
}
