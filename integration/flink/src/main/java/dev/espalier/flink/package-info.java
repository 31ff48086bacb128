// SPDX-License-Identifier: Apache-2.0

/**
 * Index files as tables of Flink: the connector {@code 'connector' = 'espalier'}, whose options are
 * in {@link dev.espalier.flink.EspalierOptions}.
 */
@NullMarked
package dev.espalier.flink;

import org.jspecify.annotations.NullMarked;
