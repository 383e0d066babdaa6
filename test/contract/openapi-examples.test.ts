import { beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../lib/openapi/document.ts';
import { type Operation, successStatus } from '../../lib/operations/operation.ts';
import { pathParameterNames } from '../../lib/operations/path-parameters.ts';
import { registry } from '../../lib/operations/registry.ts';
import { lookAtTable } from '../functions/table-items.ts';
import { type TestService, testService } from '../service/test-service.ts';
import { type ExampleRun, examplePath, operationsInOrder, startExampleRun } from './example-run.ts';
import { describedOperation, schemasOf } from './openapi-schemas.ts';

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
  const answer = await fetch(service.apiUrl + examplePath(operation, path), {
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

/** Returns true for the only read operation that uses POST. It keeps its secret out of the URL. */
const isRead = ({ name }: Operation) => name === 'show-invitation-link';

describe('the documented examples', () => {
  const table = lookAtTable();
  let run: ExampleRun;
  beforeAll(async () => {
    run = await startExampleRun(table.tableName);
    return run.close;
  });

  it.each(operationsInOrder.map((operation) => [operation.name, operation] as const))(
    '%s returns the response that the document describes, and writes one audit event for each account of a change',
    async (_, operation) => {
      const { service } = run;
      const received = await send(service, operation, await run.prepare(operation));
      expect([200, 201, 202, 204], JSON.stringify(received.body)).toContain(received.status);
      expectDescribed(operation, received);
      if (received.status === 201) run.remember(operation, received.body);
      if (received.status === 201 && operation.location !== undefined) {
        const location = received.headers.get('location') ?? '';
        expect(
          (await fetch(service.apiUrl + location, { headers: { authorization: run.tokenOf('admin') } })).status,
        ).not.toBe(404);
      }
      // The stream consumer audits changes by anonymous callers, without a request ID.
      const isChange = operation.method !== 'GET' && !operation.ignoresAuthorization && !isRead(operation);
      const trail = (await table.all()).filter(({ entity }) => entity === 'audit_event');
      const events = trail.filter(({ request_id }) => request_id === received.headers.get('apigw-requestid'));
      const concernsTwoAccounts = operation.group === 'transfers';
      expect(events).toHaveLength(isChange ? (concernsTwoAccounts ? 2 : 1) : 0);
      expect(new Set(events.map(({ account_id }) => account_id)).size).toBe(events.length);
      // Each operation that disables, enables, or revokes returns the same body when it is repeated.
      if (/^(?:disable|enable|revoke)-(?!found)/.test(operation.name)) {
        const again = await send(service, operation, await run.prepare(operation));
        expect([again.status, again.body]).toEqual([received.status, received.body]);
      }
      for (const field of operation.secretFields ?? []) {
        const secret = (received.body as Record<string, unknown>)[field];
        if (typeof secret === 'string') expect(JSON.stringify(trail)).not.toContain(secret);
      }
    },
  );
});

const service = await testService();

describe('a refusal', () => {
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
      // The limit for leaked-key reports is higher than that of other operations.
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
      if (operation.response !== undefined && operation.kind !== 'page') {
        // Parsing must not remove anything: an example has no unknown field.
        expect(operation.response.parse(response)).toEqual(response);
        expect(schemas.answer(operation, successStatus(operation), 'application/json')?.(response)).toBeUndefined();
      }
    },
  );
});
