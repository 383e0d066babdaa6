import { compactVerify, errors } from 'jose';
import * as z from 'zod';
import type { IssuerKey } from './issuer-key.ts';

/** A token taken apart: nothing of it is verified. */
export interface CompactToken {
  token: string;
  alg: string;
  kid: string;
  payload: Uint8Array;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
// Of the header only these are read: a key that the token brings along (`jwk`, `jku`, `x5c`, `x5u`) proves nothing.
const headerSchema = z.object({
  alg: z.string(),
  kid: z.string(),
  b64: z.undefined().optional(),
});

/**
 * Takes apart a JWS in compact serialization (RFC 7515, 3.1); undefined for anything else. Stricter than decoders are:
 * one spelling of base64url, no white space, no unencoded payload (`b64`). Other extensions that must be understood
 * (`crit`) are refused with the signature.
 */
export function parseCompactToken(token: string): CompactToken | undefined {
  const parts = token.split('.').map(decodeBase64Url);
  const [headerBytes, payload, signature] = parts;
  if (parts.length !== 3 || headerBytes === undefined || payload === undefined || signature === undefined)
    return undefined;
  const header = headerSchema.safeParse(parseJson(headerBytes));
  return header.success ? { token, alg: header.data.alg, kid: header.data.kid, payload } : undefined;
}

/** Whether one of the keys made the signature, with the algorithm that the token claims and the key is for. */
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

/** The JSON in some bytes; undefined when they are not JSON in UTF-8. */
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
