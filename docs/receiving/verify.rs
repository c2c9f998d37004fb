//! Needs the crates hmac 0.13, sha2 0.11 and base64 0.23.

use base64::{Engine, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const TOLERANCE_SECONDS: u64 = 300;

/// Returns whether one of the secrets signed this body within five minutes of `now`, in Unix
/// seconds. Call it before you parse the body. `headers` are webhook-id, webhook-timestamp and
/// webhook-signature, "" if absent. Give several secrets while one is being replaced.
pub fn is_genuine(body: &[u8], headers: [&str; 3], secrets: &[&str], now: u64) -> bool {
    let [id, timestamp, signatures] = headers;
    let is_number = timestamp.bytes().all(|byte| byte.is_ascii_digit());
    let sent_at = timestamp.parse::<u64>().unwrap_or(0);
    if id.is_empty() || !is_number || now.abs_diff(sent_at) > TOLERANCE_SECONDS {
        return false;
    }
    let content = [format!("{id}.{timestamp}.").as_bytes(), body].concat();
    let signatures: Vec<&str> = signatures.split(' ').collect();
    secrets.iter().any(|secret| {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap_or(secret));
        // Everybody knows the empty key.
        key.is_ok_and(|key| !key.is_empty() && is_signed(&content, &signatures, &key))
    })
}

fn is_signed(content: &[u8], signatures: &[&str], key: &[u8]) -> bool {
    let mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    let mac = mac.chain_update(content);
    signatures.iter().any(|signature| {
        let given = STANDARD.decode(signature.strip_prefix("v1,").unwrap_or(""));
        // Compares in constant time.
        given.is_ok_and(|given| mac.clone().verify_slice(&given).is_ok())
    })
}
