import { inspect } from 'node:util';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { AuditEvent } from '../../../lib/domain/changes/audit.ts';
import { leakVerdict } from '../../../lib/domain/changes/leaked-key-reports.ts';
import { issueServiceAccountKey } from '../../../lib/domain/service-accounts/service-account-key.ts';
import { systemRandom } from '../../../lib/lambda/random.ts';
import { expectProblem } from '../../service/error-answers.ts';
import { startPartner } from '../../service/scanning-partner.ts';
import { forThisTest } from '../../service/test-service.ts';
import { keyRefused, organization, serviceAccountFixture } from '../service-accounts/fixture.ts';

const partner = await startPartner();
afterAll(partner.close);
const service = await serviceAccountFixture({ secretScanningKeysUrl: partner.keysUrl });
const account = await service.newServiceAccount();
beforeEach(() => {
  partner.isDown = false;
});

const path = '/service-account-keys/reports';
const type = 'sluice_service_account_key';
const url = 'https://github.com/octocat/Hello-World/blob/1234/foo/bar.txt';
const match = (token: string, changes: Record<string, unknown> = {}) => ({
  token,
  type,
  url,
  source: 'content',
  ...changes,
});
const post = (body: string, headers: Record<string, string>) => service.anyone('POST', path, body, headers);
const report = (matches: unknown) => {
  const body = JSON.stringify(matches);
  return post(body, partner.headers(body));
};
const unknownKey = () => issueServiceAccountKey(systemRandom);
const eventsOf = async (keyId: string): Promise<AuditEvent[]> => {
  const { body } = await service.ada('GET', `/accounts/${organization}/audit-events?service_account_id=${account.id}`);
  return body.filter((event: AuditEvent) => event.subject['key_id'] === keyId && event.actor.account_id === null);
};
const waitForEvents = (keyId: string, count: number) =>
  vi.waitFor(
    async () => {
      const events = await eventsOf(keyId);
      expect(events).toHaveLength(count);
      return events;
    },
    { timeout: 20_000, interval: 50 },
  );

describe('a signed report', () => {
  test('revokes the contained keys, and the answer names the valid ones by their hashes', async () => {
    const live = await account.issueKey();
    const revoked = await account.issueKey();
    await service.ada('DELETE', `${account.path}/keys/${revoked.key_id}`);
    const tokens = [live.key, revoked.key, unknownKey(), `${live.key}x`, 'nonsense', `${live.key}\n`];
    const answer = await report(tokens.map((token) => match(token)));
    expect(answer.status).toBe(200);
    const isKey = [true, true, false, false, false, true];
    expect(answer.body).toEqual(tokens.map((token, index) => leakVerdict({ token, type }, isKey[index] ?? false)));
    expect(JSON.stringify(answer.body)).not.toContain(live.key.slice(4, 34));
    await expect(service.exchange(live.key)).rejects.toMatchObject(keyRefused);
  });

  test('records the location of the key once in the audit trail of its owner', async () => {
    const { key, key_id } = await account.issueKey();
    await report([match(key)]);
    await report([match(key)]);
    expect(await waitForEvents(key_id, 1)).toEqual([
      {
        event_id: key_id,
        time: expect.any(String),
        kind: 'service_account_key.revoked_as_found',
        account_id: organization,
        actor: { account_id: null, account_name: null },
        subject: { service_account_id: account.id, key_id, found_at: url },
        request_id: '',
      },
    ]);
    await report([match(key, { url: 'https://gist.github.com/octocat/1' })]);
    const [again] = await waitForEvents(key_id, 2);
    expect(again).toMatchObject({
      kind: 'service_account_key.found',
      subject: { key_id, found_at: 'https://gist.github.com/octocat/1' },
    });
  });

  test('records the location of a key that its owner had already revoked', async () => {
    const { key, key_id } = await account.issueKey();
    await service.ada('DELETE', `${account.path}/keys/${key_id}`);
    await report([match(key)]);
    expect(await waitForEvents(key_id, 1)).toMatchObject([
      { kind: 'service_account_key.found', subject: { found_at: url } },
    ]);
  });

  test('writes at most 512 bytes into the audit trail, without the key and without unreadable text', async () => {
    const [inAddress, long] = [await account.issueKey(), await account.issueKey()];
    await report([
      match(inAddress.key, { url: `https://example.org/?key=${inAddress.key}` }),
      match(long.key, { url: `https://example.org/\u202e${'x'.repeat(2000)}` }),
    ]);
    const [withheld] = await waitForEvents(inAddress.key_id, 1);
    expect(withheld?.subject['found_at']).toBe('a URL that holds the key itself');
    const [cut] = await waitForEvents(long.key_id, 1);
    expect(cut?.subject['found_at']).toMatch(/^https:\/\/example\.org\/\\u\{202e\}x+…$/);
    expect(Buffer.byteLength(cut?.subject['found_at'] ?? '')).toBe(512);
    expect(JSON.stringify(await service.table.all())).not.toContain(inAddress.key.slice(4, 34));
    expect(inspect(service.logged, { depth: null })).not.toContain(inAddress.key.slice(4, 34));
  });

  test('can have additional fields, and can omit optional ones', async () => {
    const { key } = await account.issueKey();
    const answer = await report([
      { token: key, type, severity: 'high' },
      match(unknownKey(), { url: null, source: null }),
    ]);
    expect(answer.body.map(({ label }: { label: string }) => label)).toEqual(['true_positive', 'false_positive']);
  });

  test('can contain hundreds of matches, more than other bodies can', async () => {
    const { key, key_id } = await account.issueKey();
    const matches = Array.from({ length: 800 }, () => match(unknownKey()));
    matches[799] = match(key);
    const answer = await report(matches);
    expect(answer.status).toBe(200);
    expect(answer.body).toHaveLength(800);
    await waitForEvents(key_id, 1);
  });

  test('can be empty', async () => {
    expect(await report([])).toMatchObject({ status: 200, body: [] });
  });

  test.each<[string, string]>([
    ['a body that is not JSON', '{'],
    ['an object in place of the list', '{}'],
    ['a match without its token', '[{"type":"x"}]'],
    ['a token that is not a string', '[{"token":7,"type":"x"}]'],
  ])('is refused as invalid with %s', async (_, body) => {
    expect((await post(body, partner.headers(body))).status).toBe(400);
  });

  test('is verified over the received bytes, with any content type', async () => {
    const { key, key_id } = await account.issueKey();
    const body = ` [ ${JSON.stringify(match(key, { url: 'https://example.org/grün' }))} ]\n`;
    for (const contentType of ['application/json', 'application/octet-stream'])
      expect((await post(body, { ...partner.headers(body), 'content-type': contentType })).status).toBe(200);
    const [event] = await waitForEvents(key_id, 1);
    expect(event?.subject['found_at']).toBe('https://example.org/grün');
  });

  test('is refused if it is larger than 1 MiB', async () => {
    const body = JSON.stringify([match('x'.repeat(1024 * 1024))]);
    expect((await post(body, partner.headers(body))).status).toBe(413);
  });
});

describe('a report without a valid signature of the partner', () => {
  const refusal = {
    status: 403,
    code: 'access_denied' as const,
    detail: "The report is not signed with one of the partner programme's keys",
  };
  const body = (key: string) => JSON.stringify([match(key)]);

  test.each<[string, (signed: Record<string, string>, sent: string) => Record<string, string>]>([
    ['no headers', () => ({})],
    ['no signature', ({ 'github-public-key-signature': _, ...rest }) => rest],
    ['no identifier', ({ 'github-public-key-identifier': _, ...rest }) => rest],
    ['an empty signature', (signed) => ({ ...signed, 'github-public-key-signature': '' })],
    ['a signature that is not base64', (signed) => ({ ...signed, 'github-public-key-signature': '!!!' })],
    ['the signature of another body', (signed) => ({ ...signed, ...only(partner.headers('[]')) })],
    [
      'the signature of the body with an added space',
      (signed, sent) => ({ ...signed, ...only(partner.headers(`${sent} `)) }),
    ],
    ['the identifier of an unpublished key', (signed) => ({ ...signed, 'github-public-key-identifier': 'unknown' })],
    [
      'the name of an inherited property as identifier',
      (signed) => ({ ...signed, 'github-public-key-identifier': '__proto__' }),
    ],
  ])('gets the same refusal and revokes nothing if it has %s', async (_, change) => {
    const { key, key_id } = await account.issueKey();
    const sent = body(key);
    expectProblem(await post(sent, change(partner.headers(sent), sent)), refusal);
    const { body: keys } = await service.ada('GET', `${account.path}/keys`);
    expect(keys.find((each: { key_id: string }) => each.key_id === key_id).state).toBe('active');
    await service.ada('DELETE', `${account.path}/keys/${key_id}`);
  });

  function only(signed: Record<string, string>) {
    return { 'github-public-key-signature': signed['github-public-key-signature'] ?? '' };
  }

  test('is refused if its key is published and of another curve', async () => {
    partner.addKey('p384', 'P-384');
    service.pass(61);
    const sent = body(unknownKey());
    expectProblem(await post(sent, partner.headers(sent, 'p384')), refusal);
    service.pass(-61);
  });

  test('is refused for its signature before its body is parsed, even if that is not JSON', async () => {
    expectProblem(await post('{', { ...partner.headers('[]') }), refusal);
  });
});

describe("the partner's keys", () => {
  test('are fetched at most once a minute for any number of unknown identifiers', async () => {
    service.pass(3600);
    const sent = JSON.stringify([]);
    await post(sent, partner.headers(sent));
    partner.fetches = 0;
    service.pass(61);
    const headers = partner.headers(sent);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        post(sent, { ...headers, 'github-public-key-identifier': `unknown-${index}` }),
      ),
    );
    expect(partner.fetches).toBe(1);
    expect((await post(sent, headers)).status).toBe(200);
    expect(partner.fetches).toBe(1);
  });

  test('are fetched when a report names a new one', async () => {
    partner.addKey('rotated');
    service.pass(61);
    const sent = JSON.stringify([]);
    expect((await post(sent, partner.headers(sent, 'rotated'))).status).toBe(200);
  });

  test('are valid for an hour at most after the partner withdraws them', async () => {
    const sent = JSON.stringify([]);
    partner.addKey('withdrawn');
    service.pass(61);
    expect((await post(sent, partner.headers(sent, 'withdrawn'))).status).toBe(200);
    partner.published = partner.published.slice(0, -1);
    service.pass(3601);
    expect((await post(sent, partner.headers(sent, 'withdrawn'))).status).toBe(403);
  });

  test('stay cached for a day while the partner does not answer; later reports get an answer that asks for a retry', async () => {
    const sent = JSON.stringify([]);
    expect((await post(sent, partner.headers(sent))).status).toBe(200);
    partner.isDown = true;
    service.pass(20 * 3600);
    expect((await post(sent, partner.headers(sent))).status).toBe(200);
    service.pass(5 * 3600);
    expectProblem(await post(sent, partner.headers(sent)), {
      status: 503,
      code: 'unavailable',
      detail: "The partner's keys cannot be fetched at the moment; send the report again",
    });
    partner.isDown = false;
    service.pass(61);
    expect((await post(sent, partner.headers(sent))).status).toBe(200);
  });
});

test('the route does not exist without a partner in the configuration', async () => {
  const service = await forThisTest();
  const sent = JSON.stringify([]);
  const answer = await service.anyone('POST', path, sent, partner.headers(sent));
  expectProblem(answer, {
    status: 404,
    code: 'route_not_found',
    detail: 'No such route; /api/v1/docs lists the routes there are',
  });
});
