import { describe, expect, test } from 'vitest';
import type { EdgeRequest } from '../../../../lib/domain/data/decision.ts';
import { limits } from '../../../../lib/domain/limits.ts';
import { parseXml, xmlChildren, xmlText } from '../../../../lib/domain/xml.ts';
import { anonymous, apiKeyOptions, dataFixture, decide, outcome, relayed, signed } from '../data-fixture.ts';

const openAndListed = ['china/', 'dotted/', 'endpoint/', 'tide-gauges/'];

function list(rawQuery: string): EdgeRequest {
  return anonymous('/tide-institute', { rawQuery });
}

function read(body: string) {
  const root = parseXml(body, 'ListBucketResult');
  return {
    text: (name: string) => xmlText(root, name),
    keys: xmlChildren(root, 'Contents').map((child) => xmlText(child, 'Key')),
    prefixes: xmlChildren(root, 'CommonPrefixes').map((child) => xmlText(child, 'Prefix')),
  };
}

async function answered(request: EdgeRequest, fixture = dataFixture()) {
  const decision = await decide(request, fixture);
  if (decision.kind !== 'respond') throw new Error('asked storage');
  expect(decision.answer.status).toBe(200);
  return read(decision.answer.body);
}

describe('repositories as prefixes', () => {
  test('continue after a marker, and repeat the parameters', async () => {
    const page = await answered(list('delimiter=/&marker=china/&max-keys=2&encoding-type=url&prefix='));
    expect([page.prefixes, page.text('NextMarker')]).toEqual([['dotted/', 'endpoint/'], 'endpoint/']);
    const told = ['Name', 'Prefix', 'Marker', 'Delimiter', 'MaxKeys', 'EncodingType'].map(page.text);
    expect(told).toEqual(['tide-institute', '', 'china/', '/', '2', 'url']);
  });

  test('are those that the caller may read, from data of at most a minute', async () => {
    const fixture = dataFixture();
    const query = { 'list-type': '2', delimiter: '/' };
    const granted = ['elsewhere/', 'endpoint/', 'frozen/', 'hidden-atlas/', 'raw-drafts/', 'tide-gauges/'];
    const bySession = await answered(await signed({ path: '/tide-institute', query }), fixture);
    expect(bySession.prefixes).toEqual(['china/', 'dotted/', ...granted]);
    expect(fixture.agesAsked).toEqual([limits.listedNamesAgeMaxSeconds]);
    const byOwner = await answered(await signed({ path: '/tide-institute', query }, apiKeyOptions()));
    expect(byOwner.prefixes).toEqual([...bySession.prefixes, 'ungranted/'].sort());
  });

  test('are empty for a disabled or missing owner, and refused for an invalid name', async () => {
    const fixture = dataFixture();
    fixture.status.owner = { account_id: 'tide-institute', account_type: 'organization', disabled: true };
    expect((await answered(list('delimiter=/'), fixture)).prefixes).toEqual([]);
    fixture.status.owner = undefined;
    expect((await answered(list('delimiter=/'), fixture)).prefixes).toEqual([]);
    expect(await outcome(anonymous('/tide--institute', { rawQuery: 'delimiter=/' }))).toBe('403 AccessDenied');
  });

  test.each(['delimiter=-', 'delimiter=-&prefix=tide', 'delimiter=%2F%2F&list-type=2'])(
    'accept only / as the delimiter: %s',
    async (rawQuery) => {
      expect(await outcome(list(rawQuery))).toBe('501 NotImplemented');
    },
  );
});

describe('all keys of an account', () => {
  const prefixOf = (rawQuery: string) => new URLSearchParams(rawQuery).get('prefix');
  const page = (more = '') => ({
    status: 200,
    headers: {},
    body: `<ListBucketResult><IsTruncated>${more !== ''}</IsTruncated>${more}</ListBucketResult>`,
  });

  test('are read from one repository after another', async () => {
    const seen: unknown[] = [];
    let token = '';
    do {
      const { request, rewrite } = await relayed(list(`list-type=2${token}`));
      seen.push(prefixOf(request.rawQuery));
      const next = read(rewrite(page()).body).text('NextContinuationToken');
      token = next === undefined ? '' : `&continuation-token=${next}`;
    } while (token !== '');
    expect(seen).toEqual(openAndListed.map((prefix) => `hidden/tide-institute/${prefix}`));
  });

  test("storage's token continues in its repository, or in the next one when that is hidden", async () => {
    const more = '<NextContinuationToken>of storage</NextContinuationToken>';
    const { rewrite } = await relayed(list('list-type=2&start-after=china0'));
    const token = read(rewrite(page(more)).body).text('NextContinuationToken');
    const next = list(`list-type=2&continuation-token=${token}`);
    const { request } = await relayed(next);
    const { request: elsewhere } = await relayed(list(`list-type=2&prefix=e&continuation-token=${token}`));
    const asked = [request, elsewhere].map(({ rawQuery }) => new URLSearchParams(rawQuery));
    expect(asked.map((query) => [query.get('prefix'), query.get('continuation-token')])).toEqual([
      ['hidden/tide-institute/dotted/', 'of storage'],
      ['hidden/tide-institute/endpoint/', null],
    ]);
    expect(await outcome(list(`list-type=2&delimiter=/&continuation-token=${token}`))).toBe('400 InvalidArgument');
    expect(await outcome(list(`list-type=2&prefix=china/&continuation-token=${token}`))).toBe('400 InvalidArgument');
  });

  test('begin inside the repository of the marker', async () => {
    const { request, rewrite } = await relayed(list('marker=endpoint/a%20b&max-keys=7'));
    const query = new URLSearchParams(request.rawQuery);
    expect(['prefix', 'marker', 'max-keys'].map((name) => query.get(name))).toEqual([
      'hidden/tide-institute/endpoint/',
      'hidden/tide-institute/endpoint/a b',
      '7',
    ]);
    expect(read(rewrite(page()).body).text('NextMarker')).toBe('endpoint0');
  });

  test.each(['max-keys=0', 'delimiter=/&max-keys=0', 'marker=z', 'prefix=raw', 'prefix=nothing&list-type=2'])(
    'are an empty list without a storage request for %s',
    async (rawQuery) => {
      const { keys, text } = await answered(list(rawQuery));
      expect([keys, text('IsTruncated')]).toEqual([[], 'false']);
    },
  );
});
