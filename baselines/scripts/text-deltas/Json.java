import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** As much JSON as the questions need: maps, lists, strings, longs, booleans and null. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Object parse(String text) {
        return new Json(text).value();
    }

    private char peek() {
        while (" \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return text.charAt(at);
    }

    private Object value() {
        switch (peek()) {
            case '{':
                return object();
            case '[':
                return list();
            case '"':
                return string();
            default:
                int start = at;
                while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) {
                    at++;
                }
                String word = text.substring(start, at);
                return word.equals("null") ? null : word.length() > 3 && Character.isLetter(word.charAt(0))
                    ? (Object) word.equals("true") : (Object) (long) Double.parseDouble(word);
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> fields = new LinkedHashMap<>();
        at++;
        while (peek() != '}') {
            if (text.charAt(at) == ',') {
                at++;
                peek();
            }
            String name = string();
            peek();
            at++;
            fields.put(name, value());
        }
        at++;
        return fields;
    }

    private List<Object> list() {
        List<Object> items = new ArrayList<>();
        at++;
        while (peek() != ']') {
            if (text.charAt(at) == ',') {
                at++;
            }
            items.add(value());
        }
        at++;
        return items;
    }

    private String string() {
        StringBuilder found = new StringBuilder();
        for (at++; text.charAt(at) != '"'; at++) {
            char sign = text.charAt(at);
            if (sign != '\\') {
                found.append(sign);
                continue;
            }
            sign = text.charAt(++at);
            int known = "nrtbf".indexOf(sign);
            if (sign == 'u') {
                found.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                at += 4;
            } else {
                found.append(known < 0 ? sign : "\n\r\t\b\f".charAt(known));
            }
        }
        at++;
        return found.toString();
    }
}
