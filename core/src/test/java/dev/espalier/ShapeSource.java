// SPDX-License-Identifier: Apache-2.0
package dev.espalier;

import java.util.List;

/**
 * Where other modules name the trees that the contracts of this one are run over, as a service.
 * They scan this module's test classes; its own runs have no such service.
 */
public interface ShapeSource {
  /** Returns trees that take the place of all {@link TreeShape}s. */
  List<TreeShape> shapes();

  /** Returns those that take the place of trees as users get them. */
  default List<TreeShape> defaults() {
    return shapes();
  }

  /** Returns those that take the place of trees with the smallest nodes. */
  default List<TreeShape> smallest() {
    return shapes();
  }
}
