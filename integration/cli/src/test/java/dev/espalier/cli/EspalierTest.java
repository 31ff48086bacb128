// SPDX-License-Identifier: Apache-2.0
package dev.espalier.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Help, version, and arguments that are wrong. */
final class EspalierTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                            | espalier: a command is needed: join, load, get, scan, dump, inspect, verify, recover, salvage, backup, crash-test, soak, variants,
          grow                          | espalier: unknown command 'grow' (see
          lod f in.csv                  | espalier: unknown command 'lod'; did you mean load? (see
          DUMP f                        | espalier: unknown command 'DUMP'; did you mean dump? (see
          crash-test . --rounds 0       | espalier crash-test: --rounds is 0; it must be positive (see
          crash-test . --variant TTree  | espalier crash-test: --variant: TTree lives in memory; a file needs a tree whose medium is pages (see
          soak . --minutes 0            | espalier soak: --minutes is 0; it must be positive (see
          soak . --entries 0            | espalier soak: --entries is 0; it must be positive (see
          soak . --report-every -1      | espalier soak: --report-every is -1; it must be 0 or positive (see
          soak . --lying-pages Oak      | espalier soak: --lying-pages: no shape in small pages is named 'Oak'; there are [
          soak . --shape Oak            | espalier soak: --shape: no shape is named 'Oak'; there are [BPlusTree,
          join --scale 0                | espalier join: --scale is 0; it must be from 0.0001 to 300
          join --scale -1               | espalier join: --scale is -1; it must be from 0.0001 to 300
          join --scale NaN              | espalier join: --scale is NaN; it must be from 0.0001 to 300
          join --scale 1e9              | espalier join: --scale is 1000000000; it must be from 0.0001 to 300
          join --scale big              | espalier join: Invalid value for option '--scale': 'big' is not a double
          join --batch 0                | espalier join: --batch is 0; it must be from 1 to 16777216
          join --batch 16777217         | espalier join: --batch is 16777217; it must be from 1 to 16777216
          join --passes 0               | espalier join: --passes is 0; it must be positive
          join --variant Oak            | espalier join: --variant: no tree is called 'Oak'; 'espalier variants' lists the trees (see
          join --variant PbPlusTre      | espalier join: --variant: no tree is called 'PbPlusTre'; did you mean PbPlusTree? (see
          join --variant DiskFirst      | espalier join: --variant: no tree is called 'DiskFirst'; did you mean DiskFirstFpbPlusTree? (see
          join --bulk                   | espalier join: unknown option '--bulk' (see
          join --pases=2                | espalier join: unknown option '--pases'; did you mean --passes? (see
          join --pool 4M                | espalier join: --pool needs --file: it is the memory for that file's pages
          join --file f --variant all   | espalier join: give --file or --variant all, not both: a file holds one tree
          join --file f --variant TTree | espalier join: --variant: TTree lives in memory; a file needs a tree whose medium is pages
          join --file f --pool 4T       | espalier join: Invalid value for option '--pool': '4T' is no number of bytes, such as
          load                          | espalier load: Missing required parameter: 'FILE'
          load f                        | espalier load: INPUT or --tpch is needed
          load f in.csv --tpch 1        | espalier load: give INPUT or --tpch, not both
          load f --tpch 0               | espalier load: --tpch is 0; it must be from 0.0001 to 300
          load f - --fill 0.4           | espalier load: --fill is 0.4; it must be from 0.5 to 1
          load f - --fill 1 --append    | espalier load: give --fill or --append, not both: only a new file can be filled
          load f - --variant Oak        | espalier load: --variant: no tree is called 'Oak'; 'espalier variants'
          load f - --variant TTree      | espalier load: --variant: TTree lives in memory; a file needs a tree whose medium is pages
          load f - --updates 2          | espalier load: --updates is 2.0; it must be from 0 to 1
          load f - --updates 1 --append | espalier load: give --updates or --append, not both: only a new tree is tuned
          load f - --updates 1 --variant Cola | espalier load: --updates is for a PioBTree, not for --variant Cola
          load f - --updates 1 --pool 64K | espalier load: --pool is 65536; with --updates it must be at least 131072
          load f - --page-size 5000     | espalier load: --page-size: pageBytes is 5000
          load f - --page-size 0K       | espalier load: Invalid value for option '--page-size': '0K' is no number of bytes
          load f - --pool big           | espalier load: Invalid value for option '--pool': 'big' is no number of bytes
          get f                         | espalier get: Missing required parameter: 'KEY'
          scan f 1 2 3                  | espalier scan: unexpected argument '3' (see
          scan f 1 2 --limit=-1         | espalier scan: --limit is -1; it must not be negative
          variants extra                | espalier variants: unexpected argument 'extra' (see
          doctor --json                 | espalier doctor: unknown option '--json' (see
          doctor --sve                  | espalier doctor: unknown option '--sve'; did you mean --save? (see
          tune                          | espalier tune: Missing required parameter: 'FOLDER'
          tune f --entries 0            | espalier tune: --entries is 0; it must be positive
          tune f --updates 1.5          | espalier tune: --updates is 1.5; it must be from 0 to 1
          tune f --memory 1K            | espalier tune: --memory is 1024; it must be at least 131072
          """)
  void wrongArgumentIsExplainedInOneLine(String arguments, String explanation) {
    CommandRun run = CommandRun.of(arguments.isEmpty() ? new String[0] : arguments.split(" "));
    assertEquals(2, run.status());
    assertTrue(run.err().startsWith(explanation), run.err());
    assertTrue(run.err().endsWith("--help)" + System.lineSeparator()), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertEquals("", run.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"variants", "join"})
  void unwritableJsonFileIsExplainedBeforeAnyWork(String command, @TempDir Path folder) {
    Path missing = folder.resolve("missing");
    CommandRun run = CommandRun.of(command, "--json", missing.resolve("out.json").toString());
    assertEquals(
        new CommandRun(
            1,
            "",
            "espalier %s: can't write %s: no such folder: %s%n"
                .formatted(command, missing.resolve("out.json"), missing)),
        run);
    CommandRun intoFolder = CommandRun.of(command, "--json", folder.toString());
    assertEquals(1, intoFolder.status());
    assertEquals(
        "espalier %s: can't write %s: is a folder%n".formatted(command, folder), intoFolder.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--help",
        "join --help",
        "load --help",
        "get --help",
        "scan --help",
        "dump --help",
        "inspect --help",
        "verify --help",
        "recover --help",
        "salvage --help",
        "backup --help",
        "crash-test --help",
        "soak --help",
        "variants --help",
        "doctor --help",
        "tune --help"
      })
  void helpGoesToStandardOutput(String arguments) {
    CommandRun run = CommandRun.of(arguments.split(" "));
    assertEquals(0, run.status());
    assertTrue(run.out().startsWith("Usage: espalier "), run.out());
    assertEquals("", run.err());
  }

  @Test
  void versionIsThatOfTheBuild() {
    CommandRun run = CommandRun.of("--version");
    assertEquals(0, run.status());
    assertTrue(run.out().matches("espalier \\d+\\.\\d+\\.\\d+.*\\R"), run.out());
    assertFalse(run.out().contains("$"), run.out());
  }
}
