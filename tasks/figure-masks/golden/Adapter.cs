using System;
using System.Globalization;
using System.IO;
using System.Json;
using System.Text;
using System.Threading;

/// <summary>Answers the cases of one suite with the runtime's own formats, in the task's terms.</summary>
static class Adapter
{
    static readonly UTF8Encoding Encoding = new UTF8Encoding(false);

    static int Main(string[] arguments)
    {
        if (arguments.Length != 2 || arguments[0] != "--cases-dir")
        {
            Console.Error.WriteLine("usage: --cases-dir SUITE");
            return 2;
        }
        Thread.CurrentThread.CurrentCulture = House.Pen;
        string target = Path.Combine("rcb_tests", "stdout", arguments[1]);
        Directory.CreateDirectory(target);
        foreach (string file in Directory.GetFiles(Path.Combine("rcb_tests", arguments[1]), "*.json"))
        {
            string stem = Path.GetFileNameWithoutExtension(file);
            int index = 0;
            foreach (JsonValue one in (JsonArray)JsonValue.Parse(File.ReadAllText(file, Encoding))["cases"])
            {
                string name = string.Format("{0}@{1:000}.txt", stem, index++);
                try
                {
                    File.WriteAllText(Path.Combine(target, name), Answer((JsonObject)one["input"]) + "\n", Encoding);
                }
                catch (Exception error)
                {
                    // A case that fails leaves the others alone.
                    Console.Error.WriteLine(name + ": " + error);
                }
            }
        }
        return 0;
    }

    static string Answer(JsonObject query)
    {
        switch ((string)query["op"])
        {
            case "print":
                return Attempt("mask", () => "[" + Figure(query).ToString((string)query["mask"], House.Pen) + "]");
            case "read":
                return Attempt("figure", () => Read((string)query["text"]).ToString(House.Plain));
            case "span":
                return AnswerSpan(query);
            default:
                throw new ArgumentException("no such op");
        }
    }

    static string Attempt(string fault, Func<string> attempt)
    {
        try
        {
            return attempt();
        }
        catch (FormatException)
        {
            return "error: " + fault;
        }
        catch (OverflowException)
        {
            return "error: range";
        }
    }

    static decimal Figure(JsonObject query)
    {
        decimal figure = Plain((string)query["figure"]);
        return query.ContainsKey("places") ? decimal.Round(figure, (int)query["places"]) : figure;
    }

    static decimal Plain(string text)
    {
        return decimal.Parse(text, NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, House.Plain);
    }

    static decimal Read(string text)
    {
        return decimal.Parse(text, NumberStyles.Any, House.Pen);
    }

    static string AnswerSpan(JsonObject query)
    {
        var text = (string)query["text"];
        TimeSpan span = TimeSpan.Zero;
        string refusal = Attempt("span", () =>
        {
            span = query.ContainsKey("by")
                ? TimeSpan.ParseExact(text, (string)query["by"], House.Pen)
                : TimeSpan.Parse(text, House.Pen);
            return null;
        });
        string mask = query.ContainsKey("mask") ? (string)query["mask"] : "c";
        return refusal ?? Attempt("mask", () => "[" + span.ToString(mask, House.Pen) + "]");
    }
}
