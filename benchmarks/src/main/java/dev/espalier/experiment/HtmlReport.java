// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** All results in one page that needs no other file. */
public final class HtmlReport {
  private static final String STYLE =
      """
      body { font-family: sans-serif; max-width: 62em; margin: 2em auto; padding: 0 1em; color: #222; }
      table { border-collapse: collapse; margin: 1em 0; }
      th, td { text-align: left; padding: 0.2em 0.8em; border-bottom: 1px solid #ddd; }
      td.number { text-align: right; font-variant-numeric: tabular-nums; }
      td.missed { color: #b00; font-weight: bold; }
      section { margin-top: 3em; border-top: 2px solid #444; }
      .sides { display: flex; gap: 2em; }
      .sides > div { flex: 1; }
      img { max-width: 100%; }
      """;

  private final StringBuilder page = new StringBuilder();

  private HtmlReport() {}

  /** Returns the page: for each result, the paper's figure in words beside the one made here. */
  public static String of(List<Result> results) {
    HtmlReport report = new HtmlReport();
    report.write(results);
    return report.page.toString();
  }

  private void write(List<Result> results) {
    page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.append("<title>Espalier: experiments</title>\n");
    page.append("<style>\n").append(STYLE).append("</style>\n</head>\n<body>\n");
    element("h1", "Espalier: tables and figures of the papers, run again");
    if (!results.isEmpty()) {
      pairs(results.getFirst().circumstances().machine());
    }
    element("p", Totals.of(results).toString());
    contents(results);
    results.forEach(this::section);
    page.append("</body>\n</html>\n");
  }

  private void contents(List<Result> results) {
    page.append("<table>\n<tr><th>experiment</th><th></th><th>passed</th><th>missed</th></tr>\n");
    for (Result result : results) {
      Description description = result.description();
      Totals totals = Totals.of(List.of(result));
      page.append(
          """
          <tr><td><a href="#%s">%s</a></td><td>%s</td><td class="number">%d</td><td%s>%s</td></tr>
          """
              .formatted(
                  escaped(description.name()),
                  escaped(description.name()),
                  escaped(description.title()),
                  totals.passed(),
                  totals.missed() == 0 ? "" : " class=\"missed\"",
                  totals.misses()));
    }
    page.append("</table>\n");
  }

  private void section(Result result) {
    Description description = result.description();
    page.append("<section id=\"%s\">\n".formatted(escaped(description.name())));
    element("h2", description.name() + ": " + description.title());
    page.append("<div class=\"sides\">\n<div>\n");
    element("h3", "The paper, " + description.source());
    element("p", description.paper());
    page.append("</div>\n<div>\n");
    element("h3", "Here");
    element("p", description.here());
    page.append("</div>\n</div>\n");
    page.append(
        "<img alt=\"%s\" src=\"data:image/svg+xml;base64,%s\">\n"
            .formatted(
                escaped(description.title()),
                Base64.getEncoder().encodeToString(new Drawing(result).svg())));
    checks(result.outcome().checks());
    pairs(result.outcome().parameters());
    rows(result.outcome().table());
    page.append("</section>\n");
  }

  private void checks(List<Check> checks) {
    page.append("<table>\n<tr><th>check</th><th>kind</th><th>value</th><th>target</th>");
    page.append("<th>pass</th></tr>\n");
    for (Check check : checks) {
      page.append(
          "<tr><td>%s</td><td>%s</td><td class=\"number\">%s</td><td>%s</td><td%s>%s</td></tr>\n"
              .formatted(
                  escaped(check.name()),
                  check.kind().name().toLowerCase(Locale.ROOT),
                  rounded(check.value()),
                  check.target(),
                  check.passes() ? "" : " class=\"missed\"",
                  check.passes() ? "yes" : "NO"));
    }
    page.append("</table>\n");
  }

  private void pairs(Map<String, ?> pairs) {
    page.append("<table>\n");
    pairs.forEach(
        (name, value) ->
            page.append(
                "<tr><th>%s</th><td>%s</td></tr>\n"
                    .formatted(escaped(name), escaped(value.toString()))));
    page.append("</table>\n");
  }

  private void rows(Table table) {
    page.append(
        "<details><summary>%d rows</summary>\n<table>\n<tr>".formatted(table.rows().size()));
    for (Column column : table.columns()) {
      element("th", column.caption());
    }
    page.append("</tr>\n");
    for (List<Object> row : table.rows()) {
      page.append("<tr>");
      for (Object cell : row) {
        page.append(
            cell instanceof Double number
                ? "<td class=\"number\">" + rounded(number) + "</td>"
                : "<td>" + escaped(cell.toString()) + "</td>");
      }
      page.append("</tr>\n");
    }
    page.append("</table>\n</details>\n");
  }

  private void element(String name, String text) {
    page.append("<%s>%s</%s>\n".formatted(name, escaped(text), name));
  }

  private static String rounded(double number) {
    return String.format(Locale.ROOT, "%.3f", number);
  }

  /** Returns a text as it is written between the tags of HTML and SVG. */
  static String escaped(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
