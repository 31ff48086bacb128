// SPDX-License-Identifier: Apache-2.0

@NullMarked
package dev.espalier.benchmarks.stores;

import org.jspecify.annotations.NullMarked;
