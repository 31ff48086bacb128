// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of bytes: digits, and K, M or G for units of 1024, 1024² or 1024³ bytes. */
final class ByteCount implements ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("(\\d{1,18})([KMG]?)");
  private static final String UNITS = "KMG";

  /** Each unit is 2 to the power of this times the one before. */
  private static final int UNIT_SHIFT = 10;

  @Override
  public Long convert(String text) {
    Matcher matcher = FORM.matcher(text.toUpperCase(Locale.ROOT));
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      String unit = matcher.group(2);
      int shift = unit.isEmpty() ? 0 : UNIT_SHIFT * (1 + UNITS.indexOf(unit));
      if (number > 0 && number <= Long.MAX_VALUE >> shift) {
        return number << shift;
      }
    }
    throw new TypeConversionException(
        "'" + text + "' is no number of bytes, such as 4096, 16K, 64M or 2G");
  }
}
