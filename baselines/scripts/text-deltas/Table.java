import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Two versions side by side. */
final class Table {
    private static final Pattern WORD = Pattern.compile("[ \t\n]+|[,.\\[\\](){}/\\\\*+\\-#]|[^ \t\n,.\\[\\](){}/\\\\*+\\-#]+");
    private final boolean marks;
    private final boolean words;
    private final boolean merge;
    private final boolean oneLine;
    private final boolean raw;
    private final boolean loose;
    private final int width;
    private final List<String> rows = new ArrayList<>();

    Table(Map<String, Object> question) {
        marks = Solution.is(question, "marks");
        words = Solution.is(question, "words");
        merge = Solution.is(question, "merge");
        oneLine = Solution.is(question, "one_line") && marks && merge;
        raw = Solution.is(question, "raw");
        loose = Solution.is(question, "loose");
        width = Solution.number(question, "width", 0);
    }

    List<String> rows(List<String> old, List<String> now) {
        int at = 0;
        for (Search.Part part : Search.parts(old, now, loose)) {
            equal(old.subList(at, part.oldPlace));
            part(part, old.subList(part.oldPlace, part.oldEnd()), now.subList(part.newPlace, part.newEnd()));
            at = part.oldEnd();
        }
        equal(old.subList(at, old.size()));
        return rows;
    }

    private void row(String kind, String left, String right) {
        rows.add(kind + " \"" + left + "\" \"" + right + "\"");
    }

    private void equal(List<String> lines) {
        lines.forEach(line -> row("equal", plain(line), plain(line)));
    }

    private void part(Search.Part part, List<String> old, List<String> now) {
        if (part.kind().equals("insert")) {
            for (String line : now) {
                String text = plain(line);
                row("insert", merge && !raw ? fresh(text) : "", marks && !merge && !raw ? fresh(text) : text);
            }
        } else if (part.kind().equals("delete")) {
            old.forEach(line -> row("delete", (marks || merge) && !raw ? gone(plain(line)) : plain(line), ""));
        } else if (marks) {
            marked(String.join("\n", signs(old)), String.join("\n", signs(now)));
        } else {
            paired(signs(old), signs(now));
        }
    }

    private void paired(List<String> left, List<String> right) {
        for (int index = 0; index < Math.max(left.size(), right.size()); index++) {
            row("change", wrapped(index < left.size() ? left.get(index) : ""), wrapped(index < right.size() ? right.get(index) : ""));
        }
    }

    private void marked(String oldText, String newText) {
        List<String> old = pieces(oldText);
        List<String> now = pieces(newText);
        StringBuilder left = new StringBuilder();
        StringBuilder right = new StringBuilder();
        int oldAt = 0;
        int newAt = 0;
        for (Search.Part part : Search.parts(old, now, loose)) {
            left.append(String.join("", old.subList(oldAt, part.oldPlace)));
            right.append(String.join("", now.subList(newAt, part.newPlace)));
            oldAt = part.oldEnd();
            newAt = part.newEnd();
            left.append(stretches(old.subList(part.oldPlace, oldAt), "[-", "-]", oneLine));
            List<String> fresh = now.subList(part.newPlace, newAt);
            left.append(merge ? stretches(fresh, "{+", "+}", false) : "");
            right.append(merge ? String.join("", fresh) : stretches(fresh, "{+", "+}", false));
        }
        left.append(String.join("", old.subList(oldAt, old.size())));
        right.append(String.join("", now.subList(newAt, now.size())));
        paired(Arrays.asList(left.toString().split("\n")), Arrays.asList(right.toString().split("\n")));
    }

    private static String stretches(List<String> pieces, String open, String close, boolean oneLine) {
        StringBuilder text = new StringBuilder();
        StringBuilder stretch = new StringBuilder();
        for (String piece : pieces) {
            if (piece.equals("\n") && !oneLine) {
                text.append(stretch.length() == 0 ? "" : open + stretch + close).append(piece);
                stretch.setLength(0);
            } else {
                stretch.append(piece.equals("\n") ? " " : piece);
            }
        }
        return text.append(stretch.length() == 0 ? "" : open + stretch + close).toString();
    }

    private List<String> pieces(String text) {
        List<String> found = new ArrayList<>();
        Matcher next = (words ? WORD : Pattern.compile(".", Pattern.DOTALL)).matcher(text);
        while (next.find()) {
            found.add(next.group());
        }
        return found;
    }

    private List<String> signs(List<String> lines) {
        return lines.stream().map(this::signs).toList();
    }

    private String signs(String line) {
        return raw ? line : line.replace("<", "&lt;").replace(">", "&gt;").replace("\t", "    ");
    }

    /** A line outside of changes. */
    private String plain(String line) {
        return raw ? line : wrapped(signs(line));
    }

    private String wrapped(String cell) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < cell.length(); at++) {
            text.append(width > 0 && at > 0 && at % width == 0 ? "<br/>" : "").append(cell.charAt(at));
        }
        return text.toString();
    }

    private static String gone(String text) {
        return "[-" + text + "-]";
    }

    private static String fresh(String text) {
        return "{+" + text + "+}";
    }
}
