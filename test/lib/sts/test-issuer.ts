import { createSign, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { JWK } from 'jose';
import type { FetchJson } from '../../../lib/sts/issuer-keys.ts';

/** A CI issuer whose keys and token contents a test chooses. */
export class TestIssuer {
  readonly url: string;
  readonly fetched: string[] = [];
  readonly privateKeys = new Map<string, KeyObject>();
  keys: JWK[] = [];
  /** The error that the next fetch of the issuer's keys throws. */
  failure: Error | undefined;
  discovery: Record<string, unknown>;

  constructor(url = 'https://ci.example.org') {
    this.url = url;
    this.discovery = { issuer: url, jwks_uri: `${url}/jwks` };
  }

  /**
   * Creates an issuer with the keys `rsa-1` and `ec-1`. All issuers of a test file share them, because key generation
   * is slow.
   */
  static create(url?: string): TestIssuer {
    const issuer = new TestIssuer(url);
    for (const [kid, key] of sharedKeys.privateKeys) issuer.privateKeys.set(kid, key);
    issuer.keys = structuredClone(sharedKeys.keys);
    return issuer;
  }

  addKey(kid: string, alg: 'RS256' | 'ES256', changes: JWK = {}): void {
    const { publicKey, privateKey } =
      alg === 'RS256'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKeys.set(kid, privateKey);
    this.keys.push({ ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig', ...changes } as JWK);
  }

  readonly fetchJson: FetchJson = async (url) => {
    this.fetched.push(url);
    if (this.failure !== undefined) throw this.failure;
    if (url === `${this.url}/.well-known/openid-configuration`) return structuredClone(this.discovery);
    if (url === this.discovery['jwks_uri']) return { keys: structuredClone(this.keys) };
    throw new Error(`nothing at ${url}`);
  };

  token(claims: unknown, header: Record<string, unknown> = {}): string {
    const { kid = 'rsa-1', alg = 'RS256' } = header as { kid?: string; alg?: string };
    const input = `${part({ typ: 'JWT', alg, kid, ...header })}.${part(claims)}`;
    const key = this.privateKeys.get(kid);
    if (key === undefined) throw new Error(`no key ${kid}`);
    return `${input}.${signature(input, key)}`;
  }
}

const sharedKeys = new TestIssuer();
sharedKeys.addKey('rsa-1', 'RS256');
sharedKeys.addKey('ec-1', 'ES256');

export function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

export function signature(input: string, key: KeyObject): string {
  return key.asymmetricKeyType === 'ec'
    ? sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
    : createSign('sha256').update(input).sign(key, 'base64url');
}
