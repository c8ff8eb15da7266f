using System;
using System.Linq;
using System.Text;

/// <summary>Masks of one letter, perhaps with digits.</summary>
public static class Codes
{
    public static string Print(Figure figure, char letter, int? digits)
    {
        switch (char.ToUpper(letter))
        {
            case 'N':
                figure = figure.Rounded(digits ?? 3);
                return Grouped(figure, 2) + (figure.Negative ? "-" : "");
            case 'F':
                figure = figure.Rounded(digits ?? 3);
                return Minus(figure) + figure.Plain(",");
            case 'C':
                figure = figure.Rounded(digits ?? 2);
                string amount = Grouped(figure, 3) + " kr";
                return figure.Negative ? "(" + amount + ")" : amount;
            case 'P':
                figure = figure.Times(100).Rounded(digits ?? 1);
                return Minus(figure) + Grouped(figure, 3) + "%";
            case 'E':
                return Scientific(figure, digits ?? 6, letter, 3);
            case 'G':
                return digits == null ? Minus(figure) + figure.Plain(",") : General(figure, digits.Value, letter);
            default:
                throw new Refusal("mask");
        }
    }

    public static string Minus(Figure figure)
    {
        return figure.Negative ? "-" : "";
    }

    /// <summary>Whether a group mark follows a digit that has so many digits between it and the comma.</summary>
    public static bool EndsGroup(int right, int further)
    {
        return right == 3 || (right > 3 && (right - 3) % further == 0);
    }

    private static string Grouped(Figure figure, int further)
    {
        string[] sides = figure.Plain(",").Split(',');
        var text = new StringBuilder();
        for (int at = 0; at < sides[0].Length; at++)
        {
            text.Append(sides[0][at]);
            if (EndsGroup(sides[0].Length - 1 - at, further))
            {
                text.Append('.');
            }
        }
        return sides.Length > 1 ? text + "," + sides[1] : text.ToString();
    }

    public static string Power(int power, char letter, int least, bool plus = true)
    {
        return letter + (power < 0 ? "-" : plus ? "+" : "") + Math.Abs(power).ToString().PadLeft(least, '0');
    }

    private static string Scientific(Figure figure, int decimals, char letter, int least)
    {
        Figure rounded = figure.Rounded(decimals - figure.Power);
        int power = rounded.Power;
        string digits = rounded.Digits.ToString().PadRight(decimals + 1, '0').Substring(0, decimals + 1);
        return Minus(figure) + digits.Substring(0, 1) + (decimals > 0 ? "," + digits.Substring(1) : "") + Power(power, letter, least);
    }

    private static string General(Figure figure, int digits, char letter)
    {
        Figure rounded = figure.Rounded(digits - 1 - figure.Power);
        if (rounded.Power < -4 || rounded.Power >= digits)
        {
            string text = rounded.Digits.ToString().TrimEnd('0');
            string mantissa = text.Length > 1 ? text.Substring(0, 1) + "," + text.Substring(1) : text;
            return Minus(figure) + mantissa + Power(rounded.Power, letter == 'G' ? 'E' : 'e', 2);
        }
        string plain = rounded.Plain(",");
        return Minus(figure) + (plain.Contains(",") ? plain.TrimEnd('0').TrimEnd(',') : plain);
    }
}
