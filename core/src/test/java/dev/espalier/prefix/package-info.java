// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.prefix;

import org.jspecify.annotations.NullMarked;
