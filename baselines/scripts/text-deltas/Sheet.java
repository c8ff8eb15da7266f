import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Change sheets: written, read, and used. */
final class Sheet {
    private static final Pattern HEADING =
        Pattern.compile("@@[ \t]+-(\\d+)(?:,\\d+)?[ \t]+\\+(\\d+)(?:,\\d+)?[ \t]+@@");

    private Sheet() {
    }

    static List<String> written(List<String> old, List<String> now, List<Search.Part> parts, String from, String to, int context) {
        List<String> lines = new ArrayList<>();
        if (parts.isEmpty()) {
            return lines;
        }
        lines.add("--- " + (from == null ? "/dev/null" : from));
        lines.add("+++ " + (to == null ? "/dev/null" : to));
        for (int first = 0; first < parts.size(); ) {
            int next = first + 1;
            while (next < parts.size() && parts.get(next).oldPlace - parts.get(next - 1).oldEnd() <= 2 * context) {
                next++;
            }
            boolean nameless = from == null && parts.size() == 1;
            lines.addAll(hunk(old, now, parts.subList(first, next), context, nameless));
            first = next;
        }
        return lines;
    }

    private static List<String> hunk(List<String> old, List<String> now, List<Search.Part> parts, int context, boolean nameless) {
        List<String> body = new ArrayList<>();
        Search.Part first = parts.get(0);
        int at = Math.max(0, first.oldPlace - context);
        for (Search.Part part : parts) {
            old.subList(at, part.oldPlace).forEach(line -> body.add(" " + line));
            old.subList(part.oldPlace, part.oldEnd()).forEach(line -> body.add("-" + line));
            now.subList(part.newPlace, part.newEnd()).forEach(line -> body.add("+" + line));
            at = part.oldEnd();
        }
        old.subList(at, Math.min(old.size(), at + context)).forEach(line -> body.add(" " + line));
        long olds = body.stream().filter(line -> line.charAt(0) != '+').count();
        long news = body.stream().filter(line -> line.charAt(0) != '-').count();
        int oldStart = nameless ? 0 : Math.max(1, first.oldPlace + 1 - context);
        int newStart = Math.max(1, first.newPlace + 1 - context);
        body.add(0, "@@ -" + oldStart + "," + olds + " +" + newStart + "," + news + " @@");
        return body;
    }

    /** A hunk that was read. */
    static final class Hunk {
        final int oldPlace;
        final int newPlace;
        final List<String> old = new ArrayList<>();
        final List<String> now = new ArrayList<>();
        final StringBuilder removed = new StringBuilder("removed");
        final StringBuilder added = new StringBuilder("added");

        Hunk(int oldPlace, int newPlace) {
            this.oldPlace = oldPlace;
            this.newPlace = newPlace;
        }

        void take(String line) {
            char sign = line.isEmpty() ? ' ' : line.charAt(0);
            String rest = line.isEmpty() ? "" : line.substring(1);
            if (sign == ' ' || sign == '-') {
                old.add(rest);
            }
            if (sign == ' ' || sign == '+') {
                now.add(rest);
            }
            if (sign == '-') {
                removed.append(' ').append(oldPlace + old.size());
            } else if (sign == '+') {
                added.append(' ').append(newPlace + now.size());
            }
        }
    }

    static List<Hunk> hunks(List<String> lines) {
        int start = 0;
        while (start < lines.size() && !lines.get(start).startsWith("+++")) {
            start++;
        }
        List<Hunk> found = new ArrayList<>();
        Hunk current = new Hunk(-1, -1);
        found.add(current);
        for (String line : lines.subList(Math.min(start + 1, lines.size()), lines.size())) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                current = new Hunk(place(heading.group(1)), place(heading.group(2)));
                found.add(current);
            } else {
                current.take(line);
            }
        }
        found.removeIf(hunk -> hunk.old.isEmpty() && hunk.now.isEmpty());
        found.sort(Comparator.comparingInt(hunk -> hunk.oldPlace));
        return found;
    }

    private static int place(String start) {
        return Math.max(1, Integer.parseInt(start)) - 1;
    }

    static List<String> listed(List<Hunk> hunks) {
        List<String> lines = new ArrayList<>();
        for (Hunk hunk : hunks) {
            lines.add("hunk " + hunk.oldPlace + "," + hunk.old.size() + " " + hunk.newPlace + "," + hunk.now.size());
            lines.add(hunk.removed.toString());
            lines.add(hunk.added.toString());
            hunk.old.forEach(line -> lines.add("-" + line));
            hunk.now.forEach(line -> lines.add("+" + line));
        }
        return lines;
    }

    static List<String> used(List<String> text, List<Hunk> hunks, boolean back) {
        List<String> lines = new ArrayList<>(text);
        for (int index = hunks.size() - 1; index >= 0; index--) {
            Hunk hunk = hunks.get(index);
            int place = back ? hunk.newPlace : hunk.oldPlace;
            List<String> gone = back ? hunk.now : hunk.old;
            String fault = back ? unfit(lines, place, gone.size()) : fault(lines, place, gone);
            if (fault != null) {
                return List.of("error: " + fault);
            }
            lines.subList(place, place + gone.size()).clear();
            lines.addAll(place, back ? hunk.old : hunk.now);
        }
        return lines.stream().map(line -> "|" + line).toList();
    }

    private static String unfit(List<String> lines, int place, int count) {
        return place < 0 || place > lines.size() || place + count > lines.size() ? "too-short" : null;
    }

    private static String fault(List<String> lines, int place, List<String> wanted) {
        if (place < 0 || place > lines.size() || place + wanted.size() > lines.size() + 1) {
            return "too-short";
        }
        for (int index = 0; index < wanted.size(); index++) {
            if (place + index >= lines.size()) {
                return "too-short";
            }
            if (!lines.get(place + index).equals(wanted.get(index))) {
                return "no-match";
            }
        }
        return null;
    }
}
