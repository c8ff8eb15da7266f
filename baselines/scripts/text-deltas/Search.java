import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The search that all comparing rests on. */
final class Search {
    private Search() {
    }

    /** Old and new pieces that stand against each other. */
    static final class Part {
        final int oldPlace;
        final int newPlace;
        int oldCount;
        int newCount;

        Part(int oldPlace, int newPlace) {
            this.oldPlace = oldPlace;
            this.newPlace = newPlace;
        }

        String kind() {
            return oldCount == 0 ? "insert" : newCount == 0 ? "delete" : "change";
        }

        int oldEnd() {
            return oldPlace + oldCount;
        }

        int newEnd() {
            return newPlace + newCount;
        }
    }

    static String loosely(String piece) {
        return piece.replaceAll("^[ \t\n]+|[ \t\n]+$", "").replaceAll("[ \t\n]+", " ");
    }

    static List<Part> parts(List<String> old, List<String> now, boolean loose) {
        List<String> a = loose ? old.stream().map(Search::loosely).toList() : old;
        List<String> b = loose ? now.stream().map(Search::loosely).toList() : now;
        return grouped(steps(a, b));
    }

    /** The steps of the way, each as the point that it starts from and 1 for a removal or 0 for an insertion. */
    private static List<int[]> steps(List<String> a, List<String> b) {
        int most = a.size() + b.size() + 1;
        int[] furthest = new int[2 * most + 3];
        List<int[]> kept = new ArrayList<>();
        for (int d = 0; ; d++) {
            for (int k = -d; k <= d; k += 2) {
                int here = most + 1 + k;
                boolean insertion = inserts(furthest, here, k, d);
                int i = d == 0 ? 0 : insertion ? furthest[here + 1] : furthest[here - 1] + 1;
                while (i < a.size() && i - k < b.size() && a.get(i).equals(b.get(i - k))) {
                    i++;
                }
                furthest[here] = i;
                if (i >= a.size() && i - k >= b.size()) {
                    return back(kept, most, k, d);
                }
            }
            kept.add(furthest.clone());
        }
    }

    private static boolean inserts(int[] furthest, int here, int k, int d) {
        return k == -d || (k != d && furthest[here - 1] < furthest[here + 1]);
    }

    private static List<int[]> back(List<int[]> kept, int most, int k, int d) {
        List<int[]> steps = new ArrayList<>();
        for (; d > 0; d--) {
            int[] furthest = kept.get(d - 1);
            boolean insertion = inserts(furthest, most + 1 + k, k, d);
            k += insertion ? 1 : -1;
            int i = furthest[most + 1 + k];
            steps.add(new int[] {i, i - k, insertion ? 0 : 1});
        }
        Collections.reverse(steps);
        return steps;
    }

    private static List<Part> grouped(List<int[]> steps) {
        List<Part> parts = new ArrayList<>();
        Part last = null;
        for (int[] step : steps) {
            if (last == null || last.oldEnd() != step[0] || last.newEnd() != step[1]) {
                last = new Part(step[0], step[1]);
                parts.add(last);
            }
            last.oldCount += step[2];
            last.newCount += 1 - step[2];
        }
        return parts;
    }
}
