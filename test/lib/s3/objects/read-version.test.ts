import { describe, expect, test } from 'vitest';
import type { UnsignedRequest } from '../../sigv4/signed-request.ts';
import {
  anonymous,
  dataFixture,
  decide,
  outcome,
  relayed,
  sessionOptions,
  signed,
  verifyForStorage,
} from '../data-fixture.ts';

const path = '/tide-institute/raw-drafts/a b.csv';
const query = { versionId: 'v/1+' };
const rawQuery = 'versionId=v%2F1%2B';
const reader = sessionOptions({ role: 'ReadOnly' });
const found = (version: string | undefined, status = 200) => ({
  status,
  headers: version === undefined ? {} : { 'x-amz-version-id': version },
  body: '',
});

const reads: [string, UnsignedRequest, string, 'forward' | 'relay'][] = [
  ['reading', { path, query }, rawQuery, 'forward'],
  ['describing', { method: 'HEAD', path, query }, rawQuery, 'forward'],
  ['reading the tags of', { path, query: { ...query, tagging: '' } }, `tagging=&${rawQuery}`, 'relay'],
];

describe.each(reads)('%s a version', (_, request, sentQuery, kind) => {
  test('needs no request to storage for a writer', async () => {
    expect(await decide(await signed(request))).toMatchObject({ kind, request: { rawQuery: sentQuery } });
  });

  test('is allowed for a reader when a HEAD finds that it is the current one', async () => {
    const decision = await relayed(await signed(request, reader));
    expect(decision.request).toMatchObject({
      method: 'HEAD',
      rawPath: '/hidden/tide-institute/raw-drafts/a%20b.csv',
      rawQuery: '',
    });
    verifyForStorage(decision.request);
    const next = decision.next?.(found('v/1+'));
    expect(next).toMatchObject({
      kind,
      request: { method: request.method ?? 'GET', rawPath: decision.request.rawPath, rawQuery: sentQuery },
    });
  });

  test.each([
    ['an older one', found('v/2')],
    ['one of a bucket that names none', found(undefined)],
    ['one of an object that was deleted', found('v/1+', 404)],
    ['one that the storage does not tell of', found('v/1+', 403)],
  ])('that is %s is refused for a reader', async (_case, answer) => {
    const { next, rewrite } = await relayed(await signed(request, reader));
    expect(next?.(answer)).toBeUndefined();
    const shown = rewrite(answer);
    expect(shown.status).toBe(403);
    if (request.method !== 'HEAD') expect(shown.body).toContain('<Code>AccessDenied</Code>');
    expect(JSON.stringify(shown.headers)).not.toContain('v/');
  });

  test('is refused without a request to storage when the caller may not read', async () => {
    const elsewhere = { ...request, path: '/tide-institute/ungranted/a' };
    expect(await outcome(await signed(elsewhere, reader))).toMatch(/^403/);
  });
});

test('anyone may read the current version of open data', async () => {
  const { next } = await relayed(anonymous('/tide-institute/tide-gauges/a', { rawQuery }));
  expect(next?.(found('v/1+'))).toMatchObject({ kind: 'forward', request: { rawQuery } });
});

test('a read of a version needs authorization data as fresh as a write', async () => {
  const fixture = dataFixture();
  await decide(await signed({ path, query }, reader), fixture);
  expect(new Set(fixture.agesAsked)).toEqual(new Set([60]));
});
