// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.state.ActionChain;

/** The model's answers from an index in parts, between which entries move all the time. */
@Tag("fallback-thorough")
class PartitionedModelTest {
  private final List<ModelledIndex> opened = new ArrayList<>();

  @Property(shrinking = ShrinkingMode.BOUNDED)
  void doesWhatTheModelDoes(@ForAll("chains") ActionChain<ModelledIndex> chain) {
    chain.withInvariant("equals the model", ModelledIndex::verify).run();
  }

  @AfterTry
  void close() {
    opened.forEach(ModelledIndex::close);
    opened.clear();
  }

  @Provide
  Arbitrary<ActionChain<ModelledIndex>> chains() {
    List<TreeShape> shapes =
        List.of(
            TreeShape.partitioned(1, 8), TreeShape.partitioned(3, 4), TreeShape.partitioned(5, 64));
    return LongIndexModelTest.chainsWithoutCursors(shapes, this::open);
  }

  private ModelledIndex open(LongIndexModelTest.Start start) {
    ModelledIndex index = start.create();
    opened.add(index);
    return index;
  }
}
