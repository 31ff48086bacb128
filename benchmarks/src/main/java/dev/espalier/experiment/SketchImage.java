// SPDX-License-Identifier: Apache-2.0
package dev.espalier.experiment;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import javax.imageio.ImageIO;

/** Paints a {@link Sketch}. Works without a screen, but not without fonts. */
final class SketchImage {
  private static final String HEADLESS = "java.awt.headless";

  static {
    // Before the first class of AWT: where there is a screen, AWT would else connect to it.
    if (System.getProperty(HEADLESS) == null) {
      System.setProperty(HEADLESS, "true");
    }
  }

  private SketchImage() {}

  /** Returns the drawing as PNG. */
  static byte[] png(Sketch sketch) {
    BufferedImage image =
        new BufferedImage(sketch.width(), sketch.height(), BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
    sketch.shapes().forEach(shape -> paint(graphics, shape));
    graphics.dispose();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      ImageIO.write(image, "png", out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  private static void paint(Graphics2D graphics, Sketch.Shape shape) {
    switch (shape) {
      case Sketch.Box box -> {
        graphics.setColor(new Color(box.color()));
        graphics.fill(new Rectangle2D.Double(box.x(), box.y(), box.width(), box.height()));
      }
      case Sketch.Dot dot -> {
        graphics.setColor(new Color(dot.color()));
        double size = 2 * dot.radius();
        graphics.fill(
            new Ellipse2D.Double(dot.x() - dot.radius(), dot.y() - dot.radius(), size, size));
      }
      case Sketch.Path path -> {
        graphics.setColor(new Color(path.color()));
        graphics.setStroke(new BasicStroke((float) path.width()));
        graphics.draw(joined(path.points()));
      }
      case Sketch.Words words -> {
        graphics.setColor(new Color(words.color()));
        graphics.setFont(
            new Font(Font.SANS_SERIF, words.bold() ? Font.BOLD : Font.PLAIN, words.size()));
        double width = graphics.getFontMetrics().stringWidth(words.text());
        double shift =
            switch (words.anchor()) {
              case START -> 0;
              case MIDDLE -> width / 2;
              case END -> width;
            };
        graphics.drawString(words.text(), (float) (words.x() - shift), (float) words.y());
      }
    }
  }

  private static Path2D joined(List<double[]> points) {
    Path2D path = new Path2D.Double();
    path.moveTo(points.getFirst()[0], points.getFirst()[1]);
    points.subList(1, points.size()).forEach(point -> path.lineTo(point[0], point[1]));
    return path;
  }
}
