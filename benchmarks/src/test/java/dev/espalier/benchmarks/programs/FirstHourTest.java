// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.programs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The first hour in a repository of scripts, which keep how they were called. */
final class FirstHourTest {
  private static final String CONSUMER = "integration/consumer/run";

  @TempDir private Path folder;

  private Path root;
  private Path calls;

  @BeforeEach
  void makeRepository() throws IOException {
    root = folder.resolve("repository");
    calls = folder.resolve("calls");
    String call = "echo \"$0 $*\" >> " + calls + "\n";
    Script.write(
        git(), "echo \"git $1 $2 $3\" >> " + calls + "\npwd > \"$0.pwd\"\ncp -R \"$3\" \"$4\"\n");
    Script.write(root.resolve("espalier"), call);
    Script.write(
        root.resolve(CONSUMER),
        call + "echo 'espalier-join comes with 1366755 bytes in 5 jars, and runs'\n");
  }

  private Path git() {
    return folder.resolve("git");
  }

  private Path json() {
    return folder.resolve("first-hour.json");
  }

  private int run() {
    return Program.execute(new FirstHour(git().toString(), root), "--json=" + json());
  }

  @Test
  void everythingRunsInACloneThatIsDeleted() throws IOException {
    assertEquals(0, run());
    List<String> expected = new ArrayList<>();
    expected.add("git clone --quiet " + root);
    expected.addAll(List.of("./espalier join", "./espalier join"));
    expected.addAll(Collections.nCopies(21, "./espalier --help"));
    expected.add(CONSUMER + " ");
    assertEquals(expected, Files.readAllLines(calls));
    Path clones = Path.of(Files.readString(folder.resolve("git.pwd")).strip());
    assertTrue(clones.getFileName().toString().startsWith("espalier-first-hour"));
    assertFalse(Files.exists(clones));
    assertTrue(Files.exists(root.resolve(CONSUMER)));
  }

  @Test
  void figuresAreNumbers() throws IOException {
    assertEquals(0, run());
    JsonObject written = JsonParser.parseString(Files.readString(json())).getAsJsonObject();
    assertEquals("benchmarks/run first-hour", written.get("command").getAsString());
    JsonArray rows =
        written.getAsJsonArray("tables").get(0).getAsJsonObject().getAsJsonArray("rows");
    assertEquals(4, rows.size());
    for (int row = 0; row < 3; row++) {
      assertTrue(rows.get(row).getAsJsonArray().get(2).getAsJsonPrimitive().isNumber());
    }
    assertEquals(1_366_755, rows.get(3).getAsJsonArray().get(2).getAsInt());
  }

  @Test
  void programThatFailsEndsIt() throws IOException {
    Script.write(root.resolve("espalier"), "echo 'no JDK' >&2\nexit 1\n");
    assertEquals(1, run());
    assertFalse(Files.exists(json()));
    Path clones = Path.of(Files.readString(folder.resolve("git.pwd")).strip());
    assertFalse(Files.exists(clones));
  }

  @Test
  void consumerThatTellsNoSizeIsAFailure() throws IOException {
    Script.write(root.resolve(CONSUMER), "echo done\n");
    assertEquals(1, run());
    assertFalse(Files.exists(json()));
  }

  /** The words that are looked for. */
  @Test
  void scriptOfTheConsumerTellsTheSize() throws IOException {
    assertTrue(Files.readString(Path.of("..", CONSUMER)).contains("comes with $bytes bytes"));
  }
}
