// SPDX-License-Identifier: Apache-2.0

/**
 * Probes of an index as they come, from several threads or from a publisher, answered within a
 * stated time: the streaming side of {@link dev.espalier.batch.BufferedAccess}.
 *
 * <p>Begin with {@link dev.espalier.stream.ProbeStream}. Source: the buffering paper, 4.5 and 6.7.
 */
@NullMarked
package dev.espalier.stream;

import org.jspecify.annotations.NullMarked;
