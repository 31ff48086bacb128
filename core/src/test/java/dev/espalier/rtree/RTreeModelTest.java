// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.espalier.IndexOptions;
import dev.espalier.rtree.RTree.Geometry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
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
import net.jqwik.api.state.Transformer;

/** The tree does what a list of rectangles does, whatever is called in whatever order. */
@Tag("fallback-thorough")
class RTreeModelTest {
  private static final int STEPS = 40;

  private final List<Modelled> opened = new ArrayList<>();

  /** A tree and its model, changed together. */
  private static final class Modelled implements AutoCloseable {
    final RTree tree;
    final RectangleModel model;
    private final String name;

    Modelled(Geometry geometry, RectangleSets set, int entries) {
      name = geometry + " with " + entries + " of " + set;
      tree = RTree.create(IndexOptions.DEFAULT, geometry);
      model = set.model(entries, new SplittableRandom(entries));
      model.bulkloadInto(tree, entries % 2 == 0 ? 0.5 : 1);
    }

    void insert(Rectangle rectangle, long value) {
      tree.insert(rectangle, value);
      model.insert(rectangle, value);
    }

    /** Deletes an entry that is there, if {@code number} says so, or tries one that is not. */
    void delete(int number, Rectangle rectangle) {
      if (number < model.entries.size()) {
        RectangleModel.Entry entry = model.entries.remove(number);
        assertEquals(true, tree.delete(entry.rectangle(), entry.value()));
      } else {
        assertEquals(model.delete(rectangle, number), tree.delete(rectangle, number));
      }
    }

    void verify() {
      tree.verify();
      assertEquals(model.entries.size(), tree.size());
    }

    @Override
    public void close() {
      tree.close();
    }

    @Override
    public String toString() {
      return name;
    }
  }

  @Property(shrinking = ShrinkingMode.BOUNDED)
  void doesWhatTheModelDoes(@ForAll("chains") ActionChain<Modelled> chain) {
    chain.withInvariant("is sound", Modelled::verify).run();
  }

  @AfterTry
  void close() {
    opened.forEach(Modelled::close);
    opened.clear();
  }

  @Provide
  Arbitrary<ActionChain<Modelled>> chains() {
    return Combinators.combine(
            Arbitraries.of(RTreeQueryTest.GEOMETRIES),
            Arbitraries.of(RectangleSets.class),
            Arbitraries.oneOf(Arbitraries.integers().between(0, 40), Arbitraries.of(99, 200, 401)))
        .flatAs(
            (geometry, set, entries) ->
                ActionChain.startWith(() -> open(new Modelled(geometry, set, entries)))
                    .withAction(4, new Step("insert", set, RTreeModelTest::insert))
                    .withAction(4, new Step("delete", set, RTreeModelTest::delete))
                    .withAction(2, new Step("query", set, RTreeModelTest::query))
                    .withAction(1, new Step("nearest", set, RTreeModelTest::nearest))
                    .withMaxTransformations(STEPS));
  }

  private Modelled open(Modelled modelled) {
    opened.add(modelled);
    return modelled;
  }

  private static void insert(Modelled modelled, Rectangle rectangle, int number) {
    modelled.insert(rectangle, number);
  }

  private static void delete(Modelled modelled, Rectangle rectangle, int number) {
    modelled.delete(number, rectangle);
  }

  private static void query(Modelled modelled, Rectangle rectangle, int number) {
    modelled.model.assertAnswers(modelled.tree, rectangle);
  }

  private static void nearest(Modelled modelled, Rectangle rectangle, int number) {
    double x = Math.clamp(rectangle.minX(), -1e3, 1e3);
    double y = Math.clamp(rectangle.maxY(), -1e3, 1e3);
    modelled.model.assertNearest(modelled.tree, x, y, number);
  }

  private interface Call {
    void run(Modelled modelled, Rectangle rectangle, int number);
  }

  private record Step(String name, RectangleSets set, Call call)
      implements Action.Independent<Modelled> {
    @Override
    public Arbitrary<Transformer<Modelled>> transformer() {
      return Combinators.combine(
              Arbitraries.integers().between(0, 1000), Arbitraries.integers().between(0, 60))
          .as(
              (seed, number) -> {
                Rectangle rectangle = set.next(new SplittableRandom(seed));
                return Transformer.mutate(
                    name + " " + rectangle + ", " + number,
                    modelled -> call.run(modelled, rectangle, number));
              });
    }
  }
}
