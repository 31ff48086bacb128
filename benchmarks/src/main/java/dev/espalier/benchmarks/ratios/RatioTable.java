// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.peer.PeerType;
import dev.espalier.benchmarks.peer.Peers;
import dev.espalier.benchmarks.ratios.Target.Bound;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Turns figures into the table of targets, and lists the figures themselves. */
final class RatioTable {
  private static final String TREE_MAP = Peers.TREE_MAP.name();

  private final Plan plan;
  private final Figures figures;

  RatioTable(Plan plan, Figures figures) {
    this.plan = plan;
    this.figures = figures;
  }

  /** Returns the lines of the chosen work. */
  List<Target> targets() {
    String tree = plan.tree().name();
    List<Target> targets = new ArrayList<>();
    if (plan.isChosen(Work.GET)) {
      targets.add(faster("get, against TreeMap", 7, TREE_MAP, Measure.GET, tree, Measure.GET));
      Optional<String> best = bestJvmPeer();
      String peer = best.orElse("the best JVM peer");
      targets.add(faster("get, against " + peer, 3, peer, Measure.GET, tree, Measure.GET));
    }
    if (plan.isChosen(Work.GET_ALL)) {
      targets.add(faster("getAll(256), against get", 3, tree, Measure.GET, tree, Measure.GET_ALL));
      targets.add(
          faster(
              "getAll(256), against get of TreeMap",
              20,
              TREE_MAP,
              Measure.GET,
              tree,
              Measure.GET_ALL));
    }
    if (plan.isChosen(Work.SCAN)) {
      OptionalDouble share = figures.ratio(tree, Measure.SCAN, tree, Measure.BANDWIDTH);
      targets.add(
          new Target(
              "full scan, against a sequential read",
              Bound.AT_LEAST,
              60,
              "%",
              share.isPresent() ? OptionalDouble.of(100 * share.getAsDouble()) : share));
    }
    if (plan.isChosen(Work.PUT)) {
      targets.add(
          faster("random put, against TreeMap", 4, TREE_MAP, Measure.PUT, tree, Measure.PUT));
    }
    if (plan.isChosen(Work.BYTES)) {
      targets.add(bytes("bytes per entry, after a full bulkload", 17.5, Measure.BYTES_FULL));
      targets.add(bytes("bytes per entry, after random puts", 26, Measure.BYTES_AFTER_PUT));
    }
    if (plan.isChosen(Work.POLLUTED)) {
      targets.add(slowdown("get", Measure.GET));
      targets.add(slowdown("getAll(256)", Measure.GET_ALL));
      targets.add(slowdown("random put", Measure.PUT));
      targets.add(
          new Target(
              "polluted JVM, against alone: full scan after random puts",
              Bound.AT_MOST,
              1.15,
              "x",
              figures.ratio(
                  tree, Measure.SCAN_AFTER_PUT, plan.polluted().name(), Measure.SCAN_AFTER_PUT)));
    }
    if (plan.isChosen(Work.FALLBACK)) {
      targets.add(
          faster(
              "native and SIMD off: get, against TreeMap",
              2.5,
              TREE_MAP,
              Measure.GET,
              plan.fallback().name(),
              Measure.GET));
    }
    return targets;
  }

  private Target faster(
      String work,
      double limit,
      String slow,
      Measure slowMeasure,
      String fast,
      Measure fastMeasure) {
    return new Target(
        work, Bound.AT_LEAST, limit, "x", figures.ratio(slow, slowMeasure, fast, fastMeasure));
  }

  private Target bytes(String work, double limit, Measure measure) {
    return new Target(work, Bound.AT_MOST, limit, "", figures.median(plan.tree().name(), measure));
  }

  private Target slowdown(String work, Measure measure) {
    return new Target(
        "polluted JVM, against alone: " + work,
        Bound.AT_MOST,
        1.15,
        "x",
        figures.ratio(plan.polluted().name(), measure, plan.tree().name(), measure));
  }

  /** Returns the map on the Java heap with the fastest lookup. */
  private Optional<String> bestJvmPeer() {
    return Stream.concat(Stream.of(Peers.TREE_MAP), Peers.OTHER_JVM_MAPS.stream())
        .map(PeerType::name)
        .filter(name -> figures.median(name, Measure.GET).isPresent())
        .min(
            (a, b) ->
                Double.compare(
                    figures.median(a, Measure.GET).getAsDouble(),
                    figures.median(b, Measure.GET).getAsDouble()));
  }
}
