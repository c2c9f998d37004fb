using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

public static class Webhook
{
    const long ToleranceSeconds = 300;

    /// <summary>
    /// Returns whether one of the secrets signed this body within five minutes of now. Call it before you parse the body. Give
    /// several secrets while one is being replaced.
    /// </summary>
    public static bool IsGenuine(
        byte[] body, string id, string timestamp, string signatures, IEnumerable<string> secrets, DateTimeOffset? now = null)
    {
        if (string.IsNullOrEmpty(id) || signatures == null) return false;
        if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var sentAt)) return false;
        var age = (now ?? DateTimeOffset.UtcNow).ToUnixTimeSeconds() - sentAt;
        if (Math.Abs(age) > ToleranceSeconds) return false;
        var content = Encoding.UTF8.GetBytes($"{id}.{timestamp}.").Concat(body).ToArray();
        return secrets.Any(secret => signatures.Split(' ').Any(signature => IsSigned(content, secret, signature)));
    }

    static bool IsSigned(byte[] content, string secret, string signature)
    {
        var key = Convert.FromBase64String(secret.StartsWith("whsec_", StringComparison.Ordinal) ? secret.Substring(6) : secret);
        if (key.Length == 0) return false; // everybody knows the empty key
        string expected;
        using (var hmac = new HMACSHA256(key)) expected = "v1," + Convert.ToBase64String(hmac.ComputeHash(content));
        return CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(expected), Encoding.UTF8.GetBytes(signature));
    }
}
