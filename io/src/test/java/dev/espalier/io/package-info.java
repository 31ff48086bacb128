// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.io;

import org.jspecify.annotations.NullMarked;
