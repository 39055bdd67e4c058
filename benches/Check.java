import java.io.File;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;

/** Java's own checker on two files: whether the first, as a reader, can read what the second writes. */
public class Check {
    public static void main(String[] files) throws Exception {
        Schema reader = new Schema.Parser().parse(new File(files[0]));
        Schema writer = new Schema.Parser().parse(new File(files[1]));
        System.out.println(SchemaCompatibility.checkReaderWriterCompatibility(reader, writer).getType());
    }
}
