// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.flink;

import org.jspecify.annotations.NullMarked;
