import * as z from 'zod';
import { shownNameSchema } from '../accounts/accounts.ts';
import { uuidSchema } from '../identifiers.ts';
import { limits } from '../limits.ts';
import { timestampSchema } from '../text.ts';
import { dayMs, parseTimestamp } from '../time.ts';
import { utf8Bytes } from '../utf8-bytes.ts';
import { ciProviderKindSchema } from './issuers.ts';
import { type PublicJwk, publicJwkSchema } from './key-sets.ts';

/**
 * Reasons why the service could not fetch the signing keys of an issuer. The service stores and shows only these codes,
 * never text that the issuer sent.
 */
export const issuerFailureSchema = z.enum([
  'address_not_public',
  'answer_too_large',
  'certificate_invalid',
  'keys_url_refused',
  'name_not_found',
  'no_connection',
  'no_usable_key',
  'not_a_document',
  'other_issuer',
  'redirected',
  'status_refused',
  'timed_out',
  'too_many_keys',
]);
export type IssuerFailure = z.infer<typeof issuerFailureSchema>;

/** The result of one attempt to fetch the signing keys of an issuer. */
export type FetchedKeys = { jwks: PublicJwk[] } | { failure: IssuerFailure };

/** An issuer that an account registered. Its tokens can sign in to service accounts of this account only. */
export const registeredIssuerSchema = z.object({
  issuer_id: uuidSchema,
  /** The exact `iss` claim of the issuer's tokens. */
  issuer: z.string(),
  kind: ciProviderKindSchema,
  created_at: timestampSchema,
  created_by: z.string(),
  /** The IDs of the signing keys from the last successful fetch. */
  key_ids: z.array(z.string()),
  /** The time of the last successful fetch of the signing keys. The keys stay valid for 24 hours from this time. */
  keys_fetched_at: timestampSchema.nullable(),
  last_attempt_at: timestampSchema,
  /** The failure of the last attempt to fetch the keys. Null if it succeeded. */
  last_failure: issuerFailureSchema.nullable(),
  /** The day of the last sign-in. */
  last_used_at: timestampSchema.nullable(),
});
export type RegisteredIssuer = z.infer<typeof registeredIssuerSchema>;

export const listedIssuerSchema = registeredIssuerSchema.extend({
  created_by_name: shownNameSchema,
  /** The number of trusted workflows of the issuer, counted up to `countedTrustsMax`. */
  trust_count: z.int(),
});

export const registeredIssuerRecord = registeredIssuerSchema.omit({ key_ids: true }).extend({
  account_id: z.string(),
  jwks: z.array(publicJwkSchema).max(limits.issuerKeysMax),
  /** The time from which the scheduled function may fetch the issuer's keys again. */
  next_fetch_at: timestampSchema,
});
export type RegisteredIssuerRecord = z.infer<typeof registeredIssuerRecord>;

export function shownIssuer(record: RegisteredIssuerRecord): RegisteredIssuer {
  const { account_id: _, next_fetch_at: __, jwks, ...shown } = record;
  return { ...shown, key_ids: jwks.map(({ kid }) => kid) };
}

/**
 * Returns the issuer's keys that may verify a token now. There are none if the last successful fetch was more than 24
 * hours ago.
 */
export function currentKeys(
  { jwks, keys_fetched_at }: Pick<RegisteredIssuerRecord, 'jwks' | 'keys_fetched_at'>,
  now: number,
): readonly PublicJwk[] {
  if (keys_fetched_at === null) return [];
  return now - parseTimestamp(keys_fetched_at) < limits.registeredKeysCountSeconds * 1000 ? jwks : [];
}

/** Returns the interval between two fetches of an issuer's keys. It is short while workloads of the issuer sign in. */
export function fetchEveryMs({ last_used_at }: Pick<RegisteredIssuerRecord, 'last_used_at'>, now: number): number {
  const isUsed = last_used_at !== null && now - parseTimestamp(last_used_at) < limits.issuerUsedDays * dayMs;
  return (isUsed ? limits.usedIssuerFetchEverySeconds : limits.unusedIssuerFetchEverySeconds) * 1000;
}

/**
 * Returns the earliest time of an extra fetch because of an unknown key ID or outdated keys. Before this time, the
 * credential exchange does not record unknown key IDs. Tokens of strangers therefore cannot cause more fetches or
 * writes.
 */
export function nextEarlyFetchAt({ last_attempt_at }: Pick<RegisteredIssuerRecord, 'last_attempt_at'>): number {
  return parseTimestamp(last_attempt_at) + limits.issuerEarlyFetchEverySeconds * 1000;
}

/**
 * The form of an accepted issuer URL. The host ends in a label of letters, which excludes every spelling of an IP
 * address. The path has no empty segment and no percent-encoding.
 */
const urlPattern =
  /^(?<protocol>https?):\/\/(?<host>[A-Za-z0-9.-]+)(?::(?<port>[1-9]\d{0,4}))?(?<path>(?:\/[A-Za-z0-9._~!$&'()*+,;=:@-]+)*\/?)$/;
const publicHostPattern = /^(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z][A-Za-z0-9-]{0,62}$/;
const loopbackHostPattern = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/;

/**
 * Returns the reason why the URL cannot be an issuer or the location of its keys, or undefined. `allowsLoopback` is
 * true in the local service, which also accepts http on this machine.
 */
export function issuerUrlFault(url: string, { allowsLoopback }: { allowsLoopback: boolean }): string | undefined {
  if (utf8Bytes(url) > limits.issuerBytesMax) return `must be at most ${limits.issuerBytesMax} bytes`;
  const { protocol, host = '', port, path = '' } = urlPattern.exec(url)?.groups ?? {};
  if (protocol === undefined) {
    return 'must be https://<host>, with a port and a path if the issuer has them, and without user, query, fragment, "%", "//" or other signs';
  }
  if (port !== undefined && Number(port) > 65_535) return 'must have a port of at most 65535';
  if (/\/\.{1,2}(?:\/|$)/.test(path)) return 'must not hold "/./" or "/../"';
  if (allowsLoopback && loopbackHostPattern.test(host)) return undefined;
  if (protocol !== 'https') return 'must begin with https://';
  return publicHostPattern.test(host) ? undefined : 'must have a public host name, such as ci.example.org';
}

/**
 * Returns the issuer in a normalized form: lower-case host, no default port, no slash at the end. Issuers that look
 * alike have the same form. All other code compares the exact issuer.
 */
function foldIssuer(issuer: string): string {
  const url = URL.parse(issuer);
  return url === null ? issuer : `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`;
}

/** Returns an issuer in the list that looks like the given issuer to a reader, or undefined. */
export function lookAlikeOf(issuer: string, others: readonly string[]): string | undefined {
  const folded = foldIssuer(issuer);
  return others.find((other) => foldIssuer(other) === folded);
}
