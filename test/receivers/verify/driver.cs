using System;
using System.Text;

// Prints whether each vector, a line of stdin, is genuine.
public static class Driver
{
    public static void Main()
    {
        Console.InputEncoding = new UTF8Encoding(false);
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var fields = line.Split('\t');
            var body = Encoding.UTF8.GetBytes(fields[0]);
            var now = DateTimeOffset.FromUnixTimeSeconds(long.Parse(fields[5]));
            var isGenuine = Webhook.IsGenuine(body, fields[1], fields[2], fields[3], fields[4].Split(' '), now);
            Console.WriteLine(isGenuine ? "true" : "false");
        }
    }
}
