import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import type { AuthenticatedCaller, Caller } from '../../../lib/domain/accounts/callers.ts';
import type { RunContext, RunResult } from '../../../lib/http/pipeline.ts';
import {
  type BodyOf,
  declarators,
  needsBearerToken,
  type Operation,
  openToAnyone,
  type PathParameterNames,
  type PathParametersOf,
  routeKeys,
  successStatus,
} from '../../../lib/operations/operation.ts';

/**
 * The compiler checks this file (`npm run types`). The declaration alone determines the argument and the result of
 * `run`, and a field of another kind does not compile.
 */
const define = declarators({ group: 'accounts', target: 'nothing', permission: { kind: 'authenticated' } });
const common = { name: 'x', summary: 'x', path: '/things', example: {} } as const;
const response = z.object({ size: z.number() });

const list = define.list({
  ...common,
  path: '/accounts/{account_id}/things/{thing_id}',
  permission: { kind: 'anyone' },
  query: z.object({ limit: z.coerce.number() }),
  response: z.array(z.object({ thing_id: z.string() })),
});
const put = define.put({ ...common, body: z.strictObject({ size: z.number() }), response });
const removal = define.action({ ...common, method: 'DELETE' });

test('path parameters have the names between braces', () => {
  expectTypeOf<PathParameterNames<'/a/{b}/c/{d}'>>().toEqualTypeOf<'b' | 'd'>();
  expectTypeOf<PathParameterNames<'/a'>>().toEqualTypeOf<never>();
  expectTypeOf<PathParametersOf<typeof list>>().toEqualTypeOf<Readonly<Record<'account_id' | 'thing_id', string>>>();
});

test('a caller is authenticated unless anyone may call', () => {
  expectTypeOf<RunContext<typeof list, object>['caller']>().toEqualTypeOf<Caller>();
  expectTypeOf<RunContext<typeof put, object>['caller']>().toEqualTypeOf<AuthenticatedCaller>();
});

test('bodies and queries have the types of their schemas, and are undefined without a schema', () => {
  expectTypeOf<BodyOf<typeof put>>().toEqualTypeOf<{ size: number }>();
  expectTypeOf<BodyOf<typeof list>>().toEqualTypeOf<undefined>();
  expectTypeOf<RunContext<typeof list, object>['query']>().toEqualTypeOf<{ limit: number }>();
});

test('the kind determines the result of run', () => {
  expectTypeOf<RunResult<typeof list>>().toEqualTypeOf<{ items: { thing_id: string }[]; next: string | undefined }>();
  expectTypeOf<RunResult<typeof put>>().toEqualTypeOf<{ isNew: boolean; answer: { size: number } }>();
  expectTypeOf<RunResult<typeof removal>>().toEqualTypeOf<undefined>();
});

test('fields of another kind do not compile', () => {
  const body = z.strictObject({});
  const secretFields = ['key'];
  // @ts-expect-error A read has no body.
  define.read({ ...common, response, body });
  // @ts-expect-error Every read accepts API keys.
  define.read({ ...common, response, allowsApiKey: true });
  // @ts-expect-error The method of a read is GET.
  define.read({ ...common, response, method: 'POST' });
  // @ts-expect-error A read has a response.
  define.read(common);
  // @ts-expect-error A list has no version.
  define.list({ ...common, response, etag: 'target' });
  // @ts-expect-error Only a list counts matches.
  define.read({ ...common, response, countsMatches: true });
  // @ts-expect-error A create never ignores the identity of the caller.
  define.create({ ...common, response, ignoresAuthorization: true });
  // @ts-expect-error A create with a secret names the ID that a retry receives.
  define.create({ ...common, response, secretFields });
  // @ts-expect-error Only a create has an ID for retries.
  define.action({ ...common, method: 'POST', response, secretFields, secretOf: 'key_id' });
  // @ts-expect-error Only a create has a location.
  define.put({ ...common, response, location: () => '/things' });
  // @ts-expect-error The status of a change follows from its response.
  define.change({ ...common, method: 'PUT', response, status: 202 });
  // @ts-expect-error A change is no read.
  define.change({ ...common, method: 'GET', response });
  // @ts-expect-error Only an action issues temporary credentials.
  define.create({ ...common, response, sealsSessions: true });
  // @ts-expect-error Only a page is cached by CloudFront.
  define.read({ ...common, response, isCacheable: true });
  // @ts-expect-error A page does not depend on the caller.
  define.page({ name: 'x', summary: 'x', path: '/things' });
  // @ts-expect-error Every operation has an example.
  define.action({ name: 'x', summary: 'x', path: '/things', method: 'POST' });
  // @ts-expect-error A webhook has a signed body.
  define.webhook({ ...common, ...openToAnyone, response });
});

test('the kind determines method, status, and credentials', () => {
  const create = define.create({ ...common, response });
  const page = declarators({ group: 'pages', ...openToAnyone, outsideBase: true }).page({
    name: 'x',
    summary: 'x',
    path: '/x',
  });
  const operations: Operation[] = [list, put, removal, create, page];
  const traits = operations.map((operation) => [
    ...routeKeys(operation),
    successStatus(operation),
    needsBearerToken(operation),
  ]);
  expect(traits).toEqual([
    ['GET /api/v1/accounts/{account_id}/things/{thing_id}', 200, false],
    ['PUT /api/v1/things', 200, true],
    ['DELETE /api/v1/things', 204, true],
    ['POST /api/v1/things', 201, true],
    ['GET /x', 'HEAD /x', 200, false],
  ]);
});
