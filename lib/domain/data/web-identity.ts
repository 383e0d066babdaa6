import { createHash } from 'node:crypto';
import { limits } from '../limits.ts';
import type { RandomSource } from '../random.ts';
import { roleSessionPolicy } from './role-session-policy.ts';

/** The path of the data host below which Sluice is an OpenID Connect issuer for storage. No account has this name. */
export const identityPath = '/.identity';
const keysPath = `${identityPath}/keys`;
const discoveryPath = `${identityPath}/.well-known/openid-configuration`;

/** The audience of AWS STS (IAM user guide, "Create an OpenID Connect identity provider in IAM"). */
const audience = 'sts.amazonaws.com';

/** A public RSA key of the issuer (RFC 7517). */
export interface IdentityKey {
  kty: 'RSA';
  n: string;
  e: string;
  kid: string;
  alg: 'RS256';
  use: 'sig';
}

/** Signs tokens with a key that never leaves its store. */
export interface IdentitySigner {
  /** Returns the key that signs, and all published keys. A rotation publishes a new key before the key signs. */
  readKeys(): Promise<{ signing: IdentityKey; published: readonly IdentityKey[] }>;
  /** Signs data with RSASSA-PKCS1-v1_5 and SHA-256. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

/** The issuer of the tokens with which the service assumes storage roles. */
export interface StorageIssuer {
  /** The `iss` claim of the tokens: an https URL without a final slash. */
  issuer: string;
  /**
   * The name of the deployment. Two deployments that use the same host name one after the other have different
   * subjects.
   */
  deploymentId: string;
  signer: IdentitySigner;
}

type ConnectionIdentity = { owner_account_id?: string | undefined; uid: string };

/** Returns the `sub` claim of a connection's tokens. It has at most 127 bytes, and is different for each connection. */
export function storageSubject(deploymentId: string, { owner_account_id, uid }: ConnectionIdentity): string {
  // `_platform` cannot be an account, because account IDs begin with a letter or a digit.
  return `sluice:${deploymentId}:${owner_account_id ?? '_platform'}:${uid}`;
}

/**
 * Returns the subject of a random account and a random connection. A role that accepts this subject accepts tokens of
 * other accounts. The random account name begins with the name of the owner, so the test detects a role that accepts
 * all names with this beginning.
 */
export function strangeSubject(
  deploymentId: string,
  { owner_account_id = '_platform' }: Pick<ConnectionIdentity, 'owner_account_id'>,
  random: RandomSource,
): string {
  const account = `${owner_account_id}-${random.uuid().slice(0, 8)}`;
  return storageSubject(deploymentId, { owner_account_id: account, uid: random.uuid() });
}

/** Returns a signed token (RFC 7519) for AWS STS. The token expires after five minutes. */
export async function createStorageToken(
  { issuer, signer }: StorageIssuer,
  subject: string,
  { now, id }: { now: number; id: string },
): Promise<string> {
  const iat = Math.floor(now / 1000);
  const { kid } = (await signer.readKeys()).signing;
  const header = { alg: 'RS256', typ: 'JWT', kid };
  const claims = {
    ...{ iss: issuer, aud: audience, sub: subject, jti: id },
    ...{ iat, nbf: iat, exp: iat + limits.storageTokenSeconds },
  };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = await signer.sign(Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

/** Returns the JSON document of the token issuer at this path of the data host, or undefined if there is none. */
export async function identityDocument(
  rawPath: string,
  { issuer, signer }: StorageIssuer,
): Promise<object | undefined> {
  if (rawPath === keysPath) return { keys: (await signer.readKeys()).published };
  if (rawPath !== discoveryPath) return undefined;
  return {
    issuer,
    jwks_uri: issuer.slice(0, -identityPath.length) + keysPath,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claims_supported: ['iss', 'aud', 'sub', 'iat', 'nbf', 'exp', 'jti'],
  };
}

/**
 * Returns a public key in its published form. The key ID is derived from the key itself, so every region uses the same
 * ID.
 */
export function identityKey({ n, e }: { n?: unknown; e?: unknown }): IdentityKey {
  if (typeof n !== 'string' || typeof e !== 'string') throw new Error('the identity key is not an RSA key');
  // The key ID is the thumbprint of the key by RFC 7638.
  const kid = createHash('sha256')
    .update(JSON.stringify({ e, kty: 'RSA', n }))
    .digest('base64url');
  return { kty: 'RSA', n, e, kid, alg: 'RS256', use: 'sig' };
}

/**
 * Returns the two policies that the owner of a role pastes into AWS: who may use the role, and what the role may do.
 */
export function rolePolicies(
  roleArn: string,
  connection: Parameters<typeof roleSessionPolicy>[1] & ConnectionIdentity,
  { issuer, deploymentId }: Pick<StorageIssuer, 'issuer' | 'deploymentId'>,
) {
  const [, partition = '', , , account = ''] = roleArn.split(':');
  const provider = issuer.replace(/^https?:\/\//, '');
  const subject = storageSubject(deploymentId, connection);
  const trust = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Federated: `arn:${partition}:iam::${account}:oidc-provider/${provider}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringEquals: { [`${provider}:aud`]: audience, [`${provider}:sub`]: subject } },
      },
    ],
  };
  const permissions = JSON.parse(roleSessionPolicy(roleArn, connection));
  return {
    ...{ issuer, audience, subject },
    trust_policy: JSON.stringify(trust, null, 2),
    permission_policy: JSON.stringify(permissions, null, 2),
  };
}
