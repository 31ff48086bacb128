// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.espalier.ffi;

import org.jspecify.annotations.NullMarked;
