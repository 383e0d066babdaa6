import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import * as z from 'zod';
import { limits } from '../limits.ts';
import { carriesServiceAccountKey } from '../service-accounts/key-in-url.ts';
import { shownText } from '../shown-text.ts';

/** A report of leaked keys by GitHub secret scanning: a JSON array, signed with ECDSA P-256 over its raw bytes. */
export const leakReportSchema = z.array(
  z.object({ token: z.string(), type: z.string(), url: z.string().nullish(), source: z.string().nullish() }),
);

export const reportHeaders = {
  keyIdentifier: 'github-public-key-identifier',
  signature: 'github-public-key-signature',
} as const;

/**
 * The response to GitHub about one match of its secret scanning. It identifies the match by a hash and does not send
 * the secret back.
 */
export const leakVerdictSchema = z.object({
  token_hash: z.string(),
  token_type: z.string(),
  label: z.enum(['true_positive', 'false_positive']),
});
export type LeakVerdict = z.infer<typeof leakVerdictSchema>;

export function leakVerdict(found: { token: string; type: string }, isKey: boolean): LeakVerdict {
  return {
    token_hash: createHash('sha256').update(found.token, 'utf8').digest('base64'),
    token_type: found.type,
    label: isKey ? 'true_positive' : 'false_positive',
  };
}

/**
 * Returns the URL at which a leaked key was found, in a form that is safe to show. A reported URL may contain any
 * text, even the key.
 */
export function leakUrl(url: string | null | undefined): string {
  if (url === undefined || url === null || url === '') return 'unknown';
  if (carriesServiceAccountKey(url)) return 'a URL that holds the key itself';
  return shownText(url, limits.leakUrlBytesMax);
}

/**
 * Parses GitHub's set of public keys. Skips keys that are not P-256. Returns undefined if the document is not a key
 * set.
 */
export function parsePartnerKeys(document: unknown): ReadonlyMap<string, KeyObject> | undefined {
  const parsed = partnerKeysSchema.safeParse(document);
  if (!parsed.success) return undefined;
  const keys = new Map<string, KeyObject>();
  for (const { key_identifier, key } of parsed.data.public_keys) {
    const publicKey = importKey(key);
    if (publicKey !== undefined) keys.set(key_identifier, publicKey);
  }
  return keys;
}

const partnerKeysSchema = z.object({ public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })) });

function importKey(pem: string): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true if the signature of the report is valid. @param signature base64 of the DER encoding */
export function isSignedReport(bytes: Uint8Array, signature: string, key: KeyObject): boolean {
  return verify('sha256', bytes, { key, dsaEncoding: 'der' }, Buffer.from(signature, 'base64'));
}
