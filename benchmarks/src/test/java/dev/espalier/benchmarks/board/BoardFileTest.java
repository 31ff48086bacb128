// SPDX-License-Identifier: Apache-2.0
package dev.espalier.benchmarks.board;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.cli.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A board that is written, taken up again, and made into a page and a map. */
final class BoardFileTest {
  private static final Set<String> OURS = Set.of("Espalier");

  static final Cell CELL =
      new Cell(
          new Setting(Setting.Kind.LONGS, Setting.Data.POOL, Setting.Sync.NOTHING, 1000),
          Crew.TWO,
          Work.A,
          Distribution.ZIPF);

  private static final Cell AS_IT_COMES =
      new Cell(
          new Setting(Setting.Kind.LONGS, Setting.Data.AS_IT_COMES, Setting.Sync.NOTHING, 8000),
          Crew.TWO,
          Work.A,
          Distribution.ZIPF);

  @TempDir private Path folder;

  private static Map<String, Object> facts(String commit, String command) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("command", command);
    facts.put("machine", Map.of("commit", commit, "date", "2026-11-27", "effort", "full"));
    facts.put("settings", Map.of("entries", 1000));
    return facts;
  }

  private Path path() {
    return folder.resolve("ycsb.json");
  }

  private BoardFile open(String commit) {
    return new BoardFile(path(), facts(commit, "benchmarks/run ycsb"));
  }

  private void writeSome() {
    BoardFile file = open("abc");
    file.board().add(CELL, "Espalier", new Figure(300.25, 1, 2, 3));
    file.board().add(CELL, "Espalier", new Figure(100.5, 1.5, 2.5, 9.75));
    file.board().add(CELL, "Espalier", new Figure(200.5, 4, 5, 6));
    file.board().add(CELL, "LMDB", new Figure(50.25, 7, 8, 9));
    file.board().add(CELL, "RocksDB", new Figure(40.5, 7, 8, 9));
    file.write();
  }

  @Test
  void whatWasMeasuredIsTakenUp() {
    writeSome();
    Board board = open("abc").board();
    assertEquals(Set.of(CELL), board.cells());
    assertEquals(3, board.rounds(CELL, "Espalier").size());
    assertEquals(List.of(new Figure(50.25, 7, 8, 9)), board.rounds(CELL, "LMDB"));
    assertEquals(List.of(), board.rounds(CELL, "MapDB"));
  }

  @Test
  void boardOfAnotherCommitIsNotGoneOnWith() {
    writeSome();
    CommandFailure failure = assertThrows(CommandFailure.class, () -> open("def"));
    assertTrue(
        failure
            .getMessage()
            .endsWith("whose commit was abc and not def; delete it to measure anew"),
        failure.getMessage());
  }

  @Test
  void fileThatChangesTheCheckoutDoesNotMakeItAnother() {
    writeSome();
    open("abc with local changes").write();
    assertEquals("abc", BoardFile.published(path()).machine().get("commit"));
  }

  @Test
  void everyCommandThatMeasuredIsTold() {
    writeSome();
    new BoardFile(path(), facts("abc", "benchmarks/run ycsb --rounds 5")).write();
    open("abc").write();
    assertEquals(
        "benchmarks/run ycsb; benchmarks/run ycsb --rounds 5",
        BoardFile.published(path()).command());
  }

  @Test
  void ratioIsToTheFastestPeer() {
    writeSome();
    Board board = open("abc").board();
    assertEquals(200.5 / 50.25, board.ratio(CELL, "Espalier", OURS).orElseThrow());
    assertTrue(board.ratio(CELL, "MapDB", OURS).isEmpty());
  }

  @Test
  void pageHasTheMediansBelowMarksAndTheSettingsOfWhatWasMeasured() {
    writeSome();
    StoreType lmdb = new StoreType("LMDB", false, "without sync", _ -> true, _ -> null);
    StoreType other = new StoreType("Other", false, "not there", _ -> true, _ -> null);
    String page =
        new BoardPage(BoardFile.published(path()), "ycsb", List.of(lmdb, other)).text("map.svg");
    assertTrue(page.contains("```\nbenchmarks/run ycsb\n```"), page);
    assertTrue(page.contains("| commit | abc |"), page);
    assertTrue(page.contains("| LMDB | without sync |"), page);
    assertEquals(false, page.contains("not there"));
    String head = "<!-- figures of ycsb -->\n| | A, Zipf |\n|---|---:|\n";
    assertTrue(page.contains(head + "| Espalier | 201 |\n| LMDB | 50.3 |\n"), page);
    assertTrue(page.contains(head + "| Espalier | 1.50, 2.50, 6.00 |\n"), page);
  }

  private void writeSomeAsItComes() {
    writeSome();
    BoardFile file = open("abc");
    file.board().add(AS_IT_COMES, "Espalier", new Figure(250, 1, 2, 3));
    file.board().add(AS_IT_COMES, "MapDB", new Figure(100, 1, 2, 3));
    file.write();
  }

  @Test
  void storesAsTheyComeAreFirstOnThePageWithTheirTargets() {
    writeSomeAsItComes();
    StoreType espalier = new StoreType("Espalier", true, "", _ -> true, _ -> null);
    String page =
        new BoardPage(BoardFile.published(path()), "ycsb", List.of(espalier)).text("map.svg");
    assertTrue(page.contains("\n## Longs, as it comes\n"), page);
    assertTrue(page.indexOf("## Longs, as it comes") < page.indexOf("## Longs, in a file"), page);
    String targets =
        "<!-- figures of ycsb -->\n| | target | Espalier |\n|---|---:|---:|\n"
            + "| A, Zipf | 3.00 | 2.50 |\n";
    assertEquals(1, page.split(Pattern.quote(targets), -1).length - 1, page);
    assertEquals(1, page.split("\\| target \\|", -1).length - 1, page);
  }

  @Test
  void storesAsTheyComeAreFirstOnTheMap() {
    writeSomeAsItComes();
    String map = new HeatMap(open("abc").board(), OURS).svg();
    assertTrue(map.indexOf("longs, as it comes<") < map.indexOf("longs, in a file"), map);
    assertTrue(map.contains("longs, as it comes</text>"), map);
  }

  /** So a page may tell it. */
  @Test
  void fileHasTheRatioToTheFastestPeer() throws IOException {
    writeSomeAsItComes();
    assertTrue(Files.readString(path()).matches("(?s).*\"ratio\": 2.5\\b.*"));
  }

  @Test
  void mapHasARowForEachCrewAndTheRatios() {
    writeSome();
    String map = new HeatMap(open("abc").board(), OURS).svg();
    assertTrue(map.contains("Espalier, 2 threads</text>"), map);
    assertTrue(map.contains("longs, in a file, all in the pool, nothing synced</text>"), map);
    assertTrue(map.contains(">4.0</text>"), map);
    assertEquals(false, map.contains("LMDB"));
  }

  @Test
  void coloursTellAheadFromBehind() {
    assertEquals(0xFFFFFF, HeatMap.color(1));
    assertEquals(HeatMap.color(4), HeatMap.color(40));
    assertEquals(HeatMap.color(0.25), HeatMap.color(0.01));
    assertEquals("0.50", HeatMap.text(0.5));
    assertEquals("2.5", HeatMap.text(2.5));
    assertEquals("25", HeatMap.text(25));
    int ahead = HeatMap.color(2);
    int behind = HeatMap.color(0.5);
    assertTrue((ahead >> 8 & 0xFF) > (ahead >> 16 & 0xFF));
    assertTrue((behind >> 16 & 0xFF) > (behind >> 8 & 0xFF));
  }
}
