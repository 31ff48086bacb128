// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A drawing of lines, dots, boxes and words, which can be written as SVG or painted. Lengths are in
 * pixels from the upper left corner, colours are red, green and blue in 24 bits.
 */
public final class Sketch {
  /** Mean width of a letter, by the size of the font: near enough to place a legend. */
  private static final double LETTER_WIDTH = 0.55;

  /** What a text is placed by. */
  public enum Anchor {
    START,
    MIDDLE,
    END
  }

  /** A part of the drawing. */
  sealed interface Shape {}

  record Path(List<double[]> points, int color, double width) implements Shape {}

  record Dot(double x, double y, double radius, int color) implements Shape {}

  record Box(double x, double y, double width, double height, int color) implements Shape {}

  record Words(double x, double y, Anchor anchor, int size, boolean bold, int color, String text)
      implements Shape {}

  private final List<Shape> shapes = new ArrayList<>();
  private final int width;
  private final int height;

  /** Makes a white sheet. */
  public Sketch(int width, int height) {
    this.width = width;
    this.height = height;
    add(new Box(0, 0, width, height, 0xFFFFFF));
  }

  int width() {
    return width;
  }

  int height() {
    return height;
  }

  /** Returns what was drawn, the lowest first. */
  List<Shape> shapes() {
    return shapes;
  }

  private void add(Shape shape) {
    shapes.add(shape);
  }

  /** Draws a straight line, one pixel wide. */
  public void line(double fromX, double fromY, double toX, double toY, int color) {
    add(new Path(List.of(new double[] {fromX, fromY}, new double[] {toX, toY}), color, 1));
  }

  /** Draws a line through points, each of x and y. */
  public void path(List<double[]> points, double thickness, int color) {
    add(new Path(List.copyOf(points), color, thickness));
  }

  /** Draws a filled circle. */
  public void dot(double x, double y, double radius, int color) {
    add(new Dot(x, y, radius, color));
  }

  /** Draws a filled rectangle. */
  public void box(double x, double y, double boxWidth, double boxHeight, int color) {
    add(new Box(x, y, boxWidth, boxHeight, color));
  }

  /** Writes a text in bold letters, from x on. */
  public void heading(double x, double y, int size, int color, String text) {
    add(new Words(x, y, Anchor.START, size, true, color, text));
  }

  /** Writes a text. */
  public void write(double x, double y, Anchor anchor, int size, int color, String text) {
    add(new Words(x, y, anchor, size, false, color, text));
  }

  /** Returns about how wide a text is. */
  public static double widthOf(String text, int size) {
    return text.length() * size * LETTER_WIDTH;
  }

  /** Returns the drawing as SVG. */
  public String svg() {
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" \
        font-family="Helvetica, Arial, sans-serif">
        """
            .formatted(width, height, width, height));
    shapes.forEach(shape -> svg.append(svg(shape)));
    return svg.append("</svg>\n").toString();
  }

  private static String svg(Shape shape) {
    return switch (shape) {
      case Box box ->
          "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"/>%n"
              .formatted(
                  pixels(box.x),
                  pixels(box.y),
                  pixels(box.width),
                  pixels(box.height),
                  css(box.color));
      case Dot dot ->
          "<circle cx=\"%s\" cy=\"%s\" r=\"%s\" fill=\"%s\"/>%n"
              .formatted(pixels(dot.x), pixels(dot.y), pixels(dot.radius), css(dot.color));
      case Path path -> {
        StringBuilder points = new StringBuilder();
        for (double[] point : path.points) {
          points.append(pixels(point[0])).append(',').append(pixels(point[1])).append(' ');
        }
        yield "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"/>%n"
            .formatted(points.toString().strip(), css(path.color), pixels(path.width));
      }
      case Words words ->
          "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" font-size=\"%d\"%s fill=\"%s\">%s</text>%n"
              .formatted(
                  pixels(words.x),
                  pixels(words.y),
                  words.anchor.name().toLowerCase(Locale.ROOT),
                  words.size,
                  words.bold ? " font-weight=\"bold\"" : "",
                  css(words.color),
                  HtmlReport.escaped(words.text));
    };
  }

  private static String pixels(double length) {
    return length == Math.rint(length)
        ? Long.toString((long) length)
        : String.format(Locale.ROOT, "%.1f", length);
  }

  private static String css(int color) {
    return "#%06X".formatted(color);
  }
}
