import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Answers every question of a suite. */
public final class Solution {
    private Solution() {
    }

    static boolean is(Map<String, Object> question, String field) {
        return Boolean.TRUE.equals(question.get(field));
    }

    static int number(Map<String, Object> question, String field, int otherwise) {
        Object found = question.get(field);
        return found == null ? otherwise : ((Long) found).intValue();
    }

    @SuppressWarnings("unchecked")
    private static List<String> text(Map<String, Object> question, String field) {
        return (List<String>) question.get(field);
    }

    private static List<String> listed(List<String> old, List<String> now, boolean loose, boolean withEqual) {
        List<String> lines = new ArrayList<>();
        int at = 0;
        int newAt = 0;
        List<Search.Part> parts = new ArrayList<>(Search.parts(old, now, loose));
        parts.add(new Search.Part(old.size(), now.size()));
        for (Search.Part part : parts) {
            int count = part.oldPlace - at;
            if (withEqual && count > 0) {
                lines.add("equal " + at + "," + count + " " + newAt + "," + count);
                old.subList(at, part.oldPlace).forEach(line -> lines.add(" " + line));
            }
            if (part.oldCount + part.newCount > 0) {
                lines.add(part.kind() + " " + part.oldPlace + "," + part.oldCount + " " + part.newPlace + "," + part.newCount);
                old.subList(part.oldPlace, part.oldEnd()).forEach(line -> lines.add("-" + line));
                now.subList(part.newPlace, part.newEnd()).forEach(line -> lines.add("+" + line));
            }
            at = part.oldEnd();
            newAt = part.newEnd();
        }
        return lines;
    }

    private static List<String> letters(String old, String now) {
        List<String> lines = new ArrayList<>();
        List<String> olds = old.chars().mapToObj(Character::toString).toList();
        List<String> news = now.chars().mapToObj(Character::toString).toList();
        for (Search.Part part : Search.parts(olds, news, false)) {
            lines.add(part.kind() + " " + part.oldPlace + " \"" + old.substring(part.oldPlace, part.oldEnd()) + "\" "
                + part.newPlace + " \"" + now.substring(part.newPlace, part.newEnd()) + "\"");
        }
        return lines;
    }

    static String answer(Map<String, Object> question) {
        List<String> lines;
        boolean loose = is(question, "loose");
        switch ((String) question.get("op")) {
            case "list":
                lines = listed(text(question, "old"), text(question, "new"), loose, is(question, "with_equal"));
                break;
            case "letters":
                lines = letters((String) question.get("old"), (String) question.get("new"));
                break;
            case "write":
                List<String> old = text(question, "old");
                List<String> now = text(question, "new");
                lines = Sheet.written(old, now, Search.parts(old, now, loose), (String) question.get("from"),
                    (String) question.get("to"), number(question, "context", 3));
                break;
            case "read":
                lines = Sheet.listed(Sheet.hunks(text(question, "diff")));
                break;
            case "apply":
                lines = Sheet.used(text(question, "lines"), Sheet.hunks(text(question, "diff")), is(question, "back"));
                break;
            default:
                lines = new Table(question).rows(text(question, "old"), text(question, "new"));
        }
        return lines.isEmpty() ? "(nothing)" : String.join("\n", lines);
    }

    /** Answer the suite that is named last. */
    @SuppressWarnings("unchecked")
    public static void main(String[] arguments) throws IOException {
        String suite = arguments[arguments.length - 1];
        Path out = Files.createDirectories(Path.of("rcb_tests", "stdout", suite));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("rcb_tests", suite), "*.json")) {
            for (Path file : files) {
                Map<String, Object> group = (Map<String, Object>) Json.parse(Files.readString(file));
                List<Object> cases = (List<Object>) group.get("cases");
                String stem = file.getFileName().toString().replaceFirst("\\.json$", "");
                for (int index = 0; index < cases.size(); index++) {
                    Map<String, Object> question = (Map<String, Object>) ((Map<String, Object>) cases.get(index)).get("input");
                    Path answer = out.resolve(String.format("%s@%03d.txt", stem, index));
                    try {
                        Files.writeString(answer, answer(question) + "\n");
                    } catch (RuntimeException error) {
                        System.err.println(answer.getFileName() + ": " + error);
                    }
                }
            }
        }
    }
}
