using System.Numerics;
using System.Text.RegularExpressions;

/// <summary>Reads figures in a purser's hand.</summary>
public sealed class Purser
{
    private const int MostDigits = 28;
    private readonly string text;
    private int at;
    private bool sign, bracket, crowns, negative;

    private Purser(string text)
    {
        this.text = text;
    }

    public static string Read(string text)
    {
        Figure figure = new Purser(text).Figure();
        return Codes.Minus(figure) + figure.Plain(".");
    }

    private Figure Figure()
    {
        while (Front())
        {
        }
        Match found = new Regex("\\G([0-9][0-9.]*)?(?:,([0-9]*))?(?:[eE]([+-]?[0-9]{1,6}))?").Match(text, at);
        string whole = found.Groups[1].Value.Replace(".", ""), decimals = found.Groups[2].Value;
        if (whole.Length + decimals.Length == 0)
        {
            throw new Refusal("figure");
        }
        at += found.Length;
        while (Behind())
        {
        }
        if (at < text.Length || bracket)
        {
            throw new Refusal("figure");
        }
        var digits = BigInteger.Parse(whole + decimals);
        int power = found.Groups[3].Success ? int.Parse(found.Groups[3].Value.TrimStart('+')) : 0;
        if (digits.IsZero && power > decimals.Length)
        {
            power = decimals.Length;
        }
        if (digits.ToString().Length - decimals.Length + power > MostDigits && !digits.IsZero)
        {
            throw new Refusal("range");
        }
        return new Figure(digits, decimals.Length, negative).Shifted(power);
    }

    private bool Front()
    {
        if (at == text.Length)
        {
            return false;
        }
        if (text[at] == '(' && !sign)
        {
            sign = bracket = negative = true;
            at++;
            return true;
        }
        bool blank = text[at] == ' ' && (!sign || crowns);
        at += blank ? 1 : 0;
        return blank || Common();
    }

    private bool Behind()
    {
        if (at == text.Length)
        {
            return false;
        }
        if (text[at] == ' ' || (text[at] == ')' && bracket))
        {
            bracket = bracket && text[at] == ' ';
            at++;
            return true;
        }
        return Common();
    }

    /// <summary>Step over a sign or the name of the money, once each.</summary>
    private bool Common()
    {
        if (!sign && (text[at] == '+' || text[at] == '-'))
        {
            sign = true;
            negative = text[at] == '-';
            at++;
            return true;
        }
        bool found = !crowns && string.CompareOrdinal(text, at, "kr", 0, 2) == 0;
        crowns |= found;
        at += found ? 2 : 0;
        return found;
    }
}
