import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import * as z from 'zod';
import { limits } from '../limits.ts';
import type { RandomSource } from '../random.ts';
import { bytesToBase32Characters, bytesToBase62 } from './base62.ts';
import { activeVersion, type SecretVersion, type SecretVersions } from './secret-versions.ts';

/**
 * Temporary credentials of a service account or of a user. The service never stores them. The session token contains
 * the claims, encrypted with AES-256-GCM, with the access key ID as additional data. The secret access key is derived
 * from the token. To verify a request, an instance decrypts the token and derives the secret again.
 *
 * The token is base64url of: version (4 bytes, big endian), nonce (12 bytes), encrypted claims, and tag (16 bytes).
 * Nonces are random: with 2^32 sessions per key version, the probability of a repeated nonce stays below 2^-32.
 */
export const sessionRoles = ['FullAccess', 'ReadOnly'] as const;
export type SessionRole = (typeof sessionRoles)[number];

const serviceAccountSchema = z.object({
  kind: z.literal('service_account'),
  service_account_id: z.string(),
  service_account_uid: z.string(),
});

const repositoryIdentitySchema = z.object({ account_id: z.string(), repository_id: z.string(), uid: z.string() });

const userSchema = z.object({
  kind: z.literal('user'),
  /** The ID of a user account. User IDs are never reused, so the claims need no internal ID. */
  account_id: z.string(),
  /**
   * The only repository that the credentials allow. Its internal ID distinguishes it from another repository with the
   * same name.
   */
  narrowed_to: repositoryIdentitySchema.optional(),
});

/** A reader with a link to private data. The credentials allow reads below one prefix of one repository. */
const linkSchema = z.object({
  kind: z.literal('link'),
  /** The creator of the link. The credentials have the creator's rights. */
  account_id: z.string(),
  link_id: z.string(),
  narrowed_to: repositoryIdentitySchema,
  /** The part of the repository that the link shows: empty, or a prefix that ends in `/`, or one exact key. */
  prefix: z.string(),
});

const claimsSchema = z.object({
  /**
   * The account that holds the credentials. The credentials give the rights that the holder has at the time of each
   * request.
   */
  holder: z.discriminatedUnion('kind', [serviceAccountSchema, userSchema, linkSchema]),
  /**
   * The number of times that the holder, or the owner of the service account, had been disabled when the credentials
   * were issued.
   */
  times_disabled: z.int(),
  role: z.enum(sessionRoles),
  /**
   * The ID of the key or trusted workflow that signed in. A user has the kind `person` and the ID `page` (credentials
   * from the API) or `tool` (credentials from the exchange). Credentials of a link have the ID of the link.
   */
  signed_in_by: z.object({ kind: z.enum(['key', 'workflow', 'person', 'link']), id: z.string() }),
  session_name: z.string(),
  /** The time at which the credentials were issued, in seconds since the Unix epoch. */
  issued_at: z.int(),
  /** The time at which the credentials expire, in seconds since the Unix epoch. */
  expires_at: z.int(),
});
export type SessionHolder = z.infer<typeof claimsSchema>['holder'];
export type SessionClaims = z.infer<typeof claimsSchema>;

export interface SessionCredentials {
  access_key_id: string;
  secret_access_key: string;
  session_token: string;
}

const versionBytes = 4;
const nonceBytes = 12;
const tagBytes = 16;
const accessKeyIdPattern = /^SCTA[A-Z2-7]{16}$/;

interface SessionKeys {
  seal: KeyObject;
  derive: KeyObject;
  /**
   * Decrypted sessions by access key ID. The cache exists because the decryption of a token takes longer than the
   * authorization.
   */
  opened: LRUCache<string, { token: string; session: OpenedSession }>;
}

interface OpenedSession {
  readonly claims: Readonly<SessionClaims>;
  readonly secret_access_key: string;
}

// A cache of derived session keys, because each derivation runs HKDF twice. An entry exists as long as the object of
// its secret version.
const derivedKeys = new WeakMap<SecretVersion, SessionKeys>();

export function isSessionAccessKeyId(accessKeyId: string): boolean {
  return accessKeyIdPattern.test(accessKeyId);
}

export function issueSessionCredentials(
  claims: SessionClaims,
  versions: SecretVersions,
  { now, random }: { now: number; random: RandomSource },
): SessionCredentials {
  const version = activeVersion(versions, now, limits.secretActivationSeconds);
  const keys = keysOf(version);
  const access_key_id = `SCTA${bytesToBase32Characters(random.bytes(16))}`;
  const nonce = random.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keys.seal, nonce);
  cipher.setAAD(Buffer.from(access_key_id, 'ascii'));
  const head = Buffer.alloc(versionBytes);
  head.writeUInt32BE(version.version);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(packClaims(claims)), 'utf8'), cipher.final()]);
  const session_token = Buffer.concat([head, nonce, sealed, cipher.getAuthTag()]).toString('base64url');
  return { access_key_id, session_token, secret_access_key: deriveSecret(keys, session_token) };
}

/**
 * Decrypts a session token. Returns undefined if the token is not valid. The caller must compare `expires_at` with its
 * clock.
 */
export function openSessionToken(
  accessKeyId: string,
  sessionToken: string,
  versions: SecretVersions,
  now: number,
): OpenedSession | undefined {
  if (sessionToken.length > limits.sessionTokenBytesMax) return undefined;
  const head = Buffer.from(sessionToken.slice(0, 8), 'base64url');
  const version = head.length < versionBytes ? undefined : readableVersion(versions, head.readUInt32BE(0), now);
  if (version === undefined) return undefined;
  const keys = keysOf(version);
  const known = keys.opened.get(accessKeyId);
  if (known?.token === sessionToken) return known.session;
  // Accept only the canonical base64url spelling. Some byte strings have several spellings, and the derived secret
  // depends on the spelling.
  if (!/^[A-Za-z0-9_-]+$/.test(sessionToken)) return undefined;
  const token = Buffer.from(sessionToken, 'base64url');
  if (token.length <= versionBytes + nonceBytes + tagBytes || token.toString('base64url') !== sessionToken)
    return undefined;
  const nonce = token.subarray(versionBytes, versionBytes + nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', keys.seal, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(accessKeyId, 'ascii'));
  decipher.setAuthTag(token.subarray(token.length - tagBytes));
  const opened = decipherText(decipher, token.subarray(versionBytes + nonceBytes, token.length - tagBytes));
  if (opened === undefined) return undefined;
  const session = { claims: unpackClaims(JSON.parse(opened)), secret_access_key: deriveSecret(keys, sessionToken) };
  keys.opened.set(accessKeyId, { token: sessionToken, session });
  return session;
}

function readableVersion(versions: SecretVersions, number: number, now: number): SecretVersion | undefined {
  const index = versions.findIndex((version) => version.version === number);
  const successor = index < 0 ? undefined : versions[index + 1];
  const retiredAt =
    successor === undefined
      ? Number.POSITIVE_INFINITY
      : successor.created_at + (limits.secretActivationSeconds + limits.sessionKeyRetentionSeconds) * 1000;
  return index < 0 || retiredAt <= now ? undefined : versions[index];
}

/** Removes the secret versions that can no longer decrypt any token. */
export function withoutRetiredSessionKeys(versions: SecretVersions, now: number): SecretVersions {
  return versions.filter(({ version }) => readableVersion(versions, version, now) !== undefined);
}

function decipherText(decipher: ReturnType<typeof createDecipheriv>, sealed: Uint8Array): string | undefined {
  try {
    return decipher.update(sealed, undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

function deriveSecret(keys: SessionKeys, sessionToken: string): string {
  return bytesToBase62(createHmac('sha512', keys.derive).update(sessionToken, 'ascii').digest(), 40);
}

function keysOf(version: SecretVersion): SessionKeys {
  let keys = derivedKeys.get(version);
  if (keys === undefined) {
    const derive = (purpose: string) =>
      createSecretKey(Buffer.from(hkdfSync('sha256', version.key, '', `sluice session ${purpose}`, 32)));
    keys = { seal: derive('seal'), derive: derive('secret'), opened: new LRUCache({ max: 1000 }) };
    derivedKeys.set(version, keys);
  }
  return keys;
}

// Packs the claims of a session token without field names, because each request sends the token in a header.
function packClaims({ holder, role, signed_in_by, ...claims }: SessionClaims): unknown[] {
  const [id, detail] =
    holder.kind === 'service_account'
      ? [holder.service_account_id, holder.service_account_uid]
      : [holder.account_id, [...packNarrowing(holder.narrowed_to), ...(holder.kind === 'link' ? [holder.prefix] : [])]];
  const { session_name, issued_at, expires_at, times_disabled } = claims;
  return [id, detail, role, signed_in_by.kind, signed_in_by.id, session_name, issued_at, expires_at, times_disabled];
}

type Narrowing = Extract<SessionHolder, { kind: 'user' }>['narrowed_to'];

function packNarrowing(narrowing: Narrowing): string[] {
  return narrowing === undefined ? [] : [narrowing.account_id, narrowing.repository_id, narrowing.uid];
}

const packedSchema = z.array(z.unknown());

function unpackClaims(packed: unknown): SessionClaims {
  const [id, detail, role, kind, by, session_name, issued_at, expires_at, times] = packedSchema.parse(packed);
  return claimsSchema.parse({
    holder: unpackHolder(kind, id, detail, by),
    times_disabled: times,
    role,
    signed_in_by: { kind, id: by },
    session_name,
    issued_at,
    expires_at,
  });
}

function unpackHolder(kind: unknown, id: unknown, detail: unknown, by: unknown) {
  switch (kind) {
    case 'person':
      return unpackUser(id, detail);
    case 'link': {
      const [account_id, repository_id, uid, prefix] = packedSchema.parse(detail);
      return { kind, account_id: id, link_id: by, narrowed_to: { account_id, repository_id, uid }, prefix };
    }
    default:
      return unpackServiceAccount(id, detail);
  }
}

function unpackServiceAccount(service_account_id: unknown, service_account_uid: unknown) {
  return { kind: 'service_account', service_account_id, service_account_uid };
}

function unpackUser(account_id: unknown, narrowing: unknown) {
  const [of, repository_id, uid] = packedSchema.parse(narrowing);
  const narrowed_to = of === undefined ? undefined : { account_id: of, repository_id, uid };
  return { kind: 'user', account_id, ...(narrowed_to && { narrowed_to }) };
}
