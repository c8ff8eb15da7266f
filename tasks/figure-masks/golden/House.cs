using System.Globalization;

/// <summary>How the house writes figures; everything else is left as in the neutral culture.</summary>
static class House
{
    public static readonly CultureInfo Plain = CultureInfo.InvariantCulture;
    public static readonly CultureInfo Pen = MakePen();

    static CultureInfo MakePen()
    {
        var pen = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        NumberFormatInfo figures = pen.NumberFormat;
        figures.NumberDecimalSeparator = figures.CurrencyDecimalSeparator = figures.PercentDecimalSeparator = ",";
        figures.NumberGroupSeparator = figures.CurrencyGroupSeparator = figures.PercentGroupSeparator = ".";
        figures.NumberGroupSizes = new[] { 3, 2 };
        figures.CurrencyGroupSizes = figures.PercentGroupSizes = new[] { 3 };
        figures.NumberDecimalDigits = 3;
        figures.CurrencyDecimalDigits = 2;
        figures.PercentDecimalDigits = 1;
        figures.NumberNegativePattern = 3;
        figures.CurrencySymbol = "kr";
        figures.CurrencyPositivePattern = 3;
        figures.CurrencyNegativePattern = 15;
        figures.PercentPositivePattern = 1;
        figures.PercentNegativePattern = 1;
        return pen;
    }
}
