// SPDX-License-Identifier: Apache-2.0
package dev.espalier.bytes;

import java.util.List;

/** Names the indexes for which the laws are checked, in place of those in memory. */
public interface BytesShapeSource {
  /** Returns the shapes. */
  List<BytesShape> shapes();
}
