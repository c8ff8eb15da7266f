import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a JSON text into maps, lists, strings, integers, booleans and nulls. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object read(String text) {
        Json reader = new Json(text);
        Object value = reader.value();
        reader.blanks();
        if (reader.at != text.length()) {
            throw reader.fault();
        }
        return value;
    }

    private Object value() {
        blanks();
        char first = at < text.length() ? text.charAt(at) : 0;
        switch (first) {
            case '{':
                return object();
            case '[':
                return list();
            case '"':
                return string();
            case 't':
                return word("true", Boolean.TRUE);
            case 'f':
                return word("false", Boolean.FALSE);
            case 'n':
                return word("null", null);
            default:
                return number();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> found = new LinkedHashMap<>();
        at++;
        blanks();
        if (take('}')) {
            return found;
        }
        do {
            blanks();
            String key = string();
            blanks();
            expect(':');
            found.put(key, value());
            blanks();
        } while (take(','));
        expect('}');
        return found;
    }

    private List<Object> list() {
        List<Object> found = new ArrayList<>();
        at++;
        blanks();
        if (take(']')) {
            return found;
        }
        do {
            found.add(value());
            blanks();
        } while (take(','));
        expect(']');
        return found;
    }

    private String string() {
        expect('"');
        StringBuilder found = new StringBuilder();
        while (!take('"')) {
            if (at >= text.length()) {
                throw fault();
            }
            char next = text.charAt(at++);
            found.append(next == '\\' ? escaped() : next);
        }
        return found.toString();
    }

    private char escaped() {
        char kind = text.charAt(at++);
        int plain = "bfnrt".indexOf(kind);
        if (plain >= 0) {
            return "\b\f\n\r\t".charAt(plain);
        }
        if (kind != 'u') {
            return kind;
        }
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw fault();
        }
        at += word.length();
        return value;
    }

    private Integer number() {
        int start = at;
        take('-');
        while (at < text.length() && Character.isDigit(text.charAt(at))) {
            at++;
        }
        return Integer.valueOf(text.substring(start, at));
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean take(char sign) {
        boolean there = at < text.length() && text.charAt(at) == sign;
        at += there ? 1 : 0;
        return there;
    }

    private void expect(char sign) {
        if (!take(sign)) {
            throw fault();
        }
    }

    private IllegalArgumentException fault() {
        return new IllegalArgumentException("not JSON at position " + at);
    }
}
