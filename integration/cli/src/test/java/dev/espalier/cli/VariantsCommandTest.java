// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.TreeVariant;
import dev.espalier.TreeVariant.Capability;
import dev.espalier.family.Family;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class VariantsCommandTest {

  @Test
  void jsonListsTheCatalogue(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("variants.json");
    CommandRun run = CommandRun.of("variants", "--json", file.toString());
    assertEquals(0, run.status());
    assertEquals("", run.err());

    JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertEquals(Set.of("variants"), json.keySet());
    JsonArray variants = json.getAsJsonArray("variants");
    assertEquals(Family.all().size(), variants.size());
    for (int i = 0; i < variants.size(); i++) {
      TreeVariant expected = Family.all().get(i);
      JsonObject variant = variants.get(i).getAsJsonObject();
      assertEquals(Set.of("name", "paper", "medium", "capabilities"), variant.keySet());
      assertEquals(expected.name(), variant.get("name").getAsString());
      assertEquals(expected.paper(), variant.get("paper").getAsString());
      assertEquals(
          expected.medium().name().toLowerCase(Locale.ROOT), variant.get("medium").getAsString());
      assertEquals(expected.capabilities().size(), variant.getAsJsonArray("capabilities").size());
    }
  }

  @Test
  void tableHasALinePerVariant() {
    CommandRun run = CommandRun.of("variants");
    assertEquals(2 + Family.all().size(), run.out().lines().count());
    for (TreeVariant variant : Family.all()) {
      assertTrue(
          run.out().lines().anyMatch(line -> line.startsWith(variant.name() + " ")), run.out());
    }
  }

  @ParameterizedTest
  @EnumSource
  void helpExplainsEveryCapability(Capability capability) {
    String name = capability.name().toLowerCase(Locale.ROOT).replace('_', '-');
    assertTrue(CommandRun.of("variants", "--help").out().contains("  " + name + " "), name);
  }
}
