using System;
using System.Linq;
using System.Numerics;

/// <summary>What is answered with "error: " and its reason.</summary>
public sealed class Refusal : Exception
{
    public Refusal(string reason) : base(reason) { }
}

/// <summary>An exact decimal figure: its digits as a whole number, and how many of them are decimals.</summary>
public struct Figure
{
    public readonly BigInteger Digits;
    public readonly int Decimals;
    public readonly bool Negative;

    public Figure(BigInteger digits, int decimals, bool negative)
    {
        Digits = digits;
        Decimals = decimals;
        Negative = negative && !digits.IsZero;
    }

    public bool IsNought { get { return Digits.IsZero; } }

    /// <summary>Power of ten of the first digit.</summary>
    public int Power { get { return IsNought ? 0 : Digits.ToString().Length - 1 - Decimals; } }

    public static Figure Parse(string text)
    {
        bool negative = text.StartsWith("-");
        string[] sides = text.TrimStart('-').Split('.');
        string decimals = sides.Length > 1 ? sides[1] : "";
        return new Figure(BigInteger.Parse(sides[0] + decimals), decimals.Length, negative);
    }

    public Figure Times(int factor)
    {
        return new Figure(Digits * factor, Decimals, Negative);
    }

    /// <summary>The figure with its point moved to the right.</summary>
    public Figure Shifted(int places)
    {
        int decimals = Decimals - places;
        return decimals >= 0
            ? new Figure(Digits, decimals, Negative)
            : new Figure(Digits * BigInteger.Pow(10, -decimals), 0, Negative);
    }

    /// <summary>Exactly so many decimals (or noughts before the point, when negative); halves go away from nought, or to the even.</summary>
    public Figure Rounded(int decimals, bool even = false)
    {
        if (decimals >= Decimals)
        {
            return new Figure(Digits * BigInteger.Pow(10, decimals - Decimals), decimals, Negative);
        }
        BigInteger unit = BigInteger.Pow(10, Decimals - decimals), rest;
        BigInteger kept = BigInteger.DivRem(Digits, unit, out rest);
        int order = (rest * 2).CompareTo(unit);
        if (order > 0 || (order == 0 && (!even || !kept.IsEven)))
        {
            kept += 1;
        }
        return decimals >= 0
            ? new Figure(kept, decimals, Negative)
            : new Figure(kept * BigInteger.Pow(10, -decimals), 0, Negative);
    }

    /// <summary>Digits before the point; empty below one.</summary>
    public string Whole
    {
        get
        {
            string text = Digits.ToString().PadLeft(Decimals + 1, '0');
            return text.Substring(0, text.Length - Decimals).TrimStart('0');
        }
    }

    public string Fraction
    {
        get
        {
            string text = Digits.ToString().PadLeft(Decimals + 1, '0');
            return text.Substring(text.Length - Decimals);
        }
    }

    /// <summary>Without a minus, with at least one digit before the mark.</summary>
    public string Plain(string mark)
    {
        string whole = Whole.Length == 0 ? "0" : Whole;
        return Decimals > 0 ? whole + mark + Fraction : whole;
    }
}
