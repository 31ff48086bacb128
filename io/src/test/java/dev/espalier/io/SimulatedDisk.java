// SPDX-License-Identifier: Apache-2.0
package dev.espalier.io;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A file system of one folder, in memory, that loses power: the seam to test what a store promises.
 * All that it does by chance comes from one seed, so that a run is replayed by its seed.
 *
 * <p>Processes live on it one after the other. What goes wrong in a life is a {@link CrashPlan},
 * given to {@link #restart}; the first life has none. Each operation ({@link DiskOperation}) is
 * counted, from 1 in each life. When the life ends by its plan, the operation throws {@link
 * PowerLostException}, and so does every later one until the next life begins, over what is left:
 *
 * <ul>
 *   <li>after a power loss, what was forced, and of all else any part ({@link SimulatedFile},
 *       {@link SimulatedNames}). All of it is safe then.
 *   <li>after a kill, all that was done, and of what was under way any part. What was not forced is
 *       still not: a later power loss may take it away.
 * </ul>
 *
 * <p>Stronger than what some file systems do: forcing a file does not make its name safe, and
 * renaming does not force the file. Not simulated: folders, links, holes in files, time, and damage
 * to what was forced, except by {@link DiskFault#MISDIRECTED}.
 *
 * <p>For many threads; which of their operations is the n-th is then left to them.
 */
final class SimulatedDisk implements StoreFiles {
  private static final Path FOLDER = Path.of("/simulated");

  /** What file systems give out at once. */
  private static final int BLOCK = 4096;

  /** A prime: keeps seeds apart, however many lives and operations there are. */
  private static final long SPREAD = 1_000_003;

  /**
   * What was done.
   *
   * @param name of the file
   * @param position of the bytes read, written, grown by or truncated to; else 0
   * @param length of the bytes read, written or grown by; else 0
   */
  record Done(DiskOperation operation, String name, long position, long length) {}

  private final long seed;
  private final DiskTraits traits;

  /** Drawn anew where a life ends: what is left differs from one operation to the next. */
  private RandomGenerator random;

  private final SimulatedNames names = new SimulatedNames();
  private final Set<SimulatedPageFile> open = new LinkedHashSet<>();
  private final List<Done> done = new ArrayList<>();
  private CrashPlan plan = CrashPlan.NOTHING;
  private int life = 1;

  /** How the life has ended, null if it has not. */
  private @Nullable String end;

  SimulatedDisk(long seed, DiskTraits traits) {
    this.seed = seed;
    this.traits = traits;
    this.random = new SplittableRandom(seed);
  }

  // ---------------------------------------------------------------- lives

  /**
   * Begins the next life, over what is left. A life that has not ended ends as by a kill between
   * two operations. Files of earlier lives are dead; whoever used them must have stopped.
   */
  synchronized void restart(CrashPlan nextPlan) {
    if (end == null) {
      land(false);
    }
    open.clear();
    done.clear();
    plan = nextPlan;
    life++;
    end = null;
  }

  /**
   * Loses power between two operations; also after a kill, and then takes away what only the page
   * cache had.
   */
  synchronized void losePower() {
    endLife(true);
  }

  /** Tells whether this life has ended. */
  synchronized boolean crashed() {
    return end != null;
  }

  /** Returns the number of operations in this life, the one that ended it included. */
  synchronized long operations() {
    return done.size();
  }

  /** Returns the operations of this life, in their order. */
  synchronized List<Done> done() {
    return List.copyOf(done);
  }

  /** Returns the path of a file of this disk. */
  static Path path(String name) {
    return FOLDER.resolve(name);
  }

  /** Returns the names of all files, also after the end of a life. */
  synchronized Set<String> names() {
    return names.names();
  }

  /**
   * Returns what a process reads of a file through the page cache, also after the end of a life.
   */
  synchronized byte[] contents(Path path) {
    return find(path).bytes();
  }

  /** Lets the page cache forget a file, as POSIX_FADV_DONTNEED: what was not forced stays in it. */
  synchronized void dropCache(Path path) {
    find(path).dropCache();
  }

  // ---------------------------------------------------------------- operations

  /**
   * Counts an operation, and ends the life if it is its last.
   *
   * @param effect what it does at once, for a life that ends during it
   * @return how it goes wrong, null if it does not
   */
  synchronized @Nullable DiskFault next(
      int ofLife, DiskOperation operation, Path path, long position, long length, Runnable effect) {
    checkAlive(ofLife);
    done.add(new Done(operation, path.getFileName().toString(), position, length));
    if (done.size() == plan.crashAt()) {
      if (plan.losesPower() || random.nextBoolean()) {
        effect.run();
      }
      endLife(plan.losesPower());
      checkAlive(ofLife);
    }
    return plan.faultAt(done.size(), operation, random);
  }

  private void endLife(boolean powerLoss) {
    random = new SplittableRandom((seed * SPREAD + life) * SPREAD + done.size());
    if (end == null) {
      land(powerLoss);
      end =
          "%s at operation %d of life %d of the disk of seed %d: %s"
              .formatted(
                  powerLoss ? "power was lost" : "the process was killed",
                  done.size(),
                  life,
                  seed,
                  done.isEmpty() ? "none" : done.getLast());
    }
    if (powerLoss) {
      names.losePower(random);
      names.files().forEach(file -> file.losePower(random, traits.garbageSectors()));
    }
  }

  private void land(boolean powerLoss) {
    open.forEach(file -> file.land(powerLoss));
  }

  /** Throws if a life is over. */
  synchronized void checkAlive(int ofLife) {
    if (ofLife != life) {
      throw new PowerLostException(
          "life %d of the disk of seed %d is over, this is %d".formatted(ofLife, seed, life));
    }
    if (end != null) {
      throw new PowerLostException(end);
    }
  }

  synchronized boolean isAlive(int ofLife) {
    return ofLife == life && end == null;
  }

  synchronized void closed(SimulatedPageFile file) {
    open.remove(file);
  }

  RandomGenerator random() {
    return random;
  }

  DiskTraits traits() {
    return traits;
  }

  /**
   * Returns the greatest length up to a wish that a file can have; it is never less than its own.
   * If only blocks stand in the way that may be needed again after a power loss, since names or a
   * truncation were not forced, those are forced first.
   */
  synchronized long lengthThatFits(SimulatedFile file, long wish) {
    if (traits.byteLimit() == Long.MAX_VALUE || wish <= file.length()) {
      return wish;
    }
    if (roomFor(file) < wish) {
      names.force();
      names.files().forEach(SimulatedFile::forceLength);
    }
    return Math.clamp(roomFor(file), file.length(), wish);
  }

  private long roomFor(SimulatedFile file) {
    long room = traits.byteLimit() / BLOCK;
    for (SimulatedFile other : names.files()) {
      room -= other == file ? 0 : Math.ceilDiv(other.greatestLength(), BLOCK);
    }
    return Math.max(room, 0) * BLOCK;
  }

  // ---------------------------------------------------------------- names

  @Override
  public synchronized PageFile openPages(Path path, Access access, int blockBytes) {
    return open(path, access, blockBytes);
  }

  @Override
  public synchronized PageFile openLog(Path path, Access access, int blockBytes) {
    return open(path, access, blockBytes);
  }

  private PageFile open(Path path, Access access, int blockBytes) {
    checkAlive(life);
    SimulatedFile file = names.find(nameOf(path));
    if (access == Access.CREATE) {
      if (file != null) {
        throw new PageFileException(path, "the file exists already", Errno.EEXIST);
      }
      file = create(path);
    } else if (file == null) {
      throw new PageFileException(path, "no such file", Errno.ENOENT);
    }
    int alignment = blockBytes % traits.alignment() == 0 ? traits.alignment() : 1;
    SimulatedPageFile opened =
        new SimulatedPageFile(this, path, file, life, access != Access.READ, alignment);
    open.add(opened);
    return opened;
  }

  private SimulatedFile create(Path path) {
    SimulatedFile file = new SimulatedFile();
    Runnable effect = () -> names.name(file, nameOf(path));
    DiskFault fault = next(life, DiskOperation.CREATE, path, 0, 0, effect);
    if (fault != null) {
      throw new PageFileException(
          path, "the file can't be opened: " + Errno.describe(fault.errno()), fault.errno());
    }
    effect.run();
    return file;
  }

  @Override
  public synchronized boolean exists(Path path) {
    checkAlive(life);
    return names.find(nameOf(path)) != null;
  }

  @Override
  public synchronized List<Path> beside(Path path) {
    checkAlive(life);
    List<Path> paths = new ArrayList<>();
    for (String name : names.names()) {
      if (name.startsWith(nameOf(path))) {
        paths.add(path.resolveSibling(name));
      }
    }
    Collections.shuffle(paths, random);
    return paths;
  }

  @Override
  public synchronized void rename(Path from, Path to) {
    checkAlive(life);
    SimulatedFile file = find(from);
    change(DiskOperation.RENAME, to, "can't be given its name", () -> names.name(file, nameOf(to)));
  }

  @Override
  public synchronized void delete(Path path) {
    checkAlive(life);
    SimulatedFile file = names.find(nameOf(path));
    if (file != null) {
      change(DiskOperation.DELETE, path, "can't be deleted", () -> names.delete(file));
    }
  }

  @Override
  public synchronized void forceNames(Path path) {
    checkAlive(life);
    nameOf(path);
    change(DiskOperation.FORCE_NAMES, path, "forcing its folder to the device failed", () -> {});
    names.force();
  }

  /**
   * Changes names, or fails and leaves them as they were; the failure has no error number, as that
   * of {@link SystemFiles} has none.
   */
  private void change(DiskOperation operation, Path path, String failure, Runnable effect) {
    DiskFault fault = next(life, operation, path, 0, 0, effect);
    if (fault != null) {
      throw new PageFileException(
          path, failure + ": " + Errno.describe(fault.errno()), PageFileException.NO_ERRNO);
    }
    effect.run();
  }

  private SimulatedFile find(Path path) {
    SimulatedFile file = names.find(nameOf(path));
    if (file == null) {
      throw new PageFileException(path, "no such file", PageFileException.NO_ERRNO);
    }
    return file;
  }

  private static String nameOf(Path path) {
    if (!FOLDER.equals(path.getParent())) {
      throw new IllegalArgumentException(path + " is not in the folder " + FOLDER);
    }
    return path.getFileName().toString();
  }
}
