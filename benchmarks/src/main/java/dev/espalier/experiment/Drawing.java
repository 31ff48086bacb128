// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import dev.espalier.experiment.Chart.Scale;
import java.awt.Color;
import java.awt.Font;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.Styler.LegendPosition;

/** The chart of a result, drawn. Works without a screen. */
public final class Drawing {
  private static final int WIDTH = 960;
  private static final int HEIGHT = 560;
  private static final Color GRID = new Color(0xDDDDDD);

  private static final String HEADLESS = "java.awt.headless";

  static {
    // Before the first class of AWT: where there is a screen, AWT would else connect to it.
    if (System.getProperty(HEADLESS) == null) {
      System.setProperty(HEADLESS, "true");
    }
  }

  private final Description description;
  private final Chart chart;
  private final Table table;
  private final Map<String, Table> series;

  /** Makes the drawing of a result. */
  public Drawing(Result result) {
    this.description = result.description();
    this.chart = description.chart();
    this.table = result.outcome().table();
    this.series = table.by(chart.series());
  }

  /** Returns the chart as SVG; letters are shapes, so that it looks the same everywhere. */
  public byte[] svg() {
    return encoded(
        (drawn, out) ->
            VectorGraphicsEncoder.saveVectorGraphic(drawn, out, VectorGraphicsFormat.SVG));
  }

  /** Returns the chart as PNG. */
  public byte[] png() {
    return encoded((drawn, out) -> BitmapEncoder.saveBitmap(drawn, out, BitmapFormat.PNG));
  }

  /** One of XChart's encoders. */
  private interface Encoder {
    void encode(org.knowm.xchart.internal.chartpart.Chart<?, ?> drawn, ByteArrayOutputStream out)
        throws IOException;
  }

  private byte[] encoded(Encoder encoder) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      encoder.encode(chart.kind() == Chart.Kind.LINES ? lines() : bars(), out);
    } catch (IOException e) {
      throw new UncheckedIOException("can't draw " + description.name(), e);
    }
    return out.toByteArray();
  }

  private XYChart lines() {
    XYChart drawn =
        new XYChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title())
            .xAxisTitle(caption(chart.x()))
            .yAxisTitle(caption(chart.y()))
            .build();
    style(drawn.getStyler());
    drawn.getStyler().setXAxisLogarithmic(chart.x().scale() == Scale.LOGARITHMIC);
    drawn.getStyler().setMarkerSize(7);
    series.forEach(
        (name, rows) ->
            drawn.addSeries(
                name, rows.numbers(chart.x().column()), rows.numbers(chart.y().column())));
    return drawn;
  }

  private CategoryChart bars() {
    CategoryChart drawn =
        new CategoryChartBuilder()
            .width(WIDTH)
            .height(HEIGHT)
            .title(title())
            .xAxisTitle(caption(chart.x()))
            .yAxisTitle(caption(chart.y()))
            .build();
    style(drawn.getStyler());
    drawn.getStyler().setStacked(chart.kind() == Chart.Kind.STACKED_BARS);
    drawn.getStyler().setAvailableSpaceFill(0.7);
    // Texts are long; upright ones would run into one another.
    drawn.getStyler().setXAxisLabelRotation(30);
    List<String> categories = List.copyOf(new LinkedHashSet<>(table.texts(chart.x().column())));
    series.forEach((name, rows) -> drawn.addSeries(name, categories, heights(categories, rows)));
    return drawn;
  }

  /** Returns a bar's height for each category; null where a series has none. */
  private List<@Nullable Double> heights(List<String> categories, Table rows) {
    List<String> texts = rows.texts(chart.x().column());
    double[] numbers = rows.numbers(chart.y().column());
    List<@Nullable Double> heights = new ArrayList<>();
    for (String category : categories) {
      int row = texts.indexOf(category);
      heights.add(row < 0 ? null : numbers[row]);
    }
    return heights;
  }

  private void style(AxesChartStyler styler) {
    styler.setSeriesColors(Palette.colors(List.copyOf(series.keySet())).toArray(Color[]::new));
    styler.setYAxisLogarithmic(chart.y().scale() == Scale.LOGARITHMIC);
    if (chart.y().scale() == Scale.LINEAR) {
      styler.setYAxisMin(0.0);
    }
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setPlotGridLinesColor(GRID);
    styler.setPlotBorderVisible(false);
    styler.setLegendPosition(LegendPosition.OutsideE);
    styler.setLegendBorderColor(Color.WHITE);
    styler.setChartTitleFont(new Font(Font.SANS_SERIF, Font.BOLD, 16));
    styler.setAxisTitleFont(new Font(Font.SANS_SERIF, Font.PLAIN, 14));
    styler.setAxisTickLabelsFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13));
    styler.setLegendFont(new Font(Font.SANS_SERIF, Font.PLAIN, 13));
  }

  private String title() {
    return description.title() + " (as " + description.source() + ")";
  }

  private String caption(Chart.Axis axis) {
    return table.column(axis.column()).caption();
  }
}
