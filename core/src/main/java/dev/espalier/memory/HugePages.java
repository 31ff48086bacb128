// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/** Whether an index asks the operating system for huge pages, which avoid most TLB misses. */
public enum HugePages {
  /** Never. */
  OFF,
  /** Once the index has outgrown one huge page (2 MiB), so that small indexes stay small. */
  WHEN_GROWN
}
