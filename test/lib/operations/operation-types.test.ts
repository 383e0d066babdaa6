import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import type { AuthenticatedCaller, Caller } from '../../../lib/domain/accounts/callers.ts';
import type { RunContext, RunResult } from '../../../lib/http/pipeline.ts';
import {
  type BodyOf,
  defineOperation,
  type PathParameterNames,
  type PathParametersOf,
} from '../../../lib/operations/operation.ts';

/**
 * The compiler checks this file (`npm run types`). The declaration alone determines the argument and the result of
 * `run`.
 */
const common = {
  group: 'accounts',
  summary: 'x',
  target: 'nothing',
  status: 200,
  tableAccess: { actions: [], indexes: [] },
} as const;

const list = defineOperation({
  ...common,
  name: 'list-things',
  method: 'GET',
  path: '/accounts/{account_id}/things/{thing_id}',
  permission: { kind: 'anyone' },
  isList: true,
  query: z.object({ limit: z.coerce.number() }),
  response: z.array(z.object({ thing_id: z.string() })),
});

const upsert = defineOperation({
  ...common,
  name: 'put-thing',
  method: 'PUT',
  path: '/things',
  permission: { kind: 'authenticated' },
  isUpsert: true,
  body: z.strictObject({ size: z.number() }),
  response: z.object({ size: z.number() }),
});

const removal = defineOperation({
  ...common,
  name: 'remove-thing',
  method: 'DELETE',
  path: '/things',
  permission: { kind: 'admin' },
  status: 204,
});

test('path parameters have the names between braces', () => {
  expectTypeOf<PathParameterNames<'/a/{b}/c/{d}'>>().toEqualTypeOf<'b' | 'd'>();
  expectTypeOf<PathParameterNames<'/a'>>().toEqualTypeOf<never>();
  expectTypeOf<PathParametersOf<typeof list>>().toEqualTypeOf<Readonly<Record<'account_id' | 'thing_id', string>>>();
});

test('a caller is authenticated unless anyone may call', () => {
  expectTypeOf<RunContext<typeof list, object>['caller']>().toEqualTypeOf<Caller>();
  expectTypeOf<RunContext<typeof upsert, object>['caller']>().toEqualTypeOf<AuthenticatedCaller>();
});

test('bodies and queries come parsed, and are undefined where none is declared', () => {
  expectTypeOf<BodyOf<typeof upsert>>().toEqualTypeOf<{ size: number }>();
  expectTypeOf<BodyOf<typeof list>>().toEqualTypeOf<undefined>();
  expectTypeOf<RunContext<typeof list, object>['query']>().toEqualTypeOf<{ limit: number }>();
});

test('run returns a page of a list, whether it made what it put, and nothing for a removal', () => {
  expectTypeOf<RunResult<typeof list>>().toEqualTypeOf<{ items: { thing_id: string }[]; next: string | undefined }>();
  expectTypeOf<RunResult<typeof upsert>>().toEqualTypeOf<{ isNew: boolean; answer: { size: number } }>();
  expectTypeOf<RunResult<typeof removal>>().toEqualTypeOf<undefined>();
});
