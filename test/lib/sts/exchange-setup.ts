import { randomBytes, randomUUID } from 'node:crypto';
import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import type { JWK } from 'jose';
import type { UserClients } from '../../../lib/domain/accounts/user-clients.ts';
import type { CiIssuer } from '../../../lib/domain/ci/issuers.ts';
import { parseUsableKeys } from '../../../lib/domain/ci/key-sets.ts';
import { type TrustRequest, trustedWorkload } from '../../../lib/domain/ci/subjects.ts';
import type { EdgeRequest } from '../../../lib/domain/data/decision.ts';
import type { UserAccount } from '../../../lib/domain/service-accounts/exchange-store.ts';
import {
  hashServiceAccountKey,
  issueServiceAccountKey,
} from '../../../lib/domain/service-accounts/service-account-key.ts';
import type {
  ServiceAccountKeyRecord,
  ServiceAccountRecord,
} from '../../../lib/domain/service-accounts/service-accounts.ts';
import type { TrustedWorkflowRecord } from '../../../lib/domain/service-accounts/trusted-workflows.ts';
import { toTimestamp } from '../../../lib/domain/time.ts';
import { matchKeyOf } from '../../../lib/store/keys.ts';
import { type ExchangeDependencies, handleExchange } from '../../../lib/sts/exchange.ts';
import { createIssuerKeyCache } from '../../../lib/sts/issuer-keys.ts';
import { createExchangeThrottle } from '../../../lib/sts/throttle.ts';
import { createIdentityTokenVerifier } from '../../../lib/sts/token-verifier.ts';
import { MemoryExchangeStore } from './memory-exchange-store.ts';
import { TestIssuer } from './test-issuer.ts';

export const dataProxyUrl = 'https://data.example.org';
export const serviceAccountId = 'tide-institute--nightly-sync';
export const roleArn = `arn:aws:iam::${serviceAccountId}:role/FullAccess`;
export const requestId = 'REQ-1==';

export const random = { uuid: () => randomUUID(), bytes: (length: number) => new Uint8Array(randomBytes(length)) };

/** An exchange with one enabled service account, one active key, and one CI issuer. Tests move its clock. */
export class ExchangeSetup {
  now = Date.parse('2026-11-21T10:00:00.000Z');
  readonly store = new MemoryExchangeStore();
  readonly issuer = TestIssuer.create();
  /** The issuer of user tokens. Sign-in of users is off when `userClients` is undefined. */
  readonly userIssuer = TestIssuer.create('https://people.example.org');
  userClients: UserClients | undefined = {
    issuer: this.userIssuer.url,
    api_audiences: ['web'],
    data_audiences: ['data'],
  };
  readonly reported: unknown[] = [];
  readonly key: string;
  /** By default, the exchange has no rate limits, for other tests and for the benchmark. */
  readonly throttles = { per_ip_per_minute: 1e9, per_key_per_minute: 1e9 };
  readonly dependencies: ExchangeDependencies;

  constructor(overrides: Partial<CiIssuer> = {}) {
    const { issuer } = this;
    const clock = () => this.now;
    const sessionKey = { version: 1, key: random.bytes(32), created_at: this.now - 86_400_000 };
    this.dependencies = {
      clock: clock,
      random,
      store: this.store,
      sessionKeys: async () => [sessionKey],
      identityTokens: createIdentityTokenVerifier({
        issuers: [{ issuer: issuer.url, kind: 'github', algorithms: ['RS256', 'ES256'], ...overrides }],
        userClients: async () => this.userClients,
        findKeys: createIssuerKeyCache({
          fetchJson: (url, bounds) => this.#issuerOf(url).fetchJson(url, bounds),
          clock,
        }),
        clock: clock,
      }),
      throttle: createExchangeThrottle(this.throttles, clock),
      audience: () => dataProxyUrl,
      report: (failure) => this.reported.push(failure),
    };
    this.addServiceAccount();
    this.key = this.addKey();
  }

  addServiceAccount(changes: Partial<ServiceAccountRecord> = {}): ServiceAccountRecord {
    const service_account_id = changes.service_account_id ?? serviceAccountId;
    const [owner_account_id = '', name = ''] = service_account_id.split('--');
    const record: ServiceAccountRecord = {
      service_account_id,
      owner_account_id,
      name,
      description: '',
      disabled: false,
      created_at: toTimestamp(this.now),
      uid: `uid of ${service_account_id}`,
      version: 1,
      times_disabled: 0,
      end_sessions_on_revocation: false,
      federated_only: false,
      ended_sources: [],
      ...changes,
    };
    this.store.serviceAccounts.set(service_account_id, record);
    return record;
  }

  addKey(changes: Partial<ServiceAccountKeyRecord> = {}): string {
    const key = issueServiceAccountKey(random);
    const key_hash = hashServiceAccountKey(key);
    this.store.keys.set(key_hash, {
      key_hash,
      key_id: randomUUID(),
      service_account_id: serviceAccountId,
      service_account_uid: `uid of ${changes.service_account_id ?? serviceAccountId}`,
      label: 'test',
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      created_at: toTimestamp(this.now),
      ...changes,
    });
    return key;
  }

  trust(
    request: TrustRequest = { repository: 'tide-institute/pipelines', branch: 'main' },
    kind: CiIssuer['kind'] = 'github',
    issuer = this.issuer.url,
  ): TrustedWorkflowRecord {
    const workflow = trustedRecord(request, { kind, issuer });
    this.store.workflows.push(workflow);
    return workflow;
  }

  /** Registers an issuer of the account with these keys. */
  register(
    kind: CiIssuer['kind'],
    {
      issuer,
      keys,
      account_id = 'tide-institute',
      ageSeconds = 0,
    }: { issuer: string; keys: readonly JWK[]; account_id?: string; ageSeconds?: number },
  ): void {
    const fetched = toTimestamp(this.now - ageSeconds * 1000);
    this.store.registeredIssuers.set(`${account_id} ${issuer}`, {
      account_id,
      issuer_id: randomUUID(),
      issuer,
      kind,
      created_at: fetched,
      created_by: 'ada',
      jwks: parseUsableKeys({ keys }) ?? [],
      keys_fetched_at: fetched,
      last_attempt_at: fetched,
      last_failure: null,
      last_used_at: null,
      next_fetch_at: fetched,
    });
  }

  /** Returns the claims of a GitHub run on main that starts now. */
  claims(changes: Record<string, unknown> = {}): Record<string, unknown> {
    const seconds = Math.floor(this.now / 1000);
    return {
      iss: this.issuer.url,
      aud: dataProxyUrl,
      sub: 'repo:tide-institute/pipelines:ref:refs/heads/main',
      repository: 'tide-institute/pipelines',
      repository_id: '1001',
      repository_owner: 'tide-institute',
      repository_owner_id: '77',
      // A test that changes the subject adds the claims that repeat its parts.
      ref: changes['sub'] === undefined ? 'refs/heads/main' : undefined,
      iat: seconds,
      nbf: seconds - 600,
      exp: seconds + 300,
      ...changes,
    };
  }

  /** Adds the user account of `ada`, with the given changes. */
  addUser(changes: Partial<UserAccount> = {}): UserAccount {
    const account: UserAccount = {
      account_id: 'ada',
      account_type: 'user',
      identity_id: 'sub-ada',
      identity_issuer: this.userIssuer.url,
      disabled: false,
      profile: {},
      flags: [],
      created_at: toTimestamp(this.now),
      version: 1,
      times_disabled: 0,
      ...changes,
    };
    this.store.users.set(account.account_id, account);
    return account;
  }

  /** Returns a data token of ada that is valid for 70 minutes. */
  userToken(changes: Record<string, unknown> = {}, header: Record<string, unknown> = {}): string {
    const seconds = Math.floor(this.now / 1000);
    const claims = { iss: this.userIssuer.url, aud: 'data', sub: 'sub-ada', iat: seconds, exp: seconds + 4200 };
    return this.userIssuer.token({ ...claims, ...changes }, header);
  }

  #issuerOf(url: string): TestIssuer {
    return url.startsWith(this.userIssuer.url) ? this.userIssuer : this.issuer;
  }

  /** Sends an exchange request. Fields with undefined are omitted. */
  exchange(fields: Record<string, string | undefined> = {}, request: Partial<EdgeRequest> = {}): Promise<Answer> {
    return this.send(formRequest(formBody(fields, this.key), request));
  }

  async send(request: EdgeRequest): Promise<Answer> {
    const shown = await handleExchange(request, this.dependencies);
    const element = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(shown.body)?.[1];
    return { ...shown, element, code: element('Code'), message: element('Message') };
  }
}

/** Returns a trusted workflow of the service account, as `trust-workflow` creates it. */
export function trustedRecord(
  request: TrustRequest,
  { kind, issuer }: { kind: CiIssuer['kind']; issuer: string },
): TrustedWorkflowRecord {
  const trusted = trustedWorkload({ kind }, request);
  if (!trusted.ok) throw new Error(`${trusted.fault.path} ${trusted.fault.message}`);
  const created_at = '2026-11-21T10:00:00.000Z';
  return {
    ...request,
    workflow_id: randomUUID(),
    issuer,
    kind,
    subject: trusted.subject,
    match_keys: [matchKeyOf(issuer, trusted.key)],
    service_account_id: serviceAccountId,
    service_account_uid: `uid of ${serviceAccountId}`,
    pinned: trusted.ids === undefined ? null : { ...trusted.ids, pinned_at: created_at },
    created_at,
    last_used_at: null,
    last_used_as: null,
  };
}

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  code: string | undefined;
  message: string | undefined;
  element(name: string): string | undefined;
}

export function formBody(fields: Record<string, string | undefined>, token: string): string {
  const all = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: 'nightly',
    WebIdentityToken: token,
    ...fields,
  };
  const given = Object.entries(all).filter((field): field is [string, string] => field[1] !== undefined);
  return new URLSearchParams(given).toString();
}

export function formRequest(body: string | Uint8Array, changes: Partial<EdgeRequest> = {}): EdgeRequest {
  return {
    method: 'POST',
    rawPath: '/.sts',
    rawQuery: '',
    headers: { 'content-type': 'application/x-www-form-urlencoded', host: 'data.example.org' },
    sourceIp: '203.0.113.1',
    requestId,
    distributionHost: 'data.example.org',
    body: { bytes: typeof body === 'string' ? new TextEncoder().encode(body) : body, truncated: false },
    ...changes,
  };
}

export interface Issued {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

/** Returns the credentials of a successful exchange. */
export function issuedBy({ code, element }: Answer): Issued {
  if (code !== undefined) throw new Error(`the exchange answered ${code}`);
  const value = (name: string) => element(name) ?? '';
  return {
    accessKeyId: value('AccessKeyId'),
    secretAccessKey: value('SecretAccessKey'),
    sessionToken: value('SessionToken'),
  };
}

/** Returns a request with this body that the SDK has signed. */
export async function signedForm(
  credentials: Issued,
  body: string,
  { service = 'sts', region = 'us-east-1', at }: { service?: string; region?: string; at: number },
): Promise<EdgeRequest> {
  const plain = formRequest(body);
  const signer = new SignatureV4({ credentials, region, service, sha256: Sha256 });
  const endpoint = { method: 'POST', protocol: 'https:', hostname: 'data.example.org', path: plain.rawPath };
  const { headers } = await signer.sign(
    { ...endpoint, headers: { ...plain.headers }, body },
    { signingDate: new Date(at) },
  );
  return { ...plain, headers };
}
