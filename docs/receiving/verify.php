<?php

declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/**
 * Returns whether one of the secrets signed this body within five minutes of now. Call it before you parse the body:
 *
 *     isGenuine(
 *         file_get_contents('php://input'),
 *         $_SERVER['HTTP_WEBHOOK_ID'] ?? '',
 *         $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '',
 *         $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '',
 *         explode(' ', getenv('WEBHOOK_SECRET')), // several while one is being replaced
 *     )
 *
 * @param list<string> $secrets
 */
function isGenuine(string $body, string $id, string $timestamp, string $signatures, array $secrets, ?int $now = null): bool
{
    if ($id === '' || preg_match('/^\d{1,15}$/D', $timestamp) !== 1) return false;
    if (abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) return false;
    foreach ($secrets as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        // Everybody knows the empty key.
        if ($key === false || $key === '') continue;
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $signatures) as $signature) {
            if (hash_equals($expected, $signature)) return true;
        }
    }
    return false;
}
