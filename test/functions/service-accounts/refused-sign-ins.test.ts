import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AuditEvent } from '../../../lib/domain/changes/audit.ts';
import { limits } from '../../../lib/domain/limits.ts';
import type { RefusedSignIn } from '../../../lib/domain/service-accounts/refused-sign-ins.ts';
import { openTable } from '../../../lib/lambda/table.ts';
import { TableExchangeStore } from '../../../lib/store/exchange.ts';
import { RefusedSignInAudit } from '../../../lib/store/refused-sign-in-audit.ts';
import { roleArn } from '../../service/data-clients.ts';
import { engineOfThisFile } from '../../service/engine-of-this-file.ts';
import { postExchange, wireOf } from '../../service/raw-exchange.ts';
import { watchRequests } from '../../service/watched-requests.ts';
import { made } from '../users.ts';
import {
  type NewServiceAccount,
  organization,
  ciRepository as repository,
  serviceAccountFixture,
  workflowRefused,
} from './fixture.ts';

let refusesWrites = false;
const { requests, instrument, commands } = watchRequests(({ command }) => {
  if (command === 'TransactWriteItemsCommand' && refusesWrites) throw new Error('no writes today');
});
const service = await serviceAccountFixture({ instrument });
let account: NewServiceAccount;
const beside = new DynamoDBClient(engineOfThisFile());
afterAll(() => beside.destroy());

/** Records refusals as another instance of the stream consumer would. */
const audit = async (...refusals: RefusedSignIn[]) =>
  expect(await new RefusedSignInAudit(openTable(beside, service.table.tableName)).audit(refusals)).toEqual([]);
const findLast = async (): Promise<RefusedSignIn> => {
  const [last] = await service.services.store.refusedSignIns.findLast([
    { service_account_id: account.id, created_at: '' },
  ]);
  if (last === undefined) throw new Error('nothing was kept');
  return last;
};
beforeEach(async () => {
  refusesWrites = false;
  account = await service.newServiceAccount();
});

const refuse = async (branch: string, claims: Record<string, string> = {}, serviceAccountId = account.id) =>
  expect(service.exchange(await service.runOn(branch, claims), { serviceAccountId })).rejects.toMatchObject(
    workflowRefused,
  );
const trust = (body: Record<string, string>) =>
  made(service.ada('POST', `${account.path}/trusted-workflows`, { repository, ...body }));
const view = async () => (await service.ada('GET', account.path)).body.last_refused_sign_in;
const listed = async () => {
  const { body } = await service.ada('GET', `/accounts/${organization}/service-accounts`);
  return body.find((each: { service_account_id: string }) => each.service_account_id === account.id)
    .last_refused_sign_in;
};
const auditEvents = async (): Promise<AuditEvent[]> =>
  (
    await service.ada(
      'GET',
      `/accounts/${organization}/audit-events?kind=sign_in.refused&service_account_id=${account.id}`,
    )
  ).body;

describe('the last refused sign-in', () => {
  test('is missing before the first refusal', async () => {
    await trust({ branch: 'main' });
    await service.exchange(await service.runOn('main'), { serviceAccountId: account.id });
    expect(await view()).toBeUndefined();
    expect(await listed()).toBeUndefined();
  });

  test('shows the received claims, the trusted ones, and the difference in words; the list shows only the received ones', async () => {
    await trust({ branch: 'main' });
    await refuse('', { sub: `repo:${repository}:environment:prod` });
    const shown = await view();
    expect(shown).toEqual({
      time: expect.stringMatching(/^\d{4}-/),
      issuer: service.identity.ci.issuer,
      subject: `repo:${repository}:environment:prod`,
      trusted_subjects: [`repo:${repository}:ref:refs/heads/main`],
      difference: 'environment replaces the branch: trust the environment that the job names',
      remedy: {
        kind: 'trust',
        workflow: { issuer: service.identity.ci.issuer, repository, environment: 'prod' },
        numeric_ids: 'unknown',
      },
    });
    const { time, issuer, subject } = shown;
    expect(await listed()).toEqual({ time, issuer, subject });
    await refuse('Main');
    expect((await view()).difference).toMatch(/^differs only in case/);
  });

  test('reports changed IDs, contradicting claims, and a disabled account', async () => {
    await trust({ branch: 'main' });
    await service.exchange(await service.runOn('main'), { serviceAccountId: account.id });
    await refuse('main', { repository_id: '4711' });
    expect((await view()).difference).toMatch(/^the repository's numeric ids changed/);
    await refuse('other', { repository_id: '4711' });
    const taken = await view();
    expect(taken.difference).toMatch(
      /^the repository's numeric ids changed, .* to repository 4711 .*; another branch$/,
    );
    expect(taken.remedy).toMatchObject({ kind: 'trust', numeric_ids: 'changed' });
    await refuse('other');
    expect((await view()).remedy).toMatchObject({ kind: 'trust', numeric_ids: 'known' });
    await refuse('main', { repository: 'eve/pipelines' });
    expect((await view()).difference).toMatch(/^the subject and the other claims name different repositories/);
    await made(service.ada('POST', `${account.path}/disable`));
    await refuse('main');
    expect((await view()).difference).toBe(
      'none: the workflow is trusted, but the service account or its owner is disabled',
    );
  });

  test('contains escape sequences for invisible characters', async () => {
    await refuse('a\u202eb');
    expect((await view()).subject).toBe(`repo:${repository}:ref:refs/heads/a\\u{202e}b`);
  });

  test('is empty for a new service account with the name of a deleted one', async () => {
    await refuse('main');
    expect(await view()).toBeDefined();
    await made(service.ada('DELETE', account.path));
    await made(service.ada('POST', `/accounts/${organization}/service-accounts`, { name: account.id.split('--')[1] }));
    expect(await view()).toBeUndefined();
  });

  test('expires after thirty days', async () => {
    await refuse('main');
    service.pass(31 * 86_400);
    await service.ttl.runOnce();
    expect(await view()).toBeUndefined();
    service.pass(-31 * 86_400);
  });
});

describe('the response to a refused sign-in', () => {
  const exchangeRaw = async (serviceAccountId: string, token: string) => {
    requests.length = 0;
    const RoleArn = roleArn('FullAccess', serviceAccountId);
    const answer = await postExchange(service, { RoleArn, WebIdentityToken: token });
    return { status: answer.status, wire: wireOf(answer), requests: commands().slice(0, 2) };
  };

  test('has the same bytes after the same reads for every named account', async () => {
    await trust({ branch: 'main' });
    const token = await service.runOn('other');
    const first = await exchangeRaw(account.id, token);
    expect(first).toMatchObject({ status: 403, requests: ['BatchGetItemCommand', 'TransactWriteItemsCommand'] });
    for (const named of [`${organization}--nobody`, 'nobody--nothing', organization, 'ada', 'x'.repeat(128)])
      expect(await exchangeRaw(named, token), named).toEqual(first);
    const inconsistent = await service.runOn('main', { repository: 'eve/pipelines' });
    expect(await exchangeRaw(account.id, inconsistent)).toEqual(first);
  });

  test('is the same if the refusal cannot be stored', async () => {
    const token = await service.runOn('other');
    const kept = await exchangeRaw(account.id, token);
    refusesWrites = true;
    expect(await exchangeRaw(account.id, token)).toEqual(kept);
    expect(service.logged.some((line) => 'failure' in line && /no writes today/.test(String(line.failure)))).toBe(true);
  });
});

test('records each cause at most once a minute, also between other refusals', async () => {
  const written = async () => [(await findLast()).subject.replace(/.*\//, ''), (await findLast()).time] as const;
  await refuse('one');
  const first = await written();
  await refuse('one');
  expect(await written()).toEqual(first);
  await refuse('two');
  const second = await written();
  await refuse('one');
  expect([first[0], ...(await written())]).toEqual(['one', ...second]);
  service.pass(61);
  await refuse('one');
  expect(await written()).toEqual(['one', expect.not.stringMatching(first[1])]);
  service.pass(-61);
});

test('answers concurrent refusals, and stores one of them as the last', async () => {
  const branches = Array.from({ length: 10 }, (_, index) => `branch-${index}`);
  await Promise.all(branches.map((branch) => refuse(branch)));
  expect(branches).toContain((await findLast()).subject.replace(/.*\//, ''));
});

describe('the audit trail of refused sign-ins', () => {
  test('records each distinct refusal once an hour, up to twenty, and then a count', async () => {
    // Moves to the start of an hour, because refusals are counted by clock hour.
    const toNextHour = 3601 - ((service.services.clock() / 1000) % 3600);
    service.pass(toNextHour);
    for (let index = 0; index < 25; index += 1) await refuse(`branch-${index}`);
    const last = await findLast();
    for (let index = 0; index < 3; index += 1) await refuse('branch-0');
    await vi.waitFor(
      async () => {
        const counted = (await auditEvents()).find(({ subject }) => subject['further_refusals'] !== undefined);
        expect(counted?.subject['further_refusals']).toBe('5');
      },
      { timeout: 20_000, interval: 100 },
    );
    await audit(last);
    const events = await auditEvents();
    expect(events).toHaveLength(21);
    expect(events.map(({ subject }) => subject['further_refusals']).filter(Boolean)).toEqual(['5']);
    const subjects = events.map(({ subject }) => subject['subject']).filter((subject) => subject !== undefined);
    expect(new Set(subjects).size).toBe(20);
    expect(subjects).toContain(`repo:${repository}:ref:refs/heads/branch-0`);
    for (const event of events)
      expect(event).toMatchObject({
        kind: 'sign_in.refused',
        account_id: organization,
        actor: { account_id: null },
        subject: { service_account_id: account.id },
      });

    service.pass(3600);
    await refuse('branch-0');
    await vi.waitFor(async () => expect(await auditEvents()).toHaveLength(22), { timeout: 20_000, interval: 100 });
    service.pass(-3600 - toNextHour);
  }, 60_000);

  test('contains escape sequences for invisible characters, and at most 512 bytes of a subject', async () => {
    await refuse(`\u202e<b>\n${'x'.repeat(600)}`);
    const [event] = await vi.waitFor(
      async () => {
        const events = await auditEvents();
        expect(events).toHaveLength(1);
        return events;
      },
      { timeout: 20_000, interval: 100 },
    );
    const subject = event?.subject['subject'] ?? '';
    expect(subject).toMatch(/^repo:tide-institute\/pipelines:ref:refs\/heads\/\\u\{202e\}<b>\\u\{a\}x+…$/);
    expect(Buffer.byteLength(subject)).toBe(512);
  });

  test('contains the request ID that the client received', async () => {
    const refusal = await service.exchange(await service.runOn('main'), { serviceAccountId: account.id }).catch(String);
    const [, toldId] = /\(request id (\S+)\)/.exec(String(refusal)) ?? [];
    expect(toldId).toBeTruthy();
    const isNamed = async () => expect(await auditEvents()).toMatchObject([{ request_id: toldId }]);
    await vi.waitFor(isNamed, { timeout: 20_000, interval: 100 });
  });

  test('records no refusal for a missing service account', async () => {
    const nobody = `${organization}--nobody-at-all`;
    await refuse('main', {}, nobody);
    await refuse('main');
    await vi.waitFor(async () => expect(await auditEvents()).toHaveLength(1), { timeout: 20_000, interval: 100 });
    const all = await service.ada('GET', `/accounts/${organization}/audit-events?service_account_id=${nobody}`);
    expect(all.body).toEqual([]);
    const tallies = (await service.table.all()).filter(
      ({ pk, sk }) => String(pk).endsWith(nobody) && String(sk).startsWith('HOUR#'),
    );
    expect(tallies).toEqual([]);
  });

  test('records every distinct refusal, also within one millisecond and with different clocks', async () => {
    await refuse('main');
    await vi.waitFor(async () => expect(await auditEvents()).toHaveLength(1), { timeout: 20_000, interval: 100 });
    const refused = await findLast();
    const { created_at } = (await service.ada('GET', account.path)).body;
    await audit({ ...refused, subject: 'in the same millisecond' });
    await audit({ ...refused, subject: 'by a clock that is behind', time: created_at });
    expect(await auditEvents()).toHaveLength(3);
  });

  test('counts a refusal once if the stream delivers it twice', async () => {
    await refuse('main');
    await vi.waitFor(async () => expect(await auditEvents()).toHaveLength(1), { timeout: 20_000, interval: 100 });
    const refused = await findLast();
    // Returns the items without change feed entries. Expired items may disappear during the test.
    const known = async () =>
      (await service.table.all()).flatMap(({ pk, sk, entity }) => (entity === 'feed' ? [] : [`${pk} ${sk}`]));
    const before = new Set(await known());
    await audit(refused);
    await audit({ ...refused, time: `${refused.time.slice(0, 20)}000Z` });
    expect((await known()).filter((name) => !before.has(name))).toEqual([]);
  });
});

test('the tokens of one repository owner create a bounded number of records a minute, for any names in them', async () => {
  const store = new TableExchangeStore(openTable(beside, service.table.tableName));
  const max = limits.refusedSignInsPerSourcePerMinuteMax;
  const recorded = async (name: string, changes: Partial<RefusedSignIn> = {}) => {
    await store.recordRefusedSignIn({
      service_account_id: name,
      time: '2026-11-21T10:00:30.000Z',
      request_id: 'request-1',
      issuer: 'https://ci.example.org',
      subject: 'repo:eve/x:ref:refs/heads/main',
      kind: 'github',
      fault: null,
      repository_id: '1',
      repository_owner_id: 'eve-of-this-test',
      claims: {},
      ...changes,
    });
    return (await service.table.find(`SIGN_IN_REFUSALS#${name}`, 'LAST')) !== undefined;
  };
  for (let count = 0; count < max; count += 1) expect(await recorded(`nobody--${count}`)).toBe(true);
  expect(await recorded('nobody--further')).toBe(false);
  expect(await recorded('nobody--other-repository', { repository_id: '2' })).toBe(false);
  expect(await recorded('nobody--other-owner', { repository_owner_id: 'mallory' })).toBe(true);
  expect(await recorded('nobody--other-issuer', { issuer: 'https://ci.example.net' })).toBe(true);
  expect(await recorded('nobody--next-minute', { time: '2026-11-21T10:01:00.000Z' })).toBe(true);
});
