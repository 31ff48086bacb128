// SPDX-License-Identifier: Apache-2.0
package dev.espalier.concurrent;

/** What a thread needs to know of the probes of a group. */
final class GroupRoom {
  /** The node that each probe has read last. */
  final long[] nodes = new long[ProbeGroups.SIZE];

  /** Its word. */
  final long[] words = new long[ProbeGroups.SIZE];

  /** What the probe has read in it: the word of a child, or a value. */
  final long[] read = new long[ProbeGroups.SIZE];

  /** Which of the probes that are answered have found an entry, as a bit set. */
  long there;
}
