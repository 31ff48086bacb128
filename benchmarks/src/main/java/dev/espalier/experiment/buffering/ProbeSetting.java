// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment.buffering;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Probes of an index, made in one way.
 *
 * @param index what is probed
 * @param method how
 * @param upper heights of the virtual nodes but the leaves', which have the levels that are left;
 *     empty if the cache analysis chooses all
 * @param order of the probes
 * @param share probes, as a share of the keys
 */
record ProbeSetting(
    PaperIndex index, Method method, List<Integer> upper, ProbeOrder order, double share) {

  /** Makes a setting of as many uniform probes as there are keys, as most of the paper's. */
  ProbeSetting(PaperIndex index, Method method) {
    this(index, method, List.of(), ProbeOrder.UNIFORM, 1);
  }

  /** Returns all methods with all indexes. */
  static List<ProbeSetting> of(List<PaperIndex> indexes, List<Method> methods) {
    List<ProbeSetting> settings = new ArrayList<>();
    for (PaperIndex index : indexes) {
      for (Method method : methods) {
        settings.add(new ProbeSetting(index, method));
      }
    }
    return settings;
  }

  /** Returns this with buffers of variable size between virtual nodes of given heights. */
  ProbeSetting placed(Integer... upperHeights) {
    return new ProbeSetting(index, Method.VARIABLE, List.of(upperHeights), order, share);
  }

  /** Returns this with another method. */
  ProbeSetting by(Method other) {
    return new ProbeSetting(index, other, upper, order, share);
  }

  /** Returns this with other probes. */
  ProbeSetting inOrder(ProbeOrder other) {
    return new ProbeSetting(index, method, upper, other, share);
  }

  /** Returns this with another number of probes. */
  ProbeSetting withShare(double other) {
    return new ProbeSetting(index, method, upper, order, other);
  }

  /** Returns how many probes there are over a tree of so many entries. */
  int count(int keys) {
    int inner = index == PaperIndex.R_TREE ? BuiltRTree.rectangles(keys) : keys;
    return Math.max((int) Math.round(inner * share), 1);
  }

  /** Returns the method in words, or where buffers are if the setting says so. */
  String label() {
    return upper.isEmpty()
        ? method.toString()
        : upper.stream().map(String::valueOf).collect(Collectors.joining(",", "(", ",rest)"));
  }

  /** Returns virtual nodes of the heights given, for a tree of so many levels. */
  List<Integer> heights(int treeHeight) {
    List<Integer> heights = new ArrayList<>(upper);
    int rest = treeHeight - upper.stream().mapToInt(Integer::intValue).sum();
    heights.add(rest);
    return Collections.unmodifiableList(heights);
  }

  @Override
  public String toString() {
    return "%s, %s, %s, %s%%".formatted(index, label(), order, share * 100);
  }
}
