// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {

  @Test
  void writesNestedValuesOverSeveralLines() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("list", List.of(1, true));
    map.put("map", Map.of("x", 1.5));
    assertEquals(
        """
        {
          "list": [
            1,
            true
          ],
          "map": {
            "x": 1.5
          }
        }
        """,
        Json.of(map));
  }

  @Test
  void emptyListAndMapAreBracketsOnly() {
    assertEquals("[]\n", Json.of(List.of()));
    assertEquals("{}\n", Json.of(Map.of()));
  }

  @Test
  void everyCharacterSurvives() {
    StringBuilder text = new StringBuilder("\"\\/\u2028\uD83C\uDF33");
    for (char c = 0; c < 0x100; c++) {
      text.append(c);
    }
    JsonObject parsed =
        JsonParser.parseString(Json.of(Map.of(text.toString(), text.toString()))).getAsJsonObject();
    assertEquals(text.toString(), parsed.keySet().iterator().next());
    assertEquals(text.toString(), parsed.get(text.toString()).getAsString());
  }

  @Test
  void numbersAreExact() {
    assertEquals("9223372036854775807\n", Json.of(Long.MAX_VALUE));
    assertEquals("-9223372036854775808\n", Json.of(Long.MIN_VALUE));
    assertEquals(1.0e-300, JsonParser.parseString(Json.of(1.0e-300)).getAsDouble());
    assertEquals(0.1 + 0.2, JsonParser.parseString(Json.of(0.1 + 0.2)).getAsDouble());
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void numbersWithoutJsonFormAreRefused(double number) {
    assertThrows(IllegalArgumentException.class, () -> Json.of(List.of(number)));
  }

  @Test
  void otherTypesAreRefused() {
    var e = assertThrows(IllegalArgumentException.class, () -> Json.of(new Object()));
    assertEquals("no JSON for class java.lang.Object", e.getMessage());
  }
}
