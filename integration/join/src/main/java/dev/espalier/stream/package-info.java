// SPDX-License-Identifier: Apache-2.0

/**
 * Lookups, called probes, that come one by one from several threads or a publisher, and are
 * answered within a given time: the streaming form of {@link dev.espalier.batch.BufferedAccess}.
 *
 * <p>Start at {@link dev.espalier.stream.ProbeStream}. Source: the buffering paper, 4.5 and 6.7.
 */
@NullMarked
package dev.espalier.stream;

import org.jspecify.annotations.NullMarked;
