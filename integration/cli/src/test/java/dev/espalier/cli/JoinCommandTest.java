// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.espalier.TreeVariant;
import dev.espalier.batch.ProbeMethod;
import dev.espalier.family.Family;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class JoinCommandTest {
  /** Rows of lineitem at scale 0.01, as the TPC-H specification's generator makes them. */
  private static final int LINE_ITEMS = 60_175;

  @Tag("thorough")
  @Test
  void allVariantsAgreeWithTheHashJoin(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("results.json");
    CommandRun run =
        CommandRun.of(
            "join",
            "--variant",
            "all",
            "--method",
            "single,group,auto",
            "--scale",
            "0.01",
            "--passes",
            "1",
            "--warm-up",
            "1000",
            "--json",
            file.toString());
    assertEquals(0, run.status(), run.err());
    assertEquals("", run.err());

    List<String> expected = new ArrayList<>();
    for (String join : List.of("lineitem-orders", "lineitem-part")) {
      for (TreeVariant variant : Family.all()) {
        expected.add(join + " " + variant.name() + " single");
        expected.add(join + " " + variant.name() + " group");
        expected.add(join + " " + variant.name() + " auto");
      }
      expected.add(join + " TreeMap single");
      expected.add(join + " Long2LongOpenHashMap single");
    }
    JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    assertEquals(List.of("command", "machine", "results"), List.copyOf(json.keySet()));
    List<String> found = new ArrayList<>();
    for (JsonElement element : json.getAsJsonArray("results")) {
      found.add(checkResult(element.getAsJsonObject()));
    }
    assertEquals(expected, found);
    for (String line : expected) {
      String cells = line.substring(line.indexOf(' ') + 1).replaceAll(" ", " +");
      assertEquals(2, run.out().lines().filter(l -> l.matches(cells + " .* yes")).count(), line);
    }
    assertFits(run.out());
  }

  @Test
  @Tag("thorough")
  void withoutOptionsTheTreesToChooseFirstAreMeasured() {
    CommandRun run =
        CommandRun.of("join", "--scale", "0.0001", "--passes", "1", "--warm-up", "100");
    assertEquals(0, run.status(), run.err());
    List<String> rows =
        List.of(
            "PbPlusTree single",
            "PbPlusTree auto",
            "CssTree single",
            "CssTree auto",
            "DiskFirstFpbPlusTree single",
            "DiskFirstFpbPlusTree auto",
            "TreeMap single",
            "Long2LongOpenHashMap single");
    List<String> expected = new ArrayList<>(rows);
    expected.addAll(rows);
    assertEquals(
        expected,
        run.out()
            .lines()
            .filter(line -> line.endsWith(" yes"))
            .map(line -> line.replaceAll("^(\\S+) +(\\S+).*", "$1 $2"))
            .toList());
    assertFits(run.out());
  }

  @ParameterizedTest
  @CsvSource({
    "name, PrefixBPlusTree, single group sorted auto",
    "comment, SecondaryIndex, single sorted auto"
  })
  void ordersAreJoinedOnTextsOfTheirCustomers(String key, String index, String methods) {
    CommandRun run =
        CommandRun.of(
            "join",
            "--key",
            key,
            "--method",
            methods.replace(' ', ','),
            "--scale",
            "0.01",
            "--passes",
            "1",
            "--warm-up",
            "100");
    assertEquals("", run.err());
    assertEquals(0, run.status());
    assertTrue(run.out().contains(": 15,000 orders, 1,500 customers."), run.out());
    List<String> expected = new ArrayList<>();
    for (String method : methods.split(" ")) {
      expected.add(index + " " + method);
    }
    expected.add("TreeMap single");
    expected.add("HashMap single");
    assertEquals(
        expected,
        run.out()
            .lines()
            .filter(line -> line.endsWith(" yes"))
            .map(line -> line.replaceAll("^(\\S+) +(\\S+).*", "$1 $2"))
            .toList());
    assertFits(run.out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --key name --method buffered | --method buffered is not for --key name
          --key comment --method group | --method group is not for --key comment
          --key name --variant Cola    | give --key or --variant, not both
          --key name --file x          | give --key or --file, not both
          --key name --scale 11        | --scale is 11; with --key, it must be at most 10
          """)
  void argumentsThatAreNotForTextsAreExplained(String arguments, String message) {
    CommandRun run = CommandRun.of(("join " + arguments).split(" "));
    assertEquals(2, run.status());
    assertEquals("espalier join: %s (see espalier join --help)%n".formatted(message), run.err());
  }

  private static void assertFits(String text) {
    for (String line : text.lines().toList()) {
      assertTrue(line.length() <= 80, line.length() + " columns: " + line);
    }
  }

  /** Checks a result's fields and returns which one it is. */
  private static String checkResult(JsonObject result) {
    assertEquals(
        Set.of(
            "join",
            "index",
            "threads",
            "method",
            "buildSeconds",
            "bytesPerEntry",
            "probesPerSecond",
            "rows",
            "checksum",
            "agrees",
            "timesHashMap"),
        result.keySet());
    assertEquals(Integer.toString(LINE_ITEMS), result.get("rows").getAsString());
    assertTrue(result.get("checksum").getAsString().matches("[0-9a-f]{16}"));
    assertTrue(result.get("agrees").getAsBoolean());
    assertTrue(result.get("buildSeconds").getAsDouble() > 0);
    assertTrue(result.get("bytesPerEntry").getAsDouble() > 2 * Long.BYTES);
    assertTrue(result.get("probesPerSecond").getAsDouble() > 0);
    return "%s %s %s"
        .formatted(
            result.get("join").getAsString(),
            result.get("index").getAsString(),
            result.get("method").getAsString());
  }

  @Test
  @Tag("thorough")
  void oneVariantIsMeasuredBesideTheMaps() {
    CommandRun run =
        CommandRun.of(
            "join",
            "--scale",
            "0.0001",
            "--variant",
            "pbplustree",
            "--batch",
            "7",
            "--method",
            "single,sorted,buffered",
            "--any-order",
            "--warm-up",
            "10000",
            "--passes",
            "2");
    assertEquals(0, run.status(), run.err());
    for (String method : List.of("single", "sorted", "buffered")) {
      assertTrue(run.out().contains("PbPlusTree            " + method), run.out());
    }
    assertTrue(run.out().contains("TreeMap "), run.out());
    assertTrue(run.out().contains("Batches of 7 rows, median of 2."), run.out());
    assertTrue(!run.out().contains(" BPlusTree "), run.out());
  }

  @Test
  @Tag("thorough")
  void joinThroughAFileAgreesAndTellsWhatThePoolDid(@TempDir Path folder) throws IOException {
    Path index = folder.resolve("orders.esp");
    Path json = folder.resolve("results.json");
    CommandRun.of("load", index.toString(), "--tpch", "0.002", "--page-size", "4K");
    CommandRun run =
        CommandRun.of(
            "join",
            "--scale",
            "0.002",
            "--passes",
            "1",
            "--warm-up",
            "1000",
            "--file",
            index.toString(),
            "--pool",
            "36K",
            "--json",
            json.toString());
    assertEquals(0, run.status(), run.err());
    assertTrue(run.out().contains("; the pool has room for 8."), run.out());

    List<String> found = new ArrayList<>();
    for (JsonElement element :
        JsonParser.parseString(Files.readString(json))
            .getAsJsonObject()
            .getAsJsonArray("results")) {
      JsonObject result = element.getAsJsonObject();
      found.add(result.get("index").getAsString() + " " + result.get("method").getAsString());
      assertEquals("lineitem-orders", result.get("join").getAsString());
      assertTrue(result.get("agrees").getAsBoolean());
      JsonObject pool = result.getAsJsonObject("pool");
      assertEquals(found.getLast().startsWith("FpbLink"), pool != null);
      if (pool != null) {
        // The file has 12 pages or more, the pool fewer frames.
        assertTrue(pool.get("misses").getAsDouble() > 0);
        assertTrue(pool.get("hits").getAsDouble() > 0);
        assertTrue(pool.get("waves").getAsDouble() > 0);
        assertTrue(pool.get("meanDepth").getAsDouble() >= 1);
      }
    }
    assertEquals(
        List.of(
            "FpbLinkTree single",
            "FpbLinkTree auto",
            "TreeMap single",
            "Long2LongOpenHashMap single"),
        found);
    assertTrue(run.out().contains("Buffer pool, per pass"), run.out());
    run.out()
        .lines()
        .filter(line -> !line.startsWith(index.toString()) && !line.startsWith("Engine: "))
        .forEach(JoinCommandTest::assertFits);
  }

  @Test
  @Tag("thorough")
  void jsonFileSaysHowItWasMadeWithoutFoldersOfTheMachine(@TempDir Path folder) throws IOException {
    Path index = folder.resolve("orders.esp");
    Path json = folder.resolve("results.json");
    List<String> words =
        List.of("join", "--passes=1", "--warm-up=100", "--scale", "0.001", "--json");
    for (String file : List.of("--file=" + index, "--file " + index)) {
      List<String> command = new ArrayList<>(words);
      command.add(json.toString());
      command.addAll(List.of(file.split(" ")));
      CommandRun run = CommandRun.of(command.toArray(String[]::new));
      assertEquals(0, run.status(), run.err());
      String text = Files.readString(json);
      assertFalse(text.contains(folder.toString()), text);
      JsonObject written = JsonParser.parseString(text).getAsJsonObject();
      assertEquals(
          "./espalier join --passes=1 --warm-up=100 --scale 0.001 --file" + file.charAt(6) + "FILE",
          written.get("command").getAsString());
      JsonObject machine = written.getAsJsonObject("machine");
      assertEquals(
          Set.of("CPU", "JDK", "machine", "SIMD", "caches", "commit", "date", "effort", "prefetch"),
          machine.keySet());
      assertEquals("full", machine.get("effort").getAsString());
    }
  }

  @Test
  @Tag("thorough")
  void jsonFileComparesEachLineWithTheHashMapOfItsJoin(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("results.json");
    CommandRun run =
        CommandRun.of(
            "join", "--scale=0.001", "--passes=1", "--warm-up=100", "--json=" + json, "--batch=9");
    assertEquals(0, run.status(), run.err());
    JsonObject written = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
    assertEquals(
        "./espalier join --scale=0.001 --passes=1 --warm-up=100 --batch=9",
        written.get("command").getAsString());
    Map<String, Double> maps = new HashMap<>();
    List<JsonObject> results =
        written.getAsJsonArray("results").asList().stream()
            .map(JsonElement::getAsJsonObject)
            .toList();
    for (JsonObject result : results) {
      if (result.get("index").getAsString().equals("Long2LongOpenHashMap")) {
        assertEquals(1.0, result.get("timesHashMap").getAsDouble());
        maps.put(result.get("join").getAsString(), result.get("probesPerSecond").getAsDouble());
      }
    }
    assertEquals(Set.of("lineitem-orders", "lineitem-part"), maps.keySet());
    for (JsonObject result : results) {
      assertEquals(
          result.get("probesPerSecond").getAsDouble() / maps.get(result.get("join").getAsString()),
          result.get("timesHashMap").getAsDouble());
    }
  }

  @Test
  @Tag("thorough")
  void joinMakesAFileAndRefusesOneWithOtherEntries(@TempDir Path folder) {
    Path index = folder.resolve("orders.esp");
    String[] command = {
      "join", "--passes=1", "--warm-up=100", "--file", index.toString(), "--scale", "0.0002"
    };
    assertEquals(0, CommandRun.of(command).status());
    command[command.length - 1] = "0.0001";
    CommandRun run = CommandRun.of(command);
    assertEquals(1, run.status());
    assertEquals(
        "espalier join: %s has 300 entries, which are not the 150 rows of orders at this scale%n"
            .formatted(index),
        run.err());
  }

  @Test
  void disagreementIsAFailure() {
    JoinResult right = result(true);
    assertDoesNotThrow(() -> JoinCommand.checkAgreement(List.of(right, right)));
    var e =
        assertThrows(
            CommandFailure.class,
            () -> JoinCommand.checkAgreement(List.of(right, result(false), right)));
    assertEquals("1 of 3 results do not agree with the hash join", e.getMessage());
  }

  @Test
  @Tag("thorough")
  void severalThreadsAgreeAndAreComparedWithOne(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("results.json");
    CommandRun run =
        CommandRun.of(
            "join",
            "--variant",
            "PbPlusTree",
            "--method",
            "single,auto",
            "--threads",
            "3",
            "--batch",
            "1000",
            "--scale",
            "0.01",
            "--passes",
            "1",
            "--warm-up",
            "1000",
            "--json",
            file.toString());
    assertEquals(0, run.status(), run.err());
    List<String> found = new ArrayList<>();
    JsonObject json = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    for (JsonElement element : json.getAsJsonArray("results")) {
      JsonObject result = element.getAsJsonObject();
      assertTrue(result.get("agrees").getAsBoolean(), result.toString());
      if (result.get("join").getAsString().equals("lineitem-orders")) {
        assertEquals(LINE_ITEMS, result.get("rows").getAsInt());
        found.add(result.get("index").getAsString() + " " + result.get("threads").getAsInt());
      }
    }
    assertEquals(
        List.of(
            "PbPlusTree 1",
            "PbPlusTree 1",
            "PbPlusTree 3",
            "PbPlusTree 3",
            "TreeMap 1",
            "Long2LongOpenHashMap 1"),
        found);
    assertEquals(
        4,
        run.out()
            .lines()
            .filter(line -> line.matches("lineitem-\\w+ +PbPlusTree +(single|auto) +3 +[0-9.]+"))
            .count(),
        run.out());
    assertFits(run.out());
  }

  @Test
  void resultsThatWouldOverwriteTheFileOfTheJoinAreRefused(@TempDir Path folder)
      throws IOException {
    Path file = folder.resolve("orders.esp");
    for (String before : List.of("", "not the command's")) { // Once it is not there.
      if (!before.isEmpty()) {
        Files.writeString(file, before);
      }
      CommandRun run =
          CommandRun.of("join", "--scale=0.0001", "--passes=1", "--file=" + file, "--json=" + file);
      assertEquals(2, run.status(), run.err());
      assertTrue(run.err().contains("--json is " + file + ", a file that"), run.err());
      assertEquals(before, Files.exists(file) ? Files.readString(file) : "");
    }
  }

  @Test
  void wrongNumbersOfThreadsAreNamed() {
    CommandRun none = CommandRun.of("join", "--threads", "0");
    assertEquals(2, none.status());
    assertTrue(none.err().contains("--threads is 0"), none.err());
    CommandRun text = CommandRun.of("join", "--threads", "2", "--key", "name");
    assertEquals(2, text.status());
    assertTrue(text.err().contains("--threads is 2; with --key, one thread"), text.err());
  }

  private static JoinResult result(boolean agrees) {
    return new JoinResult(
        "a-b",
        "Tree",
        1,
        ProbeMethod.SINGLE,
        1.0,
        16.0,
        1.0,
        new JoinDigest(1, 2),
        agrees,
        Optional.empty());
  }
}
