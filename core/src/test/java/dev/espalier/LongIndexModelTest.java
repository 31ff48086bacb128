// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.Tag;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.state.Action;
import net.jqwik.api.state.ActionChain;
import net.jqwik.api.state.ActionChainArbitrary;
import net.jqwik.api.state.Transformer;

/**
 * Every tree does what {@link ModelIndex} does, whatever is called in whatever order. Runs with and
 * without native access and SIMD, and so shows that both give the same results.
 */
@Tag("fallback-too")
class LongIndexModelTest {
  private static final int STEPS = 60;

  private final List<ModelledIndex> opened = new ArrayList<>();

  /** An index to begin with. */
  record Start(TreeShape shape, int entries, long stride, double fillFactor) {

    ModelledIndex create() {
      return modelled(newIndex());
    }

    LongIndex newIndex() {
      return shape.create(IndexOptions.DEFAULT.withMissingValue(Operations.MISSING));
    }

    /** Fills an index, and its model. */
    ModelledIndex modelled(LongIndex index) {
      long[] keys = LongStream.range(0, entries).map(i -> i * stride).toArray();
      return new ModelledIndex(toString(), index, keys, fillFactor);
    }
  }

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
    return chains(TreeShape.allAndOnCheckedPages(), this::open);
  }

  /** Calls in any order to one of several trees. */
  static Arbitrary<ActionChain<ModelledIndex>> chains(
      List<TreeShape> shapes, Function<Start, ModelledIndex> open) {
    return starts(shapes)
        .flatMap(start -> callsOf(() -> open.apply(start)).withAction(10, new OnCursor()));
  }

  /** Calls in any order, but not of cursors: for indexes whose cursors return what they copied. */
  static Arbitrary<ActionChain<ModelledIndex>> chainsWithoutCursors(
      List<TreeShape> shapes, Function<Start, ModelledIndex> open) {
    return starts(shapes).flatMap(start -> callsOf(() -> open.apply(start)));
  }

  private static ActionChainArbitrary<ModelledIndex> callsOf(Supplier<ModelledIndex> open) {
    return ActionChain.startWith(open)
        .withAction(6, new OnKey())
        .withAction(2, new OnView())
        .withAction(2, new OnRange())
        .withAction(4, new OnBatch())
        .withMaxTransformations(STEPS);
  }

  private ModelledIndex open(Start start) {
    ModelledIndex index = start.create();
    opened.add(index);
    return index;
  }

  private static Arbitrary<Start> starts(List<TreeShape> shapes) {
    return Combinators.combine(
            Arbitraries.of(shapes),
            Arbitraries.oneOf(
                Arbitraries.integers().between(0, 40), Arbitraries.of(100, 400, 1500)),
            Arbitraries.of(1L, 2L, 5L),
            Arbitraries.of(0.5, 0.67, 1.0))
        .as(Start::new);
  }

  private static final class OnKey implements Action.Independent<ModelledIndex> {
    @Override
    public Arbitrary<Transformer<ModelledIndex>> transformer() {
      return Arbitraries.oneOf(Operations.onKey(), Operations.onNeighbour())
          .map(operation -> Transformer.mutate(operation.name(), index -> index.run(operation)));
    }
  }

  private static final class OnView implements Action.Independent<ModelledIndex> {
    @Override
    public Arbitrary<Transformer<ModelledIndex>> transformer() {
      return Combinators.combine(
              Operations.narrowings().array(Narrowing[].class).ofMinSize(1).ofMaxSize(3),
              Arbitraries.oneOf(Operations.onKey(), Operations.onNeighbour(), Operations.onRange()))
          .as(
              (narrowings, operation) ->
                  Transformer.mutate(
                      operation + " of " + List.of(narrowings),
                      index -> index.run(operation, narrowings)));
    }
  }

  private static final class OnRange implements Action.Independent<ModelledIndex> {
    @Override
    public Arbitrary<Transformer<ModelledIndex>> transformer() {
      return Operations.onRange()
          .map(operation -> Transformer.mutate(operation.name(), index -> index.run(operation)));
    }
  }

  private static final class OnBatch implements Action.Independent<ModelledIndex> {
    @Override
    public Arbitrary<Transformer<ModelledIndex>> transformer() {
      return Operations.onBatch()
          .map(
              operation ->
                  Transformer.mutate(operation.name(), index -> index.runOnIndex(operation)));
    }
  }

  private static final class OnCursor implements Action.Independent<ModelledIndex> {
    @Override
    public Arbitrary<Transformer<ModelledIndex>> transformer() {
      Arbitrary<Integer> numbers = Arbitraries.integers().between(0, ModelledIndex.CURSORS - 1);
      return Arbitraries.oneOf(
          Combinators.combine(numbers, Operations.onCursor())
              .as(
                  (number, operation) ->
                      Transformer.mutate(
                          operation + " of cursor " + number,
                          index -> index.runOnCursor(number, operation))),
          numbers.map(
              number ->
                  Transformer.mutate(
                      "nextRun of cursor " + number, index -> index.runNextRun(number))));
    }
  }
}
