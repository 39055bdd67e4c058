import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.ExtensionRegistry;
import com.google.protobuf.util.JsonFormat;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * What protobuf-java reads, for protobuf.py beside this file, which asks a line for a line.
 *
 * <p>{@code {"side": s, "set": hex}} makes a descriptor set known; {@code {"side": s, "type": t, "surface": "wire",
 * "data": d}} reads hex digits or a JSON text. An answer has {@code bytes}, what was read and written once more, or
 * {@code why} there is nothing.
 */
public final class Protobuf {
  private record Side(Map<String, Descriptor> types, ExtensionRegistry extensions, JsonFormat.Parser json) {}

  public static void main(String[] arguments) throws Exception {
    Map<String, Side> sides = new HashMap<>();
    BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = questions.readLine()) != null; ) {
      JsonObject question = JsonParser.parseString(line).getAsJsonObject();
      JsonObject answer = new JsonObject();
      String side = question.get("side").getAsString();
      try {
        if (question.has("set")) {
          sides.remove(side);
          sides.put(side, load(HexFormat.of().parseHex(question.get("set").getAsString())));
          answer.addProperty("bytes", "");
        } else {
          answer.addProperty("bytes", HexFormat.of().formatHex(read(sides.get(side), question)));
        }
      } catch (Exception | StackOverflowError error) {
        answer.addProperty("why", error.getClass().getSimpleName() + ": " + error.getMessage());
      }
      System.out.println(answer);
      System.out.flush();
    }
  }

  private static Side load(byte[] set) throws Exception {
    Map<String, FileDescriptor> files = new HashMap<>();
    Map<String, Descriptor> types = new HashMap<>();
    ExtensionRegistry extensions = ExtensionRegistry.newInstance();
    JsonFormat.TypeRegistry.Builder registry = JsonFormat.TypeRegistry.newBuilder();
    for (FileDescriptorProto file : FileDescriptorSet.parseFrom(set).getFileList()) {
      List<FileDescriptor> imports = new ArrayList<>();
      for (String name : file.getDependencyList()) {
        imports.add(files.get(name));
      }
      FileDescriptor built = FileDescriptor.buildFrom(file, imports.toArray(new FileDescriptor[0]));
      files.put(file.getName(), built);
      extensions(built.getExtensions(), extensions);
      for (Descriptor type : built.getMessageTypes()) {
        add(type, types, extensions);
      }
    }
    registry.add(types.values());
    return new Side(types, extensions, JsonFormat.parser().ignoringUnknownFields().usingTypeRegistry(registry.build()));
  }

  private static void add(Descriptor type, Map<String, Descriptor> types, ExtensionRegistry extensions) {
    types.put(type.getFullName(), type);
    extensions(type.getExtensions(), extensions);
    for (Descriptor inner : type.getNestedTypes()) {
      add(inner, types, extensions);
    }
  }

  private static void extensions(List<FieldDescriptor> all, ExtensionRegistry extensions) {
    for (FieldDescriptor extension : all) {
      if (extension.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
        extensions.add(extension, DynamicMessage.getDefaultInstance(extension.getMessageType()));
      } else {
        extensions.add(extension);
      }
    }
  }

  private static byte[] read(Side side, JsonObject question) throws Exception {
    Descriptor type = side.types().get(question.get("type").getAsString());
    String data = question.get("data").getAsString();
    if (question.get("surface").getAsString().equals("wire")) {
      return DynamicMessage.parseFrom(type, HexFormat.of().parseHex(data), side.extensions()).toByteArray();
    }
    DynamicMessage.Builder builder = DynamicMessage.newBuilder(type);
    side.json().merge(data, builder);
    return builder.build().toByteArray();
  }
}
