// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.espalier.experiment.Chart.Kind;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.xml.sax.SAXException;

/** CSV, charts and the report. */
final class WritersTest {

  @Test
  void csvQuotesWhatHasCommasOrQuotes() {
    assertEquals(
        """
        tree,width,nanos
        PbPlusTree,1,10.5
        "a ""quoted"", <tree>",1,20.25
        PbPlusTree,8,100.0
        """,
        Csv.of(Results.lines().outcome().table()));
  }

  @ParameterizedTest
  @EnumSource
  void svgIsWellFormedAndHasEverySeriesColor(Kind kind) throws Exception {
    String x = kind == Kind.LINES ? "width" : "tree";
    Result result = Results.of(new Chart(kind, "tree", x, "nanos"));
    byte[] svg = new Drawing(result).svg();
    assertEquals("svg", parsed(svg).getDocumentElement().getTagName());
    String text = new String(svg, StandardCharsets.UTF_8);
    for (int color : Palette.colors(List.of("PbPlusTree", "other"))) {
      String css = "\"#%06X\"".formatted(color);
      assertTrue(text.contains(css), css);
    }
  }

  @Test
  void pngIsAnImageWithoutAScreen() throws IOException {
    BufferedImage image =
        ImageIO.read(new ByteArrayInputStream(new Drawing(Results.lines()).png()));
    assertEquals(960, image.getWidth());
    assertTrue(image.getHeight() > 400 && image.getHeight() < 700, "height " + image.getHeight());
    Set<Integer> colors = new HashSet<>();
    for (int x = 0; x < image.getWidth(); x++) {
      for (int y = 0; y < image.getHeight(); y++) {
        colors.add(image.getRGB(x, y));
      }
    }
    assertTrue(
        colors.contains(0xFF000000 | Palette.colors(List.of("PbPlusTree")).getFirst()),
        "the series");
    assertEquals("true", System.getProperty("java.awt.headless"));
  }

  @Test
  void chartOfAMissingColumnIsRefused() {
    Result result = Results.of(new Chart(Kind.LINES, "tree", "age", "nanos"));
    assertThrows(IllegalArgumentException.class, () -> new Drawing(result).svg());
  }

  @Test
  void treesKeepTheirColorBesideAnyOther() {
    int tree = Palette.colors(List.of("PbPlusTree")).getFirst();
    List<Integer> colors = Palette.colors(List.of("one", "two", "PbPlusTree", "three"));
    assertEquals(tree, colors.get(2));
    assertEquals(4, Set.copyOf(colors).size());
  }

  @Test
  void moreSeriesThanColoursAreRefused() {
    List<String> many = IntStream.range(0, Palette.size() + 1).mapToObj(i -> "s" + i).toList();
    assertThrows(IllegalArgumentException.class, () -> Palette.colors(many));
  }

  @Test
  void reportCountsPassesAndMissesInItsContents() {
    String html = HtmlReport.of(List.of(Results.lines()));
    assertTrue(
        html.contains("<td class=\"number\">1</td><td class=\"missed\">1 timing</td>"), html);
    assertTrue(html.contains("1 checks passed, 1 timing checks missed, 0 deterministic"), html);
    assertTrue(html.contains("<tr><th>CPU</th><td>a processor</td></tr>"), html);
  }

  @Test
  void reportNeedsNoOtherFileAndEscapesTexts() throws Exception {
    String html = HtmlReport.of(List.of(Results.lines()));
    assertTrue(html.contains("<h2>paper-fig1: Title &amp; more</h2>"), html);
    assertTrue(html.contains("<p>It shows.</p>"), html);
    assertTrue(html.contains("<p>We run.</p>"), html);
    assertTrue(html.contains("&quot;any&quot; &lt;order&gt;"), html);
    assertTrue(html.contains("<td>gain</td><td>timing</td>"), html);
    assertTrue(html.contains("at least 1.1</td><td class=\"missed\">NO</td>"), html);
    List<String> sources =
        Pattern.compile("(?:src|href)=\"([^\"]*)\"")
            .matcher(html)
            .results()
            .map((MatchResult match) -> match.group(1))
            .toList();
    assertEquals(2, sources.size());
    assertEquals("#paper-fig1", sources.get(0));
    String prefix = "data:image/svg+xml;base64,";
    assertTrue(sources.get(1).startsWith(prefix));
    byte[] svg = Base64.getDecoder().decode(sources.get(1).substring(prefix.length()));
    assertEquals("svg", parsed(svg).getDocumentElement().getTagName());
  }

  private static Document parsed(byte[] xml)
      throws ParserConfigurationException, SAXException, IOException {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    // The document names a DTD on the web, which a test does not fetch.
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    DocumentBuilder builder = factory.newDocumentBuilder();
    return builder.parse(new ByteArrayInputStream(xml));
  }
}
