// SPDX-License-Identifier: Apache-2.0
package dev.espalier.sql;

import dev.espalier.cli.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/** How rows are printed. */
enum Format {
  TABLE {
    @Override
    void print(ResultSet rows, PrintWriter out) throws SQLException {
      ResultSetMetaData columns = rows.getMetaData();
      String[] header = names(columns);
      for (int column = 0; column < header.length; column++) {
        header[column] = (isNumber(columns, column + 1) ? ">" : "") + header[column];
      }
      TextTable table = new TextTable(header);
      while (rows.next()) {
        String[] cells = new String[header.length];
        for (int column = 0; column < cells.length; column++) {
          String text = rows.getString(column + 1);
          cells[column] = text == null ? "NULL" : text;
        }
        table.add(cells);
      }
      out.print(table);
    }
  },

  CSV {
    @Override
    void print(ResultSet rows, PrintWriter out) throws SQLException {
      try {
        CSVPrinter csv =
            new CSVPrinter(out, CSVFormat.RFC4180.builder().setRecordSeparator("\n").get());
        csv.printRecord((Object[]) names(rows.getMetaData()));
        while (rows.next()) {
          List<String> cells = new ArrayList<>();
          for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
            cells.add(rows.getString(column));
          }
          csv.printRecord(cells);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  },

  JSON {
    @Override
    void print(ResultSet rows, PrintWriter out) throws SQLException {
      String[] names = names(rows.getMetaData());
      while (rows.next()) {
        List<String> members = new ArrayList<>();
        for (int column = 1; column <= names.length; column++) {
          members.add(quoted(names[column - 1]) + ":" + value(rows, column));
        }
        out.print("{" + String.join(",", members) + "}\n");
      }
    }

    private String value(ResultSet rows, int column) throws SQLException {
      Object value = rows.getObject(column);
      return switch (value) {
        case null -> "null";
        case Boolean flag -> flag.toString();
        case BigDecimal number -> number.toPlainString();
        case Number number when !isFinite(number) -> quoted(number.toString());
        case Number number -> number.toString();
        default -> quoted(rows.getString(column));
      };
    }

    private boolean isFinite(Number number) {
      return Double.isFinite(number.doubleValue());
    }

    private String quoted(String text) {
      StringBuilder json = new StringBuilder("\"");
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        switch (c) {
          case '"', '\\' -> json.append('\\').append(c);
          case '\n' -> json.append("\\n");
          default -> json.append(c < ' ' ? "\\u%04x".formatted((int) c) : String.valueOf(c));
        }
      }
      return json.append('"').toString();
    }
  };

  abstract void print(ResultSet rows, PrintWriter out) throws SQLException;

  private static String[] names(ResultSetMetaData columns) throws SQLException {
    String[] names = new String[columns.getColumnCount()];
    for (int column = 0; column < names.length; column++) {
      names[column] = columns.getColumnLabel(column + 1);
    }
    return names;
  }

  private static boolean isNumber(ResultSetMetaData columns, int column) throws SQLException {
    return switch (columns.getColumnType(column)) {
      case Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.DECIMAL,
          Types.NUMERIC,
          Types.REAL,
          Types.FLOAT,
          Types.DOUBLE ->
          true;
      default -> false;
    };
  }
}
