// SPDX-License-Identifier: Apache-2.0
package dev.espalier.kafka;

import dev.espalier.io.IndexStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.query.Position;

/** What is committed together with the entries, in the note of their file. */
final class CommittedState {
  /** Shorter than any other note that has bytes. */
  private static final byte[] UNFINISHED = {0};

  /** By partition of the changelog, the offset up to which its records are among the entries. */
  final Map<TopicPartition, Long> offsets = new ConcurrentHashMap<>();

  /** How much of the input the entries are made from. */
  final Position position = Position.emptyPosition();

  /** The highest time of an entry so far, of those that have one; -1 without any. */
  volatile long streamTime = -1;

  /** The highest number of an entry so far, where those of the same key and time are numbered. */
  long sequence;

  /**
   * The highest number before a task began to write: Kafka numbers its entries from 1 on in the
   * changelog, so this added to a number of the changelog is that of the entry.
   */
  long sequenceBefore;

  /** Whether a task has begun to write since the file was opened; not committed. */
  boolean isNumbered;

  /** Returns the note of a file that has a part of a commit, which no replay can complete. */
  static byte[] unfinished() {
    return UNFINISHED.clone();
  }

  /** Tells whether {@link #unfinished} has returned a note. */
  static boolean isUnfinished(byte[] note) {
    return Arrays.equals(note, UNFINISHED);
  }

  /** Reads what {@link #note} returns; nothing is committed if it is another note, or empty. */
  static CommittedState read(byte[] note) {
    CommittedState state = new CommittedState();
    if (note.length == 0 || isUnfinished(note)) {
      return state;
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(note))) {
      state.streamTime = in.readLong();
      state.sequence = in.readLong();
      for (int left = in.readInt(); left > 0; left--) {
        state.offsets.put(new TopicPartition(in.readUTF(), in.readInt()), in.readLong());
      }
      for (int left = in.readInt(); left > 0; left--) {
        state.position.withComponent(in.readUTF(), in.readInt(), in.readLong());
      }
      if (in.available() > 0) { // A file that was written before has none.
        state.sequenceBefore = in.readLong();
      }
      return state;
    } catch (IOException e) {
      throw new UncheckedIOException("the note of the file ends too early", e);
    }
  }

  /**
   * Returns the bytes that {@link #read} reads. A position of so many partitions that it is longer
   * than a note may be is left out: it only tells queries whether they have to wait.
   */
  byte[] note() {
    byte[] whole = bytes(position);
    return whole.length <= IndexStore.MOST_NOTE_BYTES ? whole : bytes(Position.emptyPosition());
  }

  private byte[] bytes(Position shown) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeLong(streamTime);
      out.writeLong(sequence);
      Map<TopicPartition, Long> copy = Map.copyOf(offsets);
      out.writeInt(copy.size());
      for (Map.Entry<TopicPartition, Long> offset : copy.entrySet()) {
        write(out, offset.getKey().topic(), offset.getKey().partition(), offset.getValue());
      }
      out.writeInt(
          shown.getTopics().stream().mapToInt(t -> shown.getPartitionPositions(t).size()).sum());
      for (String topic : shown.getTopics()) {
        for (Map.Entry<Integer, Long> offset : shown.getPartitionPositions(topic).entrySet()) {
          write(out, topic, offset.getKey(), offset.getValue());
        }
      }
      out.writeLong(sequenceBefore);
    } catch (IOException e) {
      throw new UncheckedIOException("an array can't be written to", e);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, String topic, int partition, long offset)
      throws IOException {
    out.writeUTF(topic);
    out.writeInt(partition);
    out.writeLong(offset);
  }
}
