// What Java's Avro makes of two schemas and of data, a line of JSON for a line of JSON.
//
// A question has the texts `old` and `new`, how many random values each side writes (`values`, `seed`), and `readings`: data
// whose bytes are known already. The answer says per side why it is refused, per direction what the checker of the registries
// says and what the decoder read of each value, and what became of each reading.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

public class Peer {
  static final ObjectMapper JSON = new ObjectMapper();
  // Records below this are not made any more.
  static final int DEEPEST = 6;

  public static void main(String[] arguments) throws Exception {
    // What a library prints must not come between the answers.
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = questions.readLine(); line != null; line = questions.readLine()) {
      ObjectNode answer = JSON.createObjectNode();
      try {
        answer(JSON.readTree(line), answer);
      } catch (StackOverflowError | Exception error) {
        answer.put("failure", String.valueOf(error));
      }
      answers.println(JSON.writeValueAsString(answer));
    }
  }

  static void answer(JsonNode question, ObjectNode answer) throws Exception {
    Schema old = parse(question.path("old").asText(), "old", answer);
    Schema now = parse(question.path("new").asText(), "new", answer);
    if (old == null || now == null) return;
    Random random = new Random(question.path("seed").asLong());
    int values = question.path("values").asInt();
    for (boolean isBackward : new boolean[] {true, false}) {
      Schema writer = isBackward ? old : now;
      Schema reader = isBackward ? now : old;
      ObjectNode direction = answer.putObject(isBackward ? "backward" : "forward");
      check(reader, writer, direction);
      ArrayNode read = direction.putArray("read");
      for (int index = 0; index < values; index++) {
        Object value = make(writer, random, DEEPEST);
        if (value == ENDLESS) continue;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<Object>(writer).write(value, encoder);
        encoder.flush();
        ObjectNode one = read.addObject().put("bytes", HexFormat.of().formatHex(bytes.toByteArray()));
        read(writer, reader, bytes.toByteArray(), one);
      }
    }
    ArrayNode readings = answer.putArray("readings");
    for (JsonNode reading : question.path("readings")) {
      boolean isBackward = reading.path("direction").asText().equals("backward");
      Schema writer = named(isBackward ? old : now, reading.path("writer").asText());
      Schema reader = named(isBackward ? now : old, reading.path("reader").asText());
      ObjectNode one = readings.addObject();
      if (writer == null || reader == null) {
        one.put("unknown", writer == null ? "writer" : "reader");
      } else {
        read(writer, reader, HexFormat.of().parseHex(reading.path("bytes").asText()), one);
      }
    }
  }

  static Schema parse(String text, String side, ObjectNode answer) {
    try {
      return new Schema.Parser().parse(text);
    } catch (StackOverflowError | RuntimeException error) {
      answer.put(side, String.valueOf(error));
      return null;
    }
  }

  static void check(Schema reader, Schema writer, ObjectNode answer) {
    try {
      ArrayNode said = answer.putArray("said");
      for (SchemaCompatibility.Incompatibility one :
          SchemaCompatibility.checkReaderWriterCompatibility(reader, writer).getResult().getIncompatibilities()) {
        said.addArray().add(one.getType().name()).add(one.getMessage()).add(one.getLocation());
      }
    } catch (StackOverflowError | RuntimeException error) {
      answer.put("throws", String.valueOf(error.getMessage()));
    }
  }

  static void read(Schema writer, Schema reader, byte[] bytes, ObjectNode answer) {
    try {
      BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(bytes, null);
      Object value = new GenericDatumReader<Object>(writer, reader).read(null, decoder);
      if (!decoder.isEnd()) {
        answer.put("error", "bytes are left over");
      } else {
        answer.set("value", shown(reader, value));
      }
    } catch (StackOverflowError | Exception error) {
      answer.put("error", String.valueOf(error));
    }
  }

  // The value as JSON: bytes as text of the same numbers, fixed as a list of numbers, of a union the value alone.
  static JsonNode shown(Schema schema, Object value) {
    switch (schema.getType()) {
      case RECORD -> {
        ObjectNode record = JSON.createObjectNode();
        for (Schema.Field field : schema.getFields()) {
          record.set(field.name(), shown(field.schema(), ((GenericData.Record) value).get(field.pos())));
        }
        return record;
      }
      case ARRAY -> {
        ArrayNode items = JSON.createArrayNode();
        for (Object item : (Iterable<?>) value) items.add(shown(schema.getElementType(), item));
        return items;
      }
      case MAP -> {
        ObjectNode entries = JSON.createObjectNode();
        ((Map<?, ?>) value).forEach((key, one) -> entries.set(key.toString(), shown(schema.getValueType(), one)));
        return entries;
      }
      case UNION -> {
        return shown(schema.getTypes().get(GenericData.get().resolveUnion(schema, value)), value);
      }
      case FIXED -> {
        ArrayNode bytes = JSON.createArrayNode();
        for (byte one : ((GenericData.Fixed) value).bytes()) bytes.add(one);
        return bytes;
      }
      case BYTES -> {
        ByteBuffer buffer = ((ByteBuffer) value).duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return JSON.getNodeFactory().textNode(new String(bytes, StandardCharsets.ISO_8859_1));
      }
      case STRING, ENUM -> {
        return JSON.getNodeFactory().textNode(value.toString());
      }
      case FLOAT -> {
        return real((double) (Float) value);
      }
      case DOUBLE -> {
        return real((Double) value);
      }
      default -> {
        return JSON.valueToTree(value);
      }
    }
  }

  static JsonNode real(double value) {
    if (Double.isNaN(value)) return JSON.getNodeFactory().textNode("NaN");
    if (Double.isInfinite(value)) return JSON.getNodeFactory().textNode(value > 0 ? "Infinity" : "-Infinity");
    return JSON.getNodeFactory().numberNode(value);
  }

  // A named type that a schema uses; the schema itself where nothing is called that and it has no name either.
  static Schema named(Schema schema, String name) {
    Map<String, Schema> all = new HashMap<>();
    collect(schema, all, new HashSet<>());
    Schema found = all.get(name);
    return found != null || schema.getType() == Schema.Type.RECORD ? found : schema;
  }

  static void collect(Schema schema, Map<String, Schema> all, Set<String> seen) {
    switch (schema.getType()) {
      case RECORD -> {
        if (all.put(schema.getFullName(), schema) == null) {
          for (Schema.Field field : schema.getFields()) collect(field.schema(), all, seen);
        }
      }
      case ENUM, FIXED -> all.put(schema.getFullName(), schema);
      case ARRAY -> collect(schema.getElementType(), all, seen);
      case MAP -> collect(schema.getValueType(), all, seen);
      case UNION -> schema.getTypes().forEach(branch -> collect(branch, all, seen));
      default -> {}
    }
  }

  static final Object ENDLESS = new Object();

  // A random value, often one at an end of what its type has room for.
  static Object make(Schema schema, Random random, int depth) {
    switch (schema.getType()) {
      case RECORD -> {
        if (depth < 0) return ENDLESS;
        GenericData.Record record = new GenericData.Record(schema);
        for (Schema.Field field : schema.getFields()) {
          Object value = make(field.schema(), random, depth - 1);
          if (value == ENDLESS) return ENDLESS;
          record.put(field.pos(), value);
        }
        return record;
      }
      case ENUM -> {
        List<String> symbols = schema.getEnumSymbols();
        return new GenericData.EnumSymbol(schema, symbols.get(random.nextInt(symbols.size())));
      }
      case FIXED -> {
        byte[] bytes = new byte[schema.getFixedSize()];
        random.nextBytes(bytes);
        return new GenericData.Fixed(schema, bytes);
      }
      case ARRAY -> {
        List<Object> items = new ArrayList<>();
        for (int left = random.nextInt(3); left > 0; left--) {
          Object item = make(schema.getElementType(), random, depth - 1);
          if (item != ENDLESS) items.add(item);
        }
        return items;
      }
      case MAP -> {
        Map<String, Object> entries = new HashMap<>();
        for (int left = random.nextInt(3); left > 0; left--) {
          Object value = make(schema.getValueType(), random, depth - 1);
          if (value != ENDLESS) entries.put("k" + left, value);
        }
        return entries;
      }
      case UNION -> {
        List<Schema> branches = schema.getTypes();
        if (branches.isEmpty()) return ENDLESS;
        int first = random.nextInt(branches.size());
        for (int index = 0; index < branches.size(); index++) {
          Object value = make(branches.get((first + index) % branches.size()), random, depth - 1);
          if (value != ENDLESS) return value;
        }
        return ENDLESS;
      }
      case STRING -> {
        return new String[] {"", "x", "null", "é€", "0"}[random.nextInt(5)];
      }
      case BYTES -> {
        byte[] bytes = new byte[random.nextInt(3)];
        for (int index = 0; index < bytes.length; index++) bytes[index] = (byte) random.nextInt(128);
        return ByteBuffer.wrap(bytes);
      }
      case INT -> {
        int[] ends = {0, 1, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 16777217, random.nextInt()};
        return ends[random.nextInt(ends.length)];
      }
      case LONG -> {
        long[] ends = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE, 9007199254740993L, random.nextInt(), random.nextLong()};
        return ends[random.nextInt(ends.length)];
      }
      case FLOAT -> {
        float[] ends = {0, 1, -0.5f, Float.MAX_VALUE, Float.NaN, Float.NEGATIVE_INFINITY, random.nextFloat()};
        return ends[random.nextInt(ends.length)];
      }
      case DOUBLE -> {
        double[] ends = {0, 1, -0.5, Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY, random.nextDouble()};
        return ends[random.nextInt(ends.length)];
      }
      case BOOLEAN -> {
        return random.nextBoolean();
      }
      default -> {
        return null;
      }
    }
  }
}
