// SPDX-License-Identifier: Apache-2.0
package dev.espalier.memory;

/** Whether an index asks the system for huge pages, which save most TLB misses. */
public enum HugePages {
  /** Never. */
  OFF,
  /** Once the index has outgrown one huge page, so that tiny indexes stay tiny. */
  WHEN_GROWN
}
