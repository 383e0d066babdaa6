import { compactVerify, errors } from 'jose';
import * as z from 'zod';
import { ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { IssuerKey } from './issuer-keys.ts';

/** A parsed token (JWS), whose signature is not verified. */
export interface CompactToken {
  token: string;
  alg: string;
  kid: string;
  payload: Uint8Array;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
// The header of a token. Keys in the header (`jwk`, `jku`, `x5c`, `x5u`) are ignored, because an attacker could sign a
// token with a key of their own and name this key there.
const headerSchema = z.object({
  alg: z.string(),
  kid: z.string(),
  b64: z.undefined().optional(),
});

/**
 * Parses a JWS in compact serialization (RFC 7515, section 3.1). Returns undefined for any other text.
 *
 * It is stricter than most decoders: it accepts only canonical base64url, no white space, and no unencoded payload
 * (`b64`). The signature check refuses other critical extensions (`crit`).
 */
export function parseCompactToken(token: string): CompactToken | undefined {
  const parts = token.split('.').map(decodeBase64Url);
  const [headerBytes, payload, signature] = parts;
  if (parts.length !== 3 || headerBytes === undefined || payload === undefined || signature === undefined)
    return undefined;
  const header = headerSchema.safeParse(parseJson(headerBytes));
  return header.success ? { token, alg: header.data.alg, kid: header.data.kid, payload } : undefined;
}

/** Returns true if one of the keys created the signature. The token's algorithm must be the algorithm of that key. */
export async function isSignedBy({ token, alg }: CompactToken, keys: readonly IssuerKey[]): Promise<boolean> {
  for (const { algorithm, key } of keys) {
    if (algorithm !== alg) continue;
    try {
      await compactVerify(token, key, { algorithms: [algorithm] });
      return true;
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
    }
  }
  return false;
}

/** Parses JSON in UTF-8. Returns undefined if the bytes are not valid. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    return undefined;
  }
}

function decodeBase64Url(part: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(part)) return undefined;
  const bytes = Buffer.from(part, 'base64url');
  return bytes.toString('base64url') === part ? bytes : undefined;
}

const numericDate = z.number().nonnegative();

/** Schemas of a token's times, in seconds since the Unix epoch (RFC 7519, section 4.1). */
export const tokenTimes = { exp: numericDate, iat: numericDate, nbf: numericDate.optional() };

/** Rejects a token that is not valid yet. Allows a difference of one minute between clocks. */
export function checkStarted({ iat, nbf }: { iat: number; nbf?: number | undefined }, now: number): void {
  if (Math.max(iat, nbf ?? 0) > now / 1000 + limits.ciTokenLeewaySeconds)
    throw tokenRefusal('is not valid yet; check the clock of its issuer');
}

export function tokenRefusal(predicate: string): ServiceError {
  return new ServiceError('invalid_identity_token', `The identity token ${predicate}`);
}
