import { describe, expect, test } from 'vitest';
import { createStorageToken, storageSubject } from '../../../lib/domain/data/web-identity.ts';
import { limits } from '../../../lib/domain/limits.ts';
import { exchange } from '../../data/whole-answer.ts';
import { type Client, testService } from '../../service/test-service.ts';
import { connection, made, newKey, repository, signUpTides } from '../users.ts';

const service = await testService({ accountLoopbackEndpoints: true });
const { ada, ben } = await signUpTides(service);
const { endpoint, bucket, region } = service.storage;

let created = 0;
/** Creates a draft with a role of its own, and returns it as its owner sees it. */
async function draft(by: Client, owner: string, changes: Record<string, unknown> = {}) {
  created += 1;
  const data_connection_id = `role-${created}`;
  const role = `storage-${created}`;
  const body = connection(data_connection_id, {
    details: { provider: 's3', bucket, base_prefix: `_${data_connection_id}/`, region, endpoint },
    authentication: { type: 's3_web_identity_role', role_arn: `arn:aws:iam::111122223333:role/${role}` },
    ...changes,
  });
  const shown = (await made(by('POST', `/accounts/${owner}/data-connections`, body))).body;
  return { ...shown, role };
}

/** Adds a trust policy to the role in the emulator of AWS. */
async function createRole(role: string, policy: string): Promise<void> {
  const form = new URLSearchParams({ Action: 'CreateRole', RoleName: role, AssumeRolePolicyDocument: policy });
  expect((await fetch(service.stsUrl, { method: 'POST', body: form })).status).toBe(200);
}

/** Calls STS as an attacker with a token could. Returns the error code, or `allowed`. */
async function assume(role: string, token: string): Promise<string> {
  const answer = await fetch(service.stsUrl, {
    method: 'POST',
    body: new URLSearchParams({
      ...{ Action: 'AssumeRoleWithWebIdentity', RoleArn: `arn:aws:iam::111122223333:role/${role}` },
      ...{ RoleSessionName: 'attack', WebIdentityToken: token, Policy: '{}', DurationSeconds: '900' },
    }),
  });
  return answer.ok ? 'allowed' : (/<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1] ?? '');
}

async function checksOf(by: Client, id: string): Promise<Record<string, string>> {
  service.advance(60);
  const { body } = await made(by('POST', `/data-connections/${id}/test`, { access: 'read_write' }));
  return Object.fromEntries(body.checks.map(({ check, code }: Record<'check' | 'code', string>) => [check, code]));
}

const stateOf = async (by: Client, id: string) => (await made(by('GET', `/data-connections/${id}`))).body.state;
const issuer = () => {
  const { storageIssuer } = service.services;
  if (storageIssuer === undefined) throw new Error('the local service is an issuer');
  return storageIssuer;
};
const tokenOf = (subject: string, now = service.services.clock()) =>
  createStorageToken(issuer(), subject, { now, id: 'one' });

describe('the issuer for storage', () => {
  test('publishes its discovery document and its keys on the data host', async () => {
    const read = async (path: string) => {
      const answer = await fetch(service.dataUrl + path);
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(answer.headers.get('cache-control')).toBe(`public, max-age=${limits.identityDocumentMaxAgeSeconds}`);
      return (await answer.json()) as Record<string, unknown>;
    };
    const discovery = await read('/.identity/.well-known/openid-configuration');
    expect(discovery).toMatchObject({
      issuer: `${service.dataUrl}/.identity`,
      jwks_uri: `${service.dataUrl}/.identity/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    });
    const { keys } = (await read('/.identity/keys')) as { keys: Record<string, string>[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  test.each(['/.identity', '/.identity/', '/.identity/other', '/.identity/keys/'])(
    'answers 404 at %s',
    async (path) => {
      expect((await fetch(service.dataUrl + path)).status).toBeGreaterThanOrEqual(400);
    },
  );

  test('gives each connection a subject of at most 127 bytes', () => {
    const longest = storageSubject('d'.repeat(20), { owner_account_id: 'a'.repeat(40), uid: crypto.randomUUID() });
    expect(longest.length).toBeLessThanOrEqual(127);
  });
});

describe('a connection with a web identity', () => {
  test('starts as a draft with its policies and later serves a published file, without a stored secret', async () => {
    const { data_connection_id: id, role, identity } = await draft(ada, 'tides');
    expect(identity).toMatchObject({ issuer: `${service.dataUrl}/.identity`, audience: 'sts.amazonaws.com' });
    expect(identity.subject).toMatch(/^sluice:local:tides:[0-9a-f-]{36}$/);
    expect(JSON.parse(identity.permission_policy).Statement[0].Resource).toBe(`arn:aws:s3:::${bucket}/_${id}/*`);
    expect(await checksOf(ada, id)).toMatchObject({ role: 'role_refused', list: 'earlier_failed' });
    await createRole(role, identity.trust_policy);
    expect(await checksOf(ada, id)).toMatchObject({ role: 'ok', list: 'ok', write: 'ok', delete: 'ok', control: 'ok' });
    expect(await stateOf(ada, id)).toBe('ready');
    await made(ada('POST', '/repositories/tides', repository('by-role', { data_connection_id: id })));
    const { credentials } = await newKey(service, ada, '/accounts/ada');
    const signer = { ...credentials, signedAt: service.services.clock() };
    const path = '/tides/by-role/a.txt';
    expect((await exchange(service.dataUrl, { method: 'PUT', path, body: 'tide' }, signer)).status).toBe(200);
    expect(await (await fetch(service.dataUrl + path)).text()).toBe('tide');
    expect((await ben('GET', `/data-connections/${id}`)).status).toBe(404);
  });

  test.each([
    ['any subject', (policy: Policy) => drop(policy, 'sub')],
    ['a pattern of subjects', (policy: Policy) => like(policy, 'sluice:local:*')],
    ['accounts whose ID begins like its own', (policy: Policy) => like(policy, 'sluice:local:tides*')],
    ['every token', (policy: Policy) => like(policy, '*')],
  ])('is refused for a role that accepts %s', async (_, change) => {
    const { data_connection_id: id, role, identity } = await draft(ada, 'tides');
    await createRole(role, JSON.stringify(change(JSON.parse(identity.trust_policy))));
    expect(await checksOf(ada, id)).toMatchObject({ role: 'role_open', list: 'earlier_failed' });
    expect(await stateOf(ada, id)).toBe('draft');
  });

  test('becomes a draft when a later test finds that its role accepts any subject', async () => {
    const { data_connection_id: id, role, identity } = await draft(ada, 'tides');
    await createRole(role, identity.trust_policy);
    await checksOf(ada, id);
    await made(ada('POST', '/repositories/tides', repository('opened-role', { data_connection_id: id })));
    await createRole(role, JSON.stringify(drop(JSON.parse(identity.trust_policy), 'sub')));
    expect(await checksOf(ada, id)).toMatchObject({ role: 'role_open' });
    expect(await stateOf(ada, id)).toBe('draft');
    const refused = await ada('POST', '/repositories/tides', repository('after-opening', { data_connection_id: id }));
    expect(refused).toMatchObject({ status: 409, body: { code: 'data_connection_refused' } });
    // The two events of the test have the same time, so their order is not fixed.
    const { body } = await made(ada('GET', '/accounts/tides/audit-events?limit=2'));
    const demoted = { kind: 'data_connection.demoted', subject: { data_connection_id: id } };
    expect(body).toContainEqual(
      expect.objectContaining({ ...demoted, subject: expect.objectContaining(demoted.subject) }),
    );
    service.advance(400);
    expect((await fetch(`${service.dataUrl}/tides/opened-role/a.txt`)).status).toBe(503);
    // The next test of the draft connection changes nothing.
    expect(await checksOf(ada, id)).toMatchObject({ role: 'role_open' });
    await createRole(role, identity.trust_policy);
    expect(await checksOf(ada, id)).toMatchObject({ role: 'ok', control: 'ok' });
    expect(await stateOf(ada, id)).toBe('ready');
    expect((await fetch(`${service.dataUrl}/tides/opened-role/a.txt`)).status).toBe(404);
  });

  test('shows its owner that AWS refuses the role, and that a later test passed', async () => {
    const { data_connection_id: id, role, identity } = await draft(ada, 'tides');
    await createRole(role, identity.trust_policy);
    await checksOf(ada, id);
    await made(ada('POST', '/repositories/tides', repository('failing-role', { data_connection_id: id })));
    const healthOf = async () => (await made(ada('GET', `/data-connections/${id}`))).body.health;
    expect(await healthOf()).toBeUndefined();
    await createRole(role, JSON.stringify(like(JSON.parse(identity.trust_policy), 'sluice:local:nobody')));
    service.advance(4000);
    const refused = await fetch(`${service.dataUrl}/tides/failing-role/a.txt`);
    expect(refused.status).toBe(503);
    expect(await refused.text()).not.toContain(role);
    await expect.poll(healthOf).toMatchObject({
      step: 'role',
      code: 'role_refused',
      message: expect.stringContaining('trust policy'),
    });
    const trail = '/accounts/tides/audit-events?kind=data_connection.failed';
    const subject = { data_connection_id: id, step: 'role', code: 'role_refused' };
    await expect
      .poll(async () => (await made(ada('GET', trail))).body)
      .toEqual([expect.objectContaining({ subject, actor: expect.objectContaining({ account_id: null }) })]);
    await createRole(role, identity.trust_policy);
    expect(await checksOf(ada, id)).toMatchObject({ role: 'ok', list: 'ok' });
    const { failed_at, worked_at } = await healthOf();
    expect(worked_at > failed_at).toBe(true);
    const shown = await made(ada('GET', `/data-connections/${id}`));
    await made(ada('PUT', `/data-connections/${id}`, shown.body));
  });

  test('cannot use the role of another account or of another connection', async () => {
    const victim = await draft(ada, 'tides');
    await createRole(victim.role, victim.identity.trust_policy);
    const authentication = { type: 's3_web_identity_role', role_arn: victim.authentication.role_arn };
    for (const [by, owner] of [
      [ben, 'ben'],
      [ada, 'tides'],
    ] as const) {
      const other = await draft(by, owner, { authentication });
      expect(await checksOf(by, other.data_connection_id)).toMatchObject({ role: 'role_refused' });
    }
  });

  test('becomes a draft again after a change of its role, and its repositories stay closed until the next test', async () => {
    const { data_connection_id: id, role, identity } = await draft(ada, 'tides');
    await createRole(role, identity.trust_policy);
    await checksOf(ada, id);
    await made(ada('POST', '/repositories/tides', repository('moved-role', { data_connection_id: id })));
    const open = await draft(ada, 'tides');
    await createRole(open.role, JSON.stringify(drop(JSON.parse(open.identity.trust_policy), 'sub')));
    const { body } = await made(ada('GET', `/data-connections/${id}`));
    const authentication = { ...body.authentication, role_arn: open.authentication.role_arn };
    await made(ada('PUT', `/data-connections/${id}`, { ...body, authentication }));
    expect(await stateOf(ada, id)).toBe('draft');
    expect(await checksOf(ada, id)).toMatchObject({ role: 'role_open' });
    service.advance(400);
    expect((await fetch(`${service.dataUrl}/tides/moved-role/a.txt`)).status).toBe(503);
  });

  test('keeps its prefix reserved while a changed role makes it a draft again', async () => {
    const { data_connection_id: id, role, identity } = await draft(ada, 'tides');
    await createRole(role, identity.trust_policy);
    await checksOf(ada, id);
    await made(ada('POST', '/repositories/tides', repository('kept-prefix', { data_connection_id: id })));
    const { body } = await made(ada('GET', `/data-connections/${id}`));
    const authentication = { ...body.authentication, role_arn: 'arn:aws:iam::111122223333:role/another' };
    await made(ada('PUT', `/data-connections/${id}`, { ...body, authentication }));
    expect(await stateOf(ada, id)).toBe('draft');
    const { access_key_id, secret_access_key } = service.storage;
    const other = await draft(ben, 'ben', {
      details: body.details,
      authentication: { type: 's3_access_key', access_key_id, secret_access_key },
    });
    service.advance(60);
    const proof = await ben('POST', `/data-connections/${other.data_connection_id}/test`, { access: 'read_write' });
    expect(proof).toMatchObject({ status: 409, body: { code: 'place_taken' } });
    await made(ada('PUT', `/data-connections/${id}`, body));
    expect(await checksOf(ada, id)).toMatchObject({ control: 'ok' });
  });

  test.each([
    [
      'an endpoint',
      { details: { provider: 's3', bucket, base_prefix: '', region, endpoint: 'https://sts.example.org' } },
    ],
    [
      'a region that AWS does not have',
      { details: { provider: 's3', bucket, base_prefix: '', region: 'auto', endpoint } },
    ],
  ])('refuses %s', async (_, changes) => {
    const body = connection('refused', {
      authentication: { type: 's3_web_identity_role', role_arn: 'arn:aws:iam::111122223333:role/any' },
      ...changes,
    });
    expect((await ada('POST', '/accounts/tides/data-connections', body)).status).toBe(400);
  });
});

describe('a stolen token', () => {
  test('is refused for another role, for another audience, after its expiry, and with another key', async () => {
    const [one, two] = [await draft(ada, 'tides'), await draft(ben, 'ben')];
    for (const { role, identity } of [one, two]) await createRole(role, identity.trust_policy);
    const token = await tokenOf(one.identity.subject);
    expect(await assume(one.role, token)).toBe('allowed');
    expect(await assume(two.role, token)).toBe('AccessDenied');
    expect(await assume(one.role, await tokenOf(two.identity.subject))).toBe('AccessDenied');
    const old = await tokenOf(one.identity.subject, service.services.clock() - 301_000);
    expect(await assume(one.role, old)).toBe('ExpiredTokenException');
    const [header, claims = '', signature] = token.split('.');
    const changed = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(changed.exp - changed.iat).toBe(300);
    const forged = Buffer.from(JSON.stringify({ ...changed, sub: two.identity.subject })).toString('base64url');
    expect(await assume(two.role, `${header}.${forged}.${signature}`)).toBe('InvalidIdentityToken');
    const audience = JSON.parse(one.identity.trust_policy.replaceAll('sts.amazonaws.com', 'another-audience'));
    await createRole(one.role, JSON.stringify(audience));
    expect(await assume(one.role, await tokenOf(one.identity.subject))).toBe('AccessDenied');
  });

  test('is refused by the token exchange of this service', async () => {
    const token = await tokenOf(storageSubject('local', { uid: crypto.randomUUID() }));
    expect((await service.withAuthorization(`Bearer ${token}`)('GET', '/whoami')).status).toBe(401);
  });
});

interface Policy {
  Statement: { Condition: { StringEquals?: Record<string, string>; StringLike?: Record<string, string> } }[];
}

function drop(policy: Policy, claim: string): Policy {
  for (const { Condition } of policy.Statement)
    for (const key of Object.keys(Condition.StringEquals ?? {}))
      if (key.endsWith(`:${claim}`)) delete Condition.StringEquals?.[key];
  return policy;
}

function like(policy: Policy, pattern: string): Policy {
  for (const { Condition } of policy.Statement) {
    const key = Object.keys(Condition.StringEquals ?? {}).find((name) => name.endsWith(':sub')) ?? '';
    delete Condition.StringEquals?.[key];
    Condition.StringLike = { [key]: pattern };
  }
  return policy;
}
