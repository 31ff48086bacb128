// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.kafka;

import org.jspecify.annotations.NullMarked;
