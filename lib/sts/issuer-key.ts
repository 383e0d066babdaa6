import { createPublicKey, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import type { CiIssuer } from '../domain/ci/issuers.ts';

export type TokenAlgorithm = CiIssuer['algorithms'][number];

export interface IssuerKey {
  kid: string;
  algorithm: TokenAlgorithm;
  key: KeyObject;
}

const base64Url = z.string().regex(/^[A-Za-z0-9_-]+$/);
const published = {
  kid: z.string().min(1),
  use: z.literal('sig').optional(),
  key_ops: z
    .array(z.string())
    .refine((operations) => operations.includes('verify'))
    .optional(),
};
/** Reads only the public parts. A key set that leaks private parts does not create a private key here. */
const keySchema = z.discriminatedUnion('kty', [
  z.object({
    ...published,
    kty: z.literal('RSA'),
    alg: z.literal('RS256').default('RS256'),
    n: base64Url,
    e: base64Url,
  }),
  z.object({
    ...published,
    kty: z.literal('EC'),
    alg: z.literal('ES256').default('ES256'),
    crv: z.literal('P-256'),
    x: base64Url,
    y: base64Url,
  }),
]);
const keySetSchema = z.object({ keys: z.array(z.unknown()) });

/**
 * Parses the keys of a JWK set (RFC 7517) that can verify tokens. Returns undefined if the document is not a key set.
 * Skips keys for other algorithms and uses, and weak keys: RSA below 2,048 bits or with an exponent other than 65537
 * (with 1, anyone can sign). Ignores certificates beside the keys, because issuers leave expired ones there.
 */
export function parseKeySet(document: unknown): readonly IssuerKey[] | undefined {
  const set = keySetSchema.safeParse(document);
  return set.success ? set.data.keys.map(importKey).filter((key) => key !== undefined) : undefined;
}

function importKey(jwk: unknown): IssuerKey | undefined {
  const parsed = keySchema.safeParse(jwk);
  if (!parsed.success) return undefined;
  const { kid, alg: algorithm, kty } = parsed.data;
  const parts =
    parsed.data.kty === 'RSA'
      ? { kty, n: parsed.data.n, e: parsed.data.e }
      : { kty, crv: parsed.data.crv, x: parsed.data.x, y: parsed.data.y };
  const key = publicKey(parts);
  if (key === undefined) return undefined;
  const { modulusLength, publicExponent } = key.asymmetricKeyDetails ?? {};
  const isStrong = kty === 'EC' || (modulusLength !== undefined && modulusLength >= 2048 && publicExponent === 65537n);
  return isStrong ? { kid, algorithm, key } : undefined;
}

function publicKey(jwk: Record<string, string>): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    // For example, the point is not on the curve.
    return undefined;
  }
}
