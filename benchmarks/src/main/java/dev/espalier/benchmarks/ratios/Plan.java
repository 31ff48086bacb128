// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.ratios;

import dev.espalier.benchmarks.peer.PeerType;
import dev.espalier.benchmarks.peer.Peers;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Which JVMs the chosen work takes, and what each measures. */
final class Plan {
  private final Set<Work> chosen;
  private final Role tree;
  private final Role polluted;
  private final Role fallback;
  private final List<Role> roles = new ArrayList<>();
  private final List<Role> leftOut = new ArrayList<>();

  /**
   * Makes a plan.
   *
   * @param memoryBytes what the JVMs may take together; the least important are left out
   * @throws IllegalArgumentException if that is not even enough for the tree alone
   */
  Plan(PeerType type, Set<Work> chosen, long entries, long memoryBytes) {
    this.chosen = chosen;
    this.tree = Role.usual(type);
    this.polluted = Role.polluted(type);
    this.fallback = Role.fallback(type);
    long left = memoryBytes;
    for (Role role : wanted()) {
      if (role.memoryBytes(entries) <= left) {
        left -= role.memoryBytes(entries);
        roles.add(role);
      } else {
        leftOut.add(role);
      }
    }
    if (!roles.contains(tree)) {
      throw new IllegalArgumentException(
          entries
              + " entries take more than the "
              + (memoryBytes >> 20)
              + " MiB of memory allowed");
    }
  }

  /** Returns the wanted JVMs, the most important first. */
  private List<Role> wanted() {
    List<Role> wanted = new ArrayList<>();
    wanted.add(tree);
    if (isChosen(Work.GET, Work.GET_ALL, Work.PUT, Work.FALLBACK)) {
      wanted.add(Role.usual(Peers.TREE_MAP));
    }
    if (isChosen(Work.FALLBACK)) {
      wanted.add(fallback);
    }
    if (isChosen(Work.POLLUTED)) {
      wanted.add(polluted);
    }
    if (isChosen(Work.GET)) {
      Peers.OTHER_JVM_MAPS.forEach(peer -> wanted.add(Role.usual(peer)));
    }
    return wanted;
  }

  /** Returns the JVMs, in the order in which they measure. */
  List<Role> roles() {
    return roles;
  }

  /** Returns the JVMs that there is no memory for. */
  List<Role> leftOut() {
    return leftOut;
  }

  /** Returns the one that all others are compared with. */
  Role tree() {
    return tree;
  }

  Role polluted() {
    return polluted;
  }

  Role fallback() {
    return fallback;
  }

  boolean isChosen(Work... works) {
    for (Work work : works) {
      if (chosen.contains(work)) {
        return true;
      }
    }
    return false;
  }

  /** Tells whether puts are compared here; the other JVMs put only to have something to look up. */
  boolean comparesPuts(Role role) {
    return (role.equals(tree) && isChosen(Work.PUT, Work.POLLUTED))
        || (role.equals(Role.usual(Peers.TREE_MAP)) && isChosen(Work.PUT))
        || role.equals(polluted);
  }

  /** Returns what a JVM measures in every round. */
  Set<Measure> measures(Role role) {
    if (role.equals(polluted)) {
      return EnumSet.of(Measure.GET, Measure.GET_ALL, Measure.SCAN_AFTER_PUT);
    }
    Set<Measure> measures = EnumSet.noneOf(Measure.class);
    if (isChosen(Work.GET, Work.GET_ALL, Work.POLLUTED, Work.FALLBACK)) {
      measures.add(Measure.GET);
    }
    if (isChosen(Work.GET) && (role.equals(tree) || role.type().equals(Peers.TREE_MAP))) {
      measures.add(Measure.GET_CHAINED);
    }
    if (role.equals(tree)) {
      if (isChosen(Work.GET_ALL, Work.POLLUTED)) {
        measures.add(Measure.GET_ALL);
      }
      if (isChosen(Work.SCAN, Work.POLLUTED)) {
        measures.add(Measure.SCAN_AFTER_PUT);
      }
      if (isChosen(Work.SCAN)) {
        measures.addAll(EnumSet.of(Measure.BANDWIDTH, Measure.SCAN));
      }
    }
    return measures;
  }
}
