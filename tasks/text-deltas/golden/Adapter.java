import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import com.github.difflib.algorithm.myers.MyersDiff;
import com.github.difflib.patch.AbstractDelta;
import com.github.difflib.patch.Chunk;
import com.github.difflib.patch.DeltaType;
import com.github.difflib.patch.Patch;
import com.github.difflib.patch.PatchFailedException;
import com.github.difflib.text.DiffRow;
import com.github.difflib.text.DiffRowGenerator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Answers the cases of one suite with the pinned package, in the task's own terms. */
public final class Adapter {
    private static final String NOTHING = "(nothing)";
    private static final int CONTEXT = 3;

    private final Map<?, ?> query;

    private Adapter(Map<?, ?> query) {
        this.query = query;
    }

    /** Writes one output file per case; a case that fails leaves the others alone. */
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2 || !arguments[0].equals("--cases-dir")) {
            throw new IllegalArgumentException("usage: --cases-dir SUITE");
        }
        Path out = Path.of("rcb_tests", "stdout", arguments[1]);
        Files.createDirectories(out);
        List<Path> files;
        try (Stream<Path> found = Files.list(Path.of("rcb_tests", arguments[1]))) {
            files = found.filter(file -> file.toString().endsWith(".json")).sorted().collect(Collectors.toList());
        }
        for (Path file : files) {
            String stem = file.getFileName().toString().replaceFirst("\\.json$", "");
            Map<?, ?> content = (Map<?, ?>) Json.read(Files.readString(file, StandardCharsets.UTF_8));
            int index = 0;
            for (Object entry : (List<?>) content.get("cases")) {
                String name = String.format(Locale.ROOT, "%s@%03d.txt", stem, index++);
                try {
                    List<String> lines = new Adapter((Map<?, ?>) ((Map<?, ?>) entry).get("input")).answer();
                    String text = String.join("\n", lines.isEmpty() ? List.of(NOTHING) : lines) + "\n";
                    Files.writeString(out.resolve(name), text, StandardCharsets.UTF_8);
                } catch (RuntimeException error) {
                    System.err.println(name + ": " + error);
                }
            }
        }
    }

    private List<String> answer() {
        String op = (String) query.get("op");
        switch (op) {
            case "list":
                return listed(difference(flag("with_equal")));
            case "letters":
                return letters();
            case "write":
                return UnifiedDiffUtils.generateUnifiedDiff((String) query.get("from"), (String) query.get("to"),
                        lines("old"), difference(false), number("context", CONTEXT));
            case "read":
                return read();
            case "apply":
                return apply();
            case "table":
                return table();
            default:
                throw new IllegalArgumentException("no such op: " + op);
        }
    }

    private Patch<String> difference(boolean withEqual) {
        BiPredicate<String, String> equal = flag("loose")
                ? DiffRowGenerator.IGNORE_WHITESPACE_EQUALIZER : DiffRowGenerator.DEFAULT_EQUALIZER;
        return DiffUtils.diff(lines("old"), lines("new"), new MyersDiff<>(equal), null, withEqual);
    }

    private static List<String> listed(Patch<String> patch) {
        List<String> found = new ArrayList<>();
        for (AbstractDelta<String> delta : patch.getDeltas()) {
            found.add(kind(delta.getType()) + " " + extent(delta.getSource()) + " " + extent(delta.getTarget()));
            boolean equal = delta.getType() == DeltaType.EQUAL;
            delta.getSource().getLines().forEach(line -> found.add((equal ? " " : "-") + line));
            if (!equal) {
                delta.getTarget().getLines().forEach(line -> found.add("+" + line));
            }
        }
        return found;
    }

    private List<String> letters() {
        List<String> found = new ArrayList<>();
        Patch<String> patch = DiffUtils.diffInline((String) query.get("old"), (String) query.get("new"));
        for (AbstractDelta<String> delta : patch.getDeltas()) {
            found.add(kind(delta.getType()) + " " + text(delta.getSource()) + " " + text(delta.getTarget()));
        }
        return found;
    }

    private List<String> read() {
        List<String> found = new ArrayList<>();
        for (AbstractDelta<String> delta : UnifiedDiffUtils.parseUnifiedDiff(lines("diff")).getDeltas()) {
            Chunk<String> source = delta.getSource();
            Chunk<String> target = delta.getTarget();
            found.add("hunk " + extent(source) + " " + extent(target));
            found.add("removed" + numbers(source));
            found.add("added" + numbers(target));
            source.getLines().forEach(line -> found.add("-" + line));
            target.getLines().forEach(line -> found.add("+" + line));
        }
        return found;
    }

    private List<String> apply() {
        Patch<String> patch = UnifiedDiffUtils.parseUnifiedDiff(lines("diff"));
        try {
            List<String> result = flag("back")
                    ? DiffUtils.unpatch(lines("lines"), patch) : DiffUtils.patch(lines("lines"), patch);
            return result.stream().map(line -> "|" + line).collect(Collectors.toList());
        } catch (PatchFailedException error) {
            return List.of("error: " + (error.getMessage().contains("match") ? "no-match" : "too-short"));
        } catch (IndexOutOfBoundsException error) {
            return List.of("error: too-short");
        }
    }

    private List<String> table() {
        DiffRowGenerator generator = DiffRowGenerator.create()
                .showInlineDiffs(flag("marks"))
                .inlineDiffByWord(flag("words"))
                .mergeOriginalRevised(flag("merge"))
                .ignoreWhiteSpaces(flag("loose"))
                .reportLinesUnchanged(flag("raw"))
                .replaceOriginalLinefeedInChangesWithSpaces(flag("one_line"))
                .columnWidth(number("width", 0))
                .oldTag(opening -> opening ? "[-" : "-]")
                .newTag(opening -> opening ? "{+" : "+}")
                .build();
        List<String> found = new ArrayList<>();
        for (DiffRow row : generator.generateDiffRows(lines("old"), lines("new"))) {
            found.add(row.getTag().name().toLowerCase(Locale.ROOT)
                    + " \"" + row.getOldLine() + "\" \"" + row.getNewLine() + "\"");
        }
        return found;
    }

    private static String kind(DeltaType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    private static String extent(Chunk<String> chunk) {
        return chunk.getPosition() + "," + chunk.size();
    }

    private static String text(Chunk<String> chunk) {
        return chunk.getPosition() + " \"" + String.join("", chunk.getLines()) + "\"";
    }

    private static String numbers(Chunk<String> chunk) {
        return chunk.getChangePosition().stream().map(number -> " " + number).collect(Collectors.joining());
    }

    private List<String> lines(String field) {
        return ((List<?>) query.get(field)).stream().map(String.class::cast).collect(Collectors.toList());
    }

    private boolean flag(String field) {
        return Boolean.TRUE.equals(query.get(field));
    }

    private int number(String field, int missing) {
        Object value = query.get(field);
        return value == null ? missing : (Integer) value;
    }
}
