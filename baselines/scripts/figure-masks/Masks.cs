using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>One section of a mask of places.</summary>
public sealed class Section
{
    private enum Kind { Text, Place, Point, Power }

    private sealed class Piece
    {
        public Kind Kind;
        public string Text;
    }

    private readonly List<Piece> pieces = new List<Piece>();
    private readonly bool grouped;
    private readonly int whole; // places before the point
    private readonly int least; // of these, those that always print
    private readonly int decimals;
    private readonly int leastDecimals;
    private readonly int factor = 1;
    private readonly int thousands;
    private readonly bool hasPoint;
    private readonly bool hasPower;

    public Section(string mask)
    {
        var commas = new List<int>(); // places before each comma that stands before the point
        var places = new[] { new StringBuilder(), new StringBuilder() };
        for (int at = 0; at < mask.Length; at++)
        {
            char sign = mask[at];
            Match power = Regex.Match(mask.Substring(at), "^[eE][+-]?0+");
            if (sign == '\\' || sign == '\'' || sign == '"')
            {
                int end = End(mask, at);
                string inside = mask.Substring(at + 1, end - at - 1);
                Add(Kind.Text, sign != '\\' && inside.EndsWith(sign.ToString()) ? inside.Substring(0, inside.Length - 1) : inside);
                at = end - 1;
            }
            else if (sign == '0' || sign == '#')
            {
                places[hasPoint ? 1 : 0].Append(sign);
                Add(Kind.Place, sign.ToString());
            }
            else if (sign == '.')
            {
                if (!hasPoint)
                {
                    Add(Kind.Point, sign.ToString());
                }
                hasPoint = true;
            }
            else if (sign == ',')
            {
                if (!hasPoint)
                {
                    commas.Add(places[0].Length);
                }
            }
            else if (power.Success)
            {
                Add(Kind.Power, power.Value);
                hasPower = true;
                at += power.Length - 1;
            }
            else
            {
                factor *= sign == '%' ? 100 : sign == '‰' ? 1000 : 1;
                Add(Kind.Text, sign.ToString());
            }
        }
        string front = places[0].ToString(), behind = places[1].ToString();
        whole = front.Length;
        least = front.Contains('0') ? whole - front.IndexOf('0') : 0;
        decimals = behind.Length;
        leastDecimals = behind.LastIndexOf('0') + 1;
        grouped = commas.Any(count => count > 0 && count < whole);
        thousands = commas.Count(count => count > 0 && count == whole);
    }

    /// <summary>Where a quote or an escape that begins at a place ends.</summary>
    public static int End(string mask, int at)
    {
        if (mask[at] == '\\')
        {
            return System.Math.Min(at + 2, mask.Length);
        }
        int close = mask.IndexOf(mask[at], at + 1);
        return close < 0 ? mask.Length : close + 1;
    }

    private void Add(Kind kind, string text)
    {
        pieces.Add(new Piece { Kind = kind, Text = text });
    }

    /// <summary>The figure as this section rounds it.</summary>
    public Figure Rounded(Figure figure)
    {
        return hasPower ? figure : figure.Times(factor).Shifted(-3 * thousands).Rounded(decimals);
    }

    public string Print(Figure given)
    {
        int power = 0;
        Figure figure = Rounded(given);
        if (hasPower)
        {
            power = figure.IsNought ? 0 : figure.Power - whole + 1;
            figure = given.Shifted(-power).Rounded(decimals);
            if (figure.Whole.Length > whole)
            {
                power++;
                figure = given.Shifted(-power).Rounded(decimals);
            }
        }
        string front = figure.Whole.PadLeft(hasPower ? whole : least, '0');
        string behind = figure.Fraction;
        while (behind.Length > leastDecimals && behind.EndsWith("0"))
        {
            behind = behind.Substring(0, behind.Length - 1);
        }
        return Written(front, behind, power);
    }

    private string Written(string front, string behind, int power)
    {
        var text = new StringBuilder();
        int printed = 0, place = 0, decimalPlace = 0;
        bool point = false, begun = false;
        foreach (Piece piece in pieces)
        {
            if (piece.Kind == Kind.Place && point)
            {
                text.Append(decimalPlace < behind.Length ? behind.Substring(decimalPlace, 1) : "");
                decimalPlace++;
            }
            else if (piece.Kind == Kind.Place || piece.Kind == Kind.Point)
            {
                point = piece.Kind == Kind.Point;
                int upTo = point && begun ? printed : front.Length - System.Math.Max(0, whole - 1 - place);
                begun = true;
                for (; printed < upTo; printed++)
                {
                    text.Append(front[printed]);
                    text.Append(grouped && Codes.EndsGroup(front.Length - 1 - printed, 2) ? "." : "");
                }
                place++;
                text.Append(point && behind.Length > 0 ? "," : "");
            }
            else
            {
                text.Append(piece.Kind == Kind.Text ? piece.Text : Codes.Power(power, piece.Text[0], piece.Text.Count(sign => sign == '0'), piece.Text.Contains('+')));
            }
        }
        return text.ToString();
    }
}

/// <summary>Prints figures through masks.</summary>
public static class Masks
{
    public static string Print(Figure figure, string mask)
    {
        Match code = Regex.Match(mask, "^([A-Za-z])([0-9]{0,2})\\z");
        if (mask.Length == 0)
        {
            return Codes.Print(figure, 'G', null);
        }
        if (code.Success)
        {
            string digits = code.Groups[2].Value;
            return Codes.Print(figure, mask[0], digits.Length == 0 ? (int?)null : int.Parse(digits));
        }
        List<string> sections = Split(mask);
        int chosen = figure.IsNought ? 2 : figure.Negative ? 1 : 0;
        chosen = Has(sections, chosen) ? chosen : 0;
        if (!figure.IsNought && new Section(sections[chosen]).Rounded(figure).IsNought)
        {
            figure = new Figure(0, 0, false);
            chosen = Has(sections, 2) ? 2 : 0;
        }
        return (chosen == 0 ? Codes.Minus(figure) : "") + new Section(sections[chosen]).Print(figure);
    }

    private static bool Has(List<string> sections, int number)
    {
        return number < sections.Count && sections[number].Length > 0;
    }

    private static List<string> Split(string mask)
    {
        var sections = new List<string> { "" };
        for (int at = 0; at < mask.Length; at++)
        {
            char sign = mask[at];
            int end = sign == '\\' || sign == '\'' || sign == '"' ? Section.End(mask, at) : at + 1;
            if (sign == ';')
            {
                sections.Add("");
            }
            else
            {
                sections[sections.Count - 1] += mask.Substring(at, end - at);
            }
            at = end - 1;
        }
        return sections;
    }
}
