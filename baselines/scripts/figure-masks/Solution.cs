using System;
using System.IO;
using System.Json;
using System.Linq;
using System.Numerics;
using System.Text;

/// <summary>Answers every question of a suite.</summary>
public static class Solution
{
    private static string Text(JsonValue question, string field, string otherwise = null)
    {
        return question.ContainsKey(field) && question[field] != null ? (string)question[field] : otherwise;
    }

    private static string Answer(JsonValue question)
    {
        try
        {
            switch (Text(question, "op"))
            {
                case "print":
                    Figure figure = Figure.Parse(Text(question, "figure"));
                    if (question.ContainsKey("places") && (int)question["places"] < figure.Decimals)
                    {
                        figure = figure.Rounded((int)question["places"], true);
                    }
                    return "[" + Masks.Print(figure, Text(question, "mask", "")) + "]";
                case "read":
                    return Purser.Read(Text(question, "text"));
                default:
                    string text = Text(question, "text"), by = Text(question, "by");
                    BigInteger ticks = by == null ? Spans.Read(text) : Spans.ReadBy(text, by);
                    return "[" + Spans.Print(ticks, Text(question, "mask", "")) + "]";
            }
        }
        catch (Refusal refusal)
        {
            return "error: " + refusal.Message;
        }
    }

    public static void Main(string[] arguments)
    {
        string suite = arguments.Last(), target = Path.Combine("rcb_tests", "stdout", suite);
        Directory.CreateDirectory(target);
        foreach (string file in Directory.GetFiles(Path.Combine("rcb_tests", suite), "*.json"))
        {
            JsonValue cases = JsonValue.Parse(File.ReadAllText(file, Encoding.UTF8))["cases"];
            for (int index = 0; index < cases.Count; index++)
            {
                string name = string.Format("{0}@{1:000}.txt", Path.GetFileNameWithoutExtension(file), index);
                try
                {
                    File.WriteAllText(Path.Combine(target, name), Answer(cases[index]["input"]) + "\n", new UTF8Encoding(false));
                }
                catch (Exception error)
                {
                    Console.Error.WriteLine(name + ": " + error.Message);
                }
            }
        }
    }
}
