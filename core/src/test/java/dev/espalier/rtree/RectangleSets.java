// SPDX-License-Identifier: Apache-2.0
package dev.espalier.rtree;

import java.util.SplittableRandom;

/** Kinds of rectangles, of which each makes trees go wrong in its own way. */
enum RectangleSets {
  /** Of size 1, anywhere. */
  UNIT {
    @Override
    Rectangle next(SplittableRandom random) {
      double x = random.nextDouble(SIDE);
      double y = random.nextDouble(SIDE);
      return new Rectangle(x, y, x + 1, y + 1);
    }
  },
  /** In few places, of very different sizes. */
  CLUSTERED {
    @Override
    Rectangle next(SplittableRandom random) {
      double x = 10 * random.nextInt(4) + random.nextDouble(0.1);
      double y = 10 * random.nextInt(4) + random.nextDouble(0.1);
      double size = Math.scalb(1.0, -random.nextInt(30));
      return new Rectangle(x, y, x + size, y + size * random.nextInt(3));
    }
  },
  /** Points and lines on a grid: many are there several times. */
  DEGENERATE {
    @Override
    Rectangle next(SplittableRandom random) {
      int x = random.nextInt(12);
      int y = random.nextInt(12);
      return switch (random.nextInt(3)) {
        case 0 -> new Rectangle(x, y, x, y);
        case 1 -> new Rectangle(x, y, x + random.nextInt(5), y);
        default -> new Rectangle(x, y, x, y + random.nextInt(5));
      };
    }
  },
  /** Points of one line, where no area is above zero. */
  COLLINEAR {
    @Override
    Rectangle next(SplittableRandom random) {
      double y = random.nextDouble(SIDE);
      return new Rectangle(3, y, 3, y);
    }
  },
  /** Cells of a grid, which touch their neighbours. */
  TOUCHING {
    @Override
    Rectangle next(SplittableRandom random) {
      int x = random.nextInt(20);
      int y = random.nextInt(20);
      return new Rectangle(x, y, x + 1, y + 1);
    }
  },
  /** All the same. */
  EQUAL {
    @Override
    Rectangle next(SplittableRandom random) {
      return new Rectangle(-0.0, 0.0, 2, 3);
    }
  },
  /** So large or small that areas overflow or vanish, infinite ones among them. */
  EXTREME {
    @Override
    Rectangle next(SplittableRandom random) {
      double a = extreme(random);
      double b = extreme(random);
      double c = extreme(random);
      double d = extreme(random);
      return new Rectangle(Math.min(a, b), Math.min(c, d), Math.max(a, b), Math.max(c, d));
    }
  };

  private static final double SIDE = 40;

  private static final double[] EXTREMES = {
    0, Double.MIN_VALUE, 1e-200, 1, 1e200, Double.MAX_VALUE, Double.POSITIVE_INFINITY
  };

  abstract Rectangle next(SplittableRandom random);

  private static double extreme(SplittableRandom random) {
    double extreme = EXTREMES[random.nextInt(EXTREMES.length)];
    return random.nextBoolean() ? extreme : -extreme;
  }

  /** Returns as many rectangles, with values from 0 on. */
  RectangleModel model(int count, SplittableRandom random) {
    RectangleModel model = new RectangleModel();
    for (int i = 0; i < count; i++) {
      model.insert(next(random), i);
    }
    return model;
  }
}
