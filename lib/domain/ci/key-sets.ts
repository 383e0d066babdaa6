import { createPublicKey } from 'node:crypto';
import * as z from 'zod';
import { limits } from '../limits.ts';
import { boundedText } from '../text.ts';

/**
 * A number of a public key in base64url. The maximum length is enough for a 4,096-bit modulus with some leading zeros,
 * and keeps the stored item small.
 */
const base64Url = z
  .string()
  .max(700)
  .regex(/^[A-Za-z0-9_-]+$/);
const kid = boundedText(limits.issuerKeyIdLengthMax, 1);
const curve = { kid, kty: z.literal('EC'), x: base64Url, y: base64Url };

/** The public parts of a key that verifies tokens, as a JWK (RFC 7517). `alg` is always present. */
export const publicJwkSchema = z.discriminatedUnion('alg', [
  z.object({ kid, kty: z.literal('RSA'), alg: z.literal('RS256'), n: base64Url, e: base64Url }),
  z.object({ ...curve, alg: z.literal('ES256'), crv: z.literal('P-256') }),
  z.object({ ...curve, alg: z.literal('ES384'), crv: z.literal('P-384') }),
]);
export type PublicJwk = z.infer<typeof publicJwkSchema>;

const keySetSchema = z.object({ keys: z.array(z.unknown()) });
/**
 * The fields of a JWK that show whether the key may verify tokens. If the key has no `alg`, they also show the
 * algorithm.
 */
const purposeSchema = z.looseObject({
  use: z.literal('sig').optional(),
  key_ops: z
    .array(z.string())
    .refine((operations) => operations.includes('verify'))
    .optional(),
  alg: z.string().optional(),
  kty: z.string(),
  crv: z.string().optional(),
});

/**
 * Returns the keys of a JWK set that may verify tokens, or undefined if the document is not a key set. Skips weak keys,
 * keys without an ID, and keys for other algorithms or uses. Ignores certificates in the keys, because issuers leave
 * expired certificates in their keys.
 */
export function parseUsableKeys(document: unknown): PublicJwk[] | undefined {
  const set = keySetSchema.safeParse(document);
  return set.success ? set.data.keys.map(usableKey).filter((key) => key !== undefined) : undefined;
}

function usableKey(jwk: unknown): PublicJwk | undefined {
  const purpose = purposeSchema.safeParse(jwk).data;
  if (purpose === undefined) return undefined;
  const { kty, crv, alg = defaultAlgorithms[`${kty} ${crv ?? ''}`.trim()] } = purpose;
  const key = publicJwkSchema.safeParse({ ...purpose, alg }).data;
  return key !== undefined && isStrong(key) ? key : undefined;
}

const defaultAlgorithms: Readonly<Record<string, string>> = { RSA: 'RS256', 'EC P-256': 'ES256', 'EC P-384': 'ES384' };

/**
 * Returns false for a point that is not on its curve, for a modulus that is too short or too long, and for the exponent
 * 1. With the exponent 1, anyone can sign.
 */
function isStrong(key: PublicJwk): boolean {
  try {
    const { modulusLength = 0, publicExponent } =
      createPublicKey({ key: { ...key }, format: 'jwk' }).asymmetricKeyDetails ?? {};
    return key.kty === 'EC' || (modulusLength >= 2048 && modulusLength <= 4096 && publicExponent === 65_537n);
  } catch {
    return false;
  }
}
