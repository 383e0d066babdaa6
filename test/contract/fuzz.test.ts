import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { basePath, type Operation } from '../../lib/operations/operation.ts';
import { registry } from '../../lib/operations/registry.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { connection, createOrganization, made, newKey, repository, signUpAdmin } from '../functions/users.ts';
import { send } from '../lib/local/http-client.ts';
import { testService } from '../service/test-service.ts';
import { validBodies } from './fuzz-bodies.ts';

const table = lookAtTable();
const service = await testService({ tableName: table.tableName });
await table.stopStream();
const admin = await signUpAdmin(service);
await createOrganization(admin, 'tides');
await made(admin('POST', '/data-connections', connection('store-one')));
await made(admin('POST', '/repositories/tides', repository('gauges')));
await made(admin('POST', '/accounts/tides/service-accounts', { name: 'sync' }));
const { authorization } = await newKey(service, admin, '/accounts/site-admin');

/** One value for each path parameter. The resource exists if the effect of a body depends on it. */
const named: Readonly<Record<string, string>> = {
  account_id: 'tides',
  repository_id: 'gauges',
  membership_id: '00000000-0000-4000-8000-000000000000',
  access_key_id: 'SCAKAAAAAAAAAAAAAAAA',
  data_connection_id: 'store-one',
  service_account_id: 'tides--sync',
  key_id: '00000000-0000-4000-8000-000000000000',
  workflow_id: '00000000-0000-4000-8000-000000000000',
  version_name: 'v1',
  issuer_id: '00000000-0000-4000-8000-000000000000',
  invitation_link_id: '00000000-0000-4000-8000-000000000000',
  link_id: '00000000-0000-4000-8000-000000000000',
};
const fillPath = (path: string, values = named) =>
  path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => values[name] ?? 'missing');
// These two operations would disable resources that the other operations need.
const withBody = registry.filter(({ body, name }) => body !== undefined && !name.startsWith('disable-'));
const runs = { numRuns: 20, interruptAfterTimeLimit: 8_000 };

/** Describes the request and the response, for the message of a failed property. */
const sendJson = (operation: Operation, text: string) => admin(operation.method, fillPath(operation.path), text);

/** Operations whose valid bodies are refused in this fixture, with the reason. */
const refusedHere: Readonly<Record<string, string>> = {
  'update-membership-role': 'the membership does not exist',
  'change-service-account-key-expiry': 'the key does not exist',
  'invite-account-member': 'the invited account does not exist',
  'invite-repository-member': 'the invited account does not exist',
  'show-invitation-link': 'the link does not exist',
  'accept-invitation-link': 'the link does not exist',
  'create-link-credentials': 'the link does not exist',
  'withdraw-version': 'the version is not ready',
  'update-version-doi': 'the version is not ready',
  'offer-transfer': 'the receiving account does not exist',
  'delete-account': 'the account is not disabled',
  'delete-repository': 'the repository is not disabled',
  'update-data-connection': 'the ID of the body is not that of the path',
  'delete-data-connection': 'the body does not confirm the ID',
};
const reads = new Set(registry.filter(({ kind }) => kind === 'read').map(({ path }) => path));

describe.each(withBody)('the body of $name', (operation) => {
  const arbitrary = validBodies(operation);

  test('is returned unchanged when it is valid', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(arbitrary, async (sent) => {
        const answer = await sendJson(operation, JSON.stringify(sent));
        expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
        if (answer.status >= 300) return;
        taken += 1;
        const parsed: unknown = JSON.parse(JSON.stringify(operation.body?.parse(sent)));
        const location = answer.headers.get('location')?.slice(basePath.length);
        const path = location ?? (reads.has(operation.path) ? fillPath(operation.path) : undefined);
        const read = path === undefined ? [] : [(await admin('GET', path)).body];
        for (const shown of [answer.body, ...read]) expectShown(parsed, shown);
      }),
      runs,
    );
    if (refusedHere[operation.name] === undefined) expect(taken).toBeGreaterThan(0);
  });

  test('is refused with the path of the fault when one value in it is of another kind', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrary,
        fc.nat(),
        fc.constantFrom(4.5, [[4.5]], { 'not there': 4.5 }),
        async (sent, at, wrong) => {
          const places = placesOf(JSON.parse(JSON.stringify(sent)));
          // In a list of keys, a fault names the whole key, because a key may be a text or an object.
          const namedDepth = operation.name === 'revoke-found-keys' ? 2 : Number.POSITIVE_INFINITY;
          const place = places[at % places.length] ?? [];
          const answer = await sendJson(operation, JSON.stringify(replaced(sent, place, wrong)));
          const path = place.slice(0, namedDepth).join('.');
          expect(answer).toMatchObject({ status: 400, body: { code: 'field_invalid' } });
          const faults: { path: string }[] = answer.body.errors;
          const isTold = faults.some((fault) => `${fault.path}.`.startsWith(path === '' ? '' : `${path}.`));
          expect(isTold, `${path} in ${JSON.stringify(faults)}`).toBe(true);
        },
      ),
      runs,
    );
  });

  test('is refused with an unknown field, and without a required one', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.nat(), async (sent, at) => {
        if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return;
        const unknown = await sendJson(operation, JSON.stringify({ ...sent, not_a_field: 1 }));
        expect(unknown).toMatchObject({
          status: 400,
          body: { errors: [{ message: 'has unknown fields: not_a_field' }] },
        });
        const names = requiredFields(operation);
        const name = names[at % names.length];
        if (name === undefined) return;
        const { [name]: _, ...rest } = sent as Record<string, unknown>;
        const without = await sendJson(operation, JSON.stringify(rest));
        expect(without).toMatchObject({ status: 400, body: { errors: [{ path: name }] } });
      }),
      { ...runs, numRuns: 10 },
    );
  });

  test('never causes a failure of the service, whatever it contains', async () => {
    const anything = fc.oneof(
      fc.json({ maxDepth: 4 }),
      fc.string(),
      fc.constantFrom(
        '',
        'null',
        '[]',
        '{}',
        '"\\ud800"',
        '1e999',
        '{"a":'.repeat(2000),
        '['.repeat(5000) + ']'.repeat(5000),
        '{"__proto__":{"admin":true}}',
        '{"constructor":{"prototype":{"admin":true}}}',
        '\ufeff{}',
      ),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (body) => {
        const { status } = await sendJson(operation, body);
        expect([200, 204, 400, 403, 404, 409]).toContain(status);
      }),
      { ...runs, numRuns: 15 },
    );
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });

  test('cannot change the prototype of an object', async () => {
    const [sent] = fc.sample(arbitrary, 1);
    if (typeof sent !== 'object' || Array.isArray(sent)) return;
    for (const poison of ['"__proto__":{"admin":true}', '"constructor":{"prototype":{"admin":true}}']) {
      const body = JSON.stringify(sent).replace(/^\{/, `{${poison}${Object.keys(sent ?? {}).length === 0 ? '' : ','}`);
      expect((await sendJson(operation, body)).status).toBe(400);
    }
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
  });
});

test.each(['\ud800', 'a\udfffb', '\udc00\ud800'])('an unpaired surrogate (%j) in a text is refused', async (half) => {
  const answers = [
    await admin('PUT', '/accounts/tides/profile', { bio: half }),
    await admin('PUT', '/repositories/tides/gauges', {
      meta: { title: half, description: '', tags: '' },
      state: 'listed',
    }),
    await admin('POST', '/accounts', { account_id: half, account_type: 'organization', profile: {} }),
  ];
  for (const { status } of answers) expect(status).toBe(400);
});

describe('a path', () => {
  const segment = fc.oneof(
    fc.constantFrom(
      'a%2Fb',
      '..%2F..%2Fetc',
      '%2e%2e',
      '%00',
      'tides%00',
      'TIDES',
      'Tides',
      'a',
      'a'.repeat(41),
      'a'.repeat(4000),
      'tides--',
      '--tides',
      'a--b--c',
      'tides%20',
      '%20tides',
      'tides%0A',
      '__proto__',
      'constructor',
      'toString',
      '%F0%9F%8C%8A',
      'tides%23x',
      'tides%3Fx',
      'null',
      'undefined',
      '*',
      ';',
      '%25',
      '%ff',
      '%',
      '%zz',
    ),
    fc.webSegment({ size: 'medium' }).filter((value) => value !== ''),
  );
  // Some operations give the same answer for a missing account or repository.
  const withParameters = registry.filter(({ path, target }) => path.includes('{') && !target.endsWith('_if_any'));

  test.each(withParameters)('of $name with invalid segments gets 400, 403, or 404', async (operation) => {
    const names = [...operation.path.matchAll(/\{([a-z_]+)\}/g)].map((match) => match[1] ?? '');
    const { port } = new URL(service.apiUrl);
    const validBody = operation.body === undefined ? fc.constant(undefined) : validBodies(operation);
    await fc.assert(
      fc.asyncProperty(segment, fc.constantFrom(...names), validBody, async (value, name, sent) => {
        const path = basePath + fillPath(operation.path, { ...named, [name]: value });
        const { status, body } = await send(Number(port), {
          method: operation.method,
          path,
          headers: { authorization, 'content-type': 'application/json' },
          ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
        });
        expect([400, 403, 404], `${path} ${status} ${body}`).toContain(status);
      }),
      { ...runs, numRuns: 15 },
    );
  });
});

/** Expects the sent values in the fields that a response has too. Null clears a field. */
function expectShown(sent: unknown, shown: unknown): void {
  if (typeof sent !== 'object' || sent === null || typeof shown !== 'object' || shown === null) return;
  if (Array.isArray(sent)) {
    expect(shown).toEqual(sent);
    return;
  }
  for (const [name, value] of Object.entries(sent).filter(([field]) => field in shown)) {
    const received = (shown as Readonly<Record<string, unknown>>)[name];
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const expected = isObject ? Object.entries(value as object).filter(([, inner]) => inner !== null) : [];
    expect(received ?? null, name).toEqual(isObject ? expect.objectContaining(Object.fromEntries(expected)) : value);
  }
}

/** Returns the path of every value in a body, beginning with the body itself. */
function placesOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([name, inner]) => placesOf(inner).map((place) => [name, ...place]))];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const inner = replaced((value as Record<string, unknown>)[name], rest, by);
  return Array.isArray(value)
    ? value.map((item, index) => (String(index) === name ? inner : item))
    : { ...(value as object), [name]: inner };
}

function requiredFields({ body }: Operation): string[] {
  if (body === undefined || !('shape' in body)) return [];
  return Object.entries(body.shape as Record<string, { safeParse(value: unknown): { success: boolean } }>)
    .filter(([, field]) => !field.safeParse(undefined).success)
    .map(([name]) => name);
}
