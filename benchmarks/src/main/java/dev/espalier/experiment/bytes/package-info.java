// SPDX-License-Identifier: Apache-2.0
/** Keys of any length: the prefix B+-tree beside what the JDK has. */
@NullMarked
package dev.espalier.experiment.bytes;

import org.jspecify.annotations.NullMarked;
