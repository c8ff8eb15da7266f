using System.Collections.Generic;
using System.Linq;
using System.Numerics;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>A part of a mask for spans: a letter so many times, or a text.</summary>
public sealed class SpanPiece
{
    public char Letter;
    public int Count;
    public string Text;

    private static readonly Regex Next = new Regex(
        "\\G(?:'([^']*)'|\"([^\"]*)\"|\\\\(.)|%([dhmsfF])|(d{1,8}|h{1,2}|m{1,2}|s{1,2}|f{1,7}|F{1,7}))", RegexOptions.Singleline);

    /// <summary>The pieces of a mask; null: it is not valid.</summary>
    public static List<SpanPiece> All(string mask)
    {
        var pieces = new List<SpanPiece>();
        for (int at = 0; at < mask.Length; )
        {
            Match found = Next.Match(mask, at);
            if (!found.Success)
            {
                return null;
            }
            at += found.Length;
            string letters = found.Groups[4].Value + found.Groups[5].Value;
            if (letters.Length == 0)
            {
                pieces.Add(new SpanPiece { Text = found.Groups[1].Value + found.Groups[2].Value + found.Groups[3].Value });
                continue;
            }
            if (found.Groups[5].Success && at < mask.Length && mask[at] == letters[0])
            {
                return null; // too many letters
            }
            pieces.Add(new SpanPiece { Letter = letters[0], Count = letters.Length });
        }
        return pieces;
    }
}

/// <summary>Spans of time in ticks, of which a second has ten million.</summary>
public static class Spans
{
    private const long Second = 10000000;
    private static readonly Regex Usual = new Regex(
        "^(-?)(?:([0-9]+)|(?:([0-9]+)\\.)?([0-9]+):([0-9]+)|(?:([0-9]+)[.:])?([0-9]+):([0-9]+):([0-9]+)(?:\\.([0-9]{1,7}))?)\\z");

    private static BigInteger Number(Group group)
    {
        return group.Success && group.Length > 0 ? BigInteger.Parse(group.Value) : BigInteger.Zero;
    }

    private static bool Fits(BigInteger hours, BigInteger minutes, BigInteger seconds)
    {
        return hours < 24 && minutes < 60 && seconds < 60;
    }

    private static BigInteger Ticks(BigInteger days, BigInteger hours, BigInteger minutes, BigInteger seconds, string fraction)
    {
        BigInteger ticks = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * Second + BigInteger.Parse("0" + fraction.PadRight(7, '0'));
        if (!Fits(hours, minutes, seconds) || ticks > long.MaxValue)
        {
            throw new Refusal("range");
        }
        return ticks;
    }

    public static BigInteger Read(string text)
    {
        Match found = Usual.Match(text.Trim(' '));
        if (!found.Success)
        {
            throw new Refusal("span");
        }
        GroupCollection part = found.Groups;
        BigInteger ticks;
        if (part[2].Success)
        {
            ticks = Ticks(Number(part[2]), 0, 0, 0, "");
        }
        else if (part[4].Success)
        {
            ticks = Ticks(Number(part[3]), Number(part[4]), Number(part[5]), 0, "");
        }
        else
        {
            BigInteger a = Number(part[7]), b = Number(part[8]), c = Number(part[9]);
            bool three = !part[6].Success && !part[10].Success;
            ticks = three && !Fits(a, b, c) ? Ticks(a, b, c, 0, "") : Ticks(Number(part[6]), a, b, c, part[10].Value);
        }
        return part[1].Length > 0 ? -ticks : ticks;
    }

    public static BigInteger ReadBy(string text, string mask)
    {
        List<SpanPiece> pieces = mask.Length > 1 ? SpanPiece.All(mask) : null;
        if (pieces == null)
        {
            throw new Refusal("span");
        }
        var seen = new Dictionary<char, string>();
        int at = 0;
        foreach (SpanPiece piece in pieces)
        {
            string taken = piece.Text;
            if (taken == null)
            {
                bool exact = piece.Letter == 'f' || (piece.Letter != 'F' && piece.Count > 1);
                int most = exact || piece.Letter == 'F' ? piece.Count : piece.Letter == 'd' ? 8 : 2;
                taken = new string(text.Skip(at).Take(most).TakeWhile(sign => sign >= '0' && sign <= '9').ToArray());
                char letter = piece.Letter == 'F' ? 'f' : piece.Letter;
                if (taken.Length < (exact ? most : piece.Letter == 'F' ? 0 : 1) || seen.ContainsKey(letter))
                {
                    throw new Refusal("span");
                }
                seen[letter] = taken;
            }
            else if (string.CompareOrdinal(text, at, taken, 0, taken.Length) != 0)
            {
                throw new Refusal("span");
            }
            at += taken.Length;
        }
        if (at != text.Length)
        {
            throw new Refusal("span");
        }
        BigInteger[] numbers = "dhms".Select(letter => seen.ContainsKey(letter) ? BigInteger.Parse(seen[letter]) : 0).ToArray();
        return Ticks(numbers[0], numbers[1], numbers[2], numbers[3], seen.ContainsKey('f') ? seen['f'] : "");
    }

    public static string Print(BigInteger ticks, string mask)
    {
        string minus = ticks.Sign < 0 ? "-" : "";
        BigInteger size = BigInteger.Abs(ticks), seconds = size / Second;
        var numbers = new Dictionary<char, BigInteger>
        {
            { 'd', seconds / 86400 }, { 'h', seconds / 3600 % 24 }, { 'm', seconds / 60 % 60 }, { 's', seconds % 60 },
        };
        string fraction = (size % Second).ToString().PadLeft(7, '0');
        bool days = !numbers['d'].IsZero, rest = size % Second != 0;
        switch (mask)
        {
            case "":
            case "c":
            case "t":
            case "T":
                return minus + Custom(numbers, fraction, (days ? "d\\." : "") + "hh\\:mm\\:ss" + (rest ? "\\.fffffff" : ""));
            case "g":
                return minus + Custom(numbers, fraction, (days ? "d\\:" : "") + "h\\:mm\\:ss" + (rest ? "\\.FFFFFFF" : ""));
            case "G":
                return minus + Custom(numbers, fraction, "d\\:hh\\:mm\\:ss\\.fffffff");
        }
        if (mask.Length == 1)
        {
            throw new Refusal("mask");
        }
        return Custom(numbers, fraction, mask);
    }

    private static string Custom(Dictionary<char, BigInteger> numbers, string fraction, string mask)
    {
        List<SpanPiece> pieces = SpanPiece.All(mask);
        if (pieces == null)
        {
            throw new Refusal("mask");
        }
        var text = new StringBuilder();
        foreach (SpanPiece piece in pieces)
        {
            if (piece.Text != null)
            {
                text.Append(piece.Text);
            }
            else if (numbers.ContainsKey(piece.Letter))
            {
                text.Append(numbers[piece.Letter].ToString().PadLeft(piece.Count, '0'));
            }
            else
            {
                string digits = fraction.Substring(0, piece.Count);
                text.Append(piece.Letter == 'F' ? digits.TrimEnd('0') : digits);
            }
        }
        return text.ToString();
    }
}
