// SPDX-License-Identifier: Apache-2.0
/**
 * State stores for Kafka Streams, outside the Java heap and in files that survive crashes; {@link
 * dev.espalier.kafka.EspalierStores} makes them.
 */
@NullMarked
package dev.espalier.kafka;

import org.jspecify.annotations.NullMarked;
