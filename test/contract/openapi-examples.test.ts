import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { type Operation, routePath } from '../../lib/operations/operation.ts';
import { pathParameterNames } from '../../lib/operations/path-parameters.ts';
import { registry } from '../../lib/operations/registry.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { personToken, startTestService, type TestService } from '../service/test-service.ts';
import { describedOperation, schemasOf } from './openapi-schemas.ts';
import { startPartner } from './scanning-partner.ts';

const operations = registry.filter(({ method }) => method !== 'ANY');
const document = openApiDocument(registry);
const schemas = schemasOf(document);

interface Sent {
  authorization?: string | undefined;
  path?: Readonly<Record<string, string>> | undefined;
  body?: string | undefined;
  contentType?: string;
  headers?: Readonly<Record<string, string>>;
}

interface Received {
  status: number;
  contentType: string;
  headers: Headers;
  body: unknown;
}

async function send(service: TestService, operation: Operation, sent: Sent): Promise<Received> {
  const { authorization, path = {}, body, contentType = 'application/json', headers = {} } = sent;
  const filled = routePath(operation).replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '');
  const query = operation.example?.query === undefined ? '' : `?${new URLSearchParams(operation.example.query)}`;
  const answer = await fetch(service.apiUrl + filled + query, {
    method: operation.method,
    headers: {
      ...headers,
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': contentType }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await answer.text();
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  return {
    status: answer.status,
    contentType: type,
    headers: answer.headers,
    body: /json/.test(type) ? JSON.parse(text) : text,
  };
}

function expectDescribed(operation: Operation, { status, contentType, body }: Received): void {
  const { found } = describedOperation(document, operation);
  expect(Object.keys(found.responses), `${operation.name} answered ${status}: ${JSON.stringify(body)}`).toContain(
    String(status),
  );
  const fault = schemas.answer(operation, status, contentType);
  if (body === '') expect(operation.response, `${operation.name} answered nothing`).toBeUndefined();
  else expect(fault?.(body), `${operation.name} answered ${JSON.stringify(body)} as ${contentType}`).toBeUndefined();
  if (body !== '') expect(fault, `${operation.name} answered ${status} as ${contentType}`).toBeDefined();
}

/** In an order that works: what others need is made first, and what takes away comes last. */
const firstOnes = ['create-account', 'create-data-connection', 'create-repository', 'create-service-account'];

function turnOf({ name, method, status }: Operation): number {
  if (firstOnes.includes(name)) return firstOnes.indexOf(name);
  if (method === 'POST' && status === 201) return 10;
  if (name.startsWith('enable-')) return 50;
  if (name.startsWith('delete-')) return 60;
  // It leaves the account that the other examples are of.
  if (name === 'accept-transfer') return 70;
  if (/^(?:revoke|remove|disable|unblock|withdraw)-/.test(name)) return 40;
  return method === 'GET' ? 30 : 20;
}

type Person = 'admin' | 'ada' | 'grace' | 'edith';

function personFor({ name, permission, ignoresAuthorization }: Operation): Person | undefined {
  if (ignoresAuthorization) return undefined;
  if (name === 'accept-membership' || name === 'accept-transfer') return 'grace';
  if (name === 'reject-membership' || name === 'delete-account') return 'edith';
  const isForAdmins =
    permission.kind === 'admin' ||
    (permission.kind === 'account' && !['owners', undefined].includes(permission.rule.organization[0]));
  return isForAdmins ? 'admin' : 'ada';
}

/** IDs that the service chooses. */
const chosenIds = ['membership_id', 'access_key_id', 'key_id', 'workflow_id', 'transfer_id'];

describe('the documented examples', () => {
  const table = lookAtTable();
  let service: TestService;
  let partner: Awaited<ReturnType<typeof startPartner>>;
  const tokens = new Map<Person, string>();
  const realIds = new Map<string, string>();

  beforeAll(async () => {
    partner = await startPartner();
    service = await startTestService({ tableName: table.tableName, secretScanningKeysUrl: partner.keysUrl });
    for (const name of ['admin', 'ada', 'grace', 'edith'] as const) {
      tokens.set(name, `Bearer ${await personToken(service, name)}`);
    }
    // People's tokens go by the machine's time; everything else is as of the day that the examples tell of.
    service.advance((Date.parse('2026-08-03T09:30:00Z') - Date.now()) / 1000);
    for (const [name, authorization] of tokens) {
      const client = service.withAuthorization(authorization);
      const account_id = name === 'admin' ? 'site-admin' : name;
      const made = await client('POST', '/accounts', { account_id, account_type: 'user', profile: {} });
      expect(made.status).toBe(201);
    }
    const asAdmin = service.withAuthorization(tokens.get('admin') ?? '');
    expect((await asAdmin('PUT', '/accounts/ada/flags', ['create_organizations'])).status).toBe(200);
  });
  afterAll(async () => {
    await service.close();
    await partner.close();
  });

  const inTurn = operations.toSorted((a, b) => turnOf(a) - turnOf(b));
  it.each(inTurn.map((operation) => [operation.name, operation] as const))(
    'of %s gets the answer that the document describes, and a change is in the audit trail of each account once',
    async (name, operation) => {
      const { example } = operation;
      if (name === 'reject-membership') await inviteEdith();
      if (name === 'delete-repository') await disableRepository();
      if (name === 'decline-transfer') await offerRepository(name, 'ada');
      if (name === 'accept-transfer') await offerRepositoryAnew();
      const person = personFor(operation);
      const path = Object.fromEntries(
        Object.entries(example?.path ?? {}).map(([parameter, value]) => [parameter, realIds.get(value) ?? value]),
      );
      const body = example?.body === undefined ? undefined : JSON.stringify(example.body);
      const received = await send(service, operation, {
        authorization: person && tokens.get(person),
        path,
        body,
        headers: operation.signedBody === undefined ? {} : partner.sign(body ?? ''),
      });
      expect([200, 201, 202, 204], JSON.stringify(received.body)).toContain(received.status);
      expectDescribed(operation, received);
      if (received.status === 201) rememberIds(example?.response, received.body);
      if (received.status === 201 && operation.location !== undefined) {
        const location = received.headers.get('location') ?? '';
        expect(
          (await fetch(service.apiUrl + location, { headers: { authorization: tokens.get('admin') ?? '' } })).status,
        ).not.toBe(404);
      }
      // What anyone may do tells of itself by the table's stream, with no request's id.
      const isChange = operation.method !== 'GET' && !operation.ignoresAuthorization;
      const trail = (await table.all()).filter(({ entity }) => entity === 'audit_event');
      const told = trail.filter(({ request_id }) => request_id === received.headers.get('apigw-requestid'));
      const isOfTwoAccounts = operation.group === 'transfers';
      expect(told).toHaveLength(isChange ? (isOfTwoAccounts ? 2 : 1) : 0);
      expect(new Set(told.map(({ account_id }) => account_id)).size).toBe(told.length);
      for (const field of operation.secretFields ?? []) {
        const secret = (received.body as Record<string, unknown>)[field];
        if (typeof secret === 'string') expect(JSON.stringify(trail)).not.toContain(secret);
      }
    },
  );

  async function inviteEdith(): Promise<void> {
    const asAda = service.withAuthorization(tokens.get('ada') ?? '');
    const invited = await asAda('POST', '/accounts/tide-institute/members', { account_id: 'edith', role: 'read_data' });
    const documented = registry.find(({ name }) => name === 'reject-membership')?.example;
    rememberIds(documented?.response, invited.body);
  }

  async function disableRepository(): Promise<void> {
    const asAda = service.withAuthorization(tokens.get('ada') ?? '');
    expect((await asAda('DELETE', '/repositories/tide-institute/tide-gauges')).status).toBe(200);
  }

  async function offerRepository(name: string, to: string): Promise<void> {
    const asAda = service.withAuthorization(tokens.get('ada') ?? '');
    const offered = await asAda('POST', '/repositories/tide-institute/tide-gauges/transfers', { to });
    rememberIds(registry.find((operation) => operation.name === name)?.example?.response, offered.body);
  }

  async function offerRepositoryAnew(): Promise<void> {
    // Three were made to grace already, who is invited and offered no more on one day.
    service.advance(25 * 3600);
    const asAda = service.withAuthorization(tokens.get('ada') ?? '');
    const documented = registry.find(({ name }) => name === 'create-repository')?.example?.body as object;
    const created = await asAda('POST', '/repositories/tide-institute', { ...documented, data_mode: 'private' });
    expect(created.status).toBe(201);
    await offerRepository('accept-transfer', 'grace');
  }

  function rememberIds(documented: unknown, received: unknown): void {
    for (const name of chosenIds) {
      const [before, after] = [documented, received].map(
        (value) => (value as Record<string, string> | undefined)?.[name],
      );
      if (before !== undefined && after !== undefined) realIds.set(before, after);
    }
  }
});

describe('a refusal', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const refusedRequests: [string, number, Partial<Sent> & { isTooLarge?: true }, (operation: Operation) => boolean][] =
    [
      [
        'without a credential',
        401,
        {},
        ({ ignoresAuthorization, permission }) => !ignoresAuthorization && permission.kind !== 'anyone',
      ],
      [
        'with a credential that is not valid',
        401,
        { authorization: 'Bearer none' },
        ({ ignoresAuthorization }) => !ignoresAuthorization,
      ],
      ['with a body that is no JSON', 400, { body: '{' }, isOpenWithBody],
      ['with a body of another type', 415, { body: 'key', contentType: 'text/plain' }, isOpenWithBody],
      ['with a body that is too large', 413, { isTooLarge: true }, isOpenWithBody],
    ];

  it.each(refusedRequests)('of a request %s is described, for every operation', async (_, status, sent, applies) => {
    const concerned = operations.filter(applies);
    expect(concerned.length).toBeGreaterThan(0);
    for (const operation of concerned) {
      const { isTooLarge, ...request } = sent;
      // A thousand pairs of found keys are larger than what other operations take.
      const tooLarge = JSON.stringify('a'.repeat((operation.bodyBytesMax ?? 64 * 1024) + 1));
      const body = isTooLarge ? tooLarge : (sent.body ?? (operation.body && JSON.stringify(operation.example?.body)));
      const received = await send(service, operation, { path: operation.example?.path, ...request, body });
      expect(received.status, operation.name).toBe(status);
      expectDescribed(operation, received);
    }
  });
});

function isOpenWithBody({ body, ignoresAuthorization }: Operation): boolean {
  return body !== undefined && ignoresAuthorization === true;
}

describe('an example', () => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'of %s fits the schemas that it illustrates',
    (_, operation) => {
      const { path = {}, query, body, response } = operation.example ?? {};
      if (query !== undefined) expect(operation.query?.safeParse(query).error).toBeUndefined();
      expect(Object.keys(path).sort()).toEqual(pathParameterNames(operation.path).sort());
      const schema = operation.body ?? operation.signedBody?.schema;
      expect(body === undefined).toBe(schema === undefined);
      expect(schema?.safeParse(body).error).toBeUndefined();
      if (body !== undefined) expect(schemas.body(operation)(body)).toBeUndefined();
      if (operation.response !== undefined && operation.isPage === undefined) {
        // Equal: an example shows no field that an answer would not have.
        expect(operation.response.parse(response)).toEqual(response);
        expect(schemas.answer(operation, operation.status, 'application/json')?.(response)).toBeUndefined();
      }
    },
  );
});
