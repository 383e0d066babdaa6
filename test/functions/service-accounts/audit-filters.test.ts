import { beforeAll, describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../../lib/domain/changes/audit.ts';
import { type NewServiceAccount, organization, serviceAccountFixture } from './fixture.ts';

const service = await serviceAccountFixture();
let one: NewServiceAccount;
let other: NewServiceAccount;
beforeAll(async () => {
  one = await service.newServiceAccount();
  other = await service.newServiceAccount();
  for (let index = 0; index < 5; index += 1) {
    await one.issueKey();
    await other.issueKey();
  }
});

const path = `/accounts/${organization}/audit-events`;

/** Follows the links of a list as a client does. Returns all events, and the links. */
async function follow(query: string) {
  const events: AuditEvent[] = [];
  const links: string[] = [];
  for (let url: string | undefined = `${path}${query}`; url !== undefined && links.length < 50; ) {
    const { status, body, headers } = await service.ada('GET', url);
    expect(status).toBe(200);
    events.push(...body);
    url = /<[^>]*\/api\/v1([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
    if (url !== undefined) links.push(url);
  }
  return { events, links };
}

describe('the audit events of an account', () => {
  test('can be filtered by the ID of a service account', async () => {
    const { events } = await follow(`?service_account_id=${one.id}`);
    expect(events.map(({ kind }) => kind)).toEqual([
      ...Array(5).fill('service_account_key.issued'),
      'grant.set',
      'service_account.created',
    ]);
    expect(events.every(({ subject }) => subject['service_account_id'] === one.id)).toBe(true);
  });

  test('can be filtered by kind', async () => {
    const { events } = await follow('?kind=service_account.created');
    expect(events.map(({ subject }) => subject['service_account_id'])).toEqual([
      other.id,
      one.id,
      `${organization}--nightly-sync`,
    ]);
  });

  test('can be filtered by the account that caused them', async () => {
    expect((await follow('?actor_account_id=ada')).events.length).toBeGreaterThan(10);
    expect((await follow('?actor_account_id=nobody-here')).events).toEqual([]);
  });

  test('can be filtered by days in UTC, including the first and the last one', async () => {
    const { events } = await follow('');
    const today = events[0]?.time.slice(0, 10) ?? '';
    const ofToday = events.filter(({ time }) => time.startsWith(today)).length;
    expect((await follow(`?from=${today}&to=${today}&limit=3`)).events).toHaveLength(ofToday);
    expect((await follow('?to=2000-01-01')).events).toEqual([]);
    expect((await follow('?from=2999-01-01')).events).toEqual([]);
    expect((await service.ada('GET', `${path}?from=yesterday`)).status).toBe(400);
  });

  test.each([1, 2, 3, 5])('are complete in pages of %i, and the links keep the filters', async (limit) => {
    const query = `?limit=${limit}&kind=service_account_key.issued&service_account_id=${one.id}`;
    const { events, links } = await follow(query);
    expect(events).toHaveLength(5);
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(5);
    for (const link of links) {
      const parameters = new URLSearchParams(link.split('?')[1]);
      expect(Object.fromEntries(parameters)).toEqual({
        limit: String(limit),
        kind: 'service_account_key.issued',
        service_account_id: one.id,
        cursor: expect.any(String),
      });
    }
  });

  test('are all listed without a filter, newest first, also in pages', async () => {
    const whole = (await follow('')).events;
    expect(whole.length).toBeGreaterThan(20);
    expect(whole.map(({ time }) => time)).toEqual(
      whole
        .map(({ time }) => time)
        .toSorted()
        .toReversed(),
    );
    expect((await follow('?limit=7')).events).toEqual(whole);
  });

  test('are empty for a service account or a kind without events', async () => {
    expect((await follow(`?service_account_id=${organization}--nobody`)).events).toEqual([]);
    expect((await follow('?kind=repository.enabled')).events).toEqual([]);
  });

  test.each([
    ['service_account_id', 'no-such-form'],
    ['kind', 'Not A Kind'],
    ['kind', ''],
    ['kind', 'service_account_key.borrowed'],
  ])('refuse a %s of %j', async (name, value) => {
    const answer = await service.ada('GET', `${path}?${new URLSearchParams({ [name]: value })}`);
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: name }] } });
  });
});
