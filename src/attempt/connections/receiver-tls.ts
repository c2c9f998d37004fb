import {
  type ConnectionOptions,
  checkServerIdentity,
  createSecureContext,
  type PeerCertificate,
} from "node:tls";

export type TlsRules = Readonly<{
  /** PEM of authorities to trust in place of the usual ones. */
  certificateAuthorities?: string;
  /** Permits TLS 1.2 without forward secrecy. Off unless given. */
  allowStaticRsa?: boolean;
}>;

/** Rules for the TLS of a receiver; made once, since reading the authorities takes milliseconds. */
export function receiverTls({
  certificateAuthorities: ca,
  allowStaticRsa = false,
}: TlsRules): ConnectionOptions {
  // Excludes static RSA: a key that is stolen later would decrypt every recorded connection.
  const ciphers = allowStaticRsa ? "DEFAULT" : "DEFAULT:!kRSA";
  return {
    secureContext: createSecureContext({ ca, ciphers }),
    ALPNProtocols: ["http/1.1"],
    checkServerIdentity: checkIdentity,
  };
}

/**
 * Returns why a certificate does not match the host. Ignores the common name (RFC 9525, 2), since authorities do not
 * vet it, and name constraints do not cover it.
 */
function checkIdentity(host: string, certificate: PeerCertificate): Error | undefined {
  const { CN: _, ...subject } = certificate.subject ?? {};
  return checkServerIdentity(host, { ...certificate, subject } as PeerCertificate);
}
