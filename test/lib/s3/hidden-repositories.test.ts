import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Decision, EdgeRequest } from '../../../lib/domain/data/decision.ts';
import type { SignerOptions } from '../sigv4/signed-request.ts';
import { anonymous, dataFixture, decide, type Fixture, sessionOptions, signed } from './data-fixture.ts';

/** Compares two data sets that differ only in data that the caller may not see. Every answer must be the same. */

/** Returns the data without the hidden repositories, as if they had never existed. */
function fixtureWithout(hidden: readonly string[]): Fixture {
  const fixture = dataFixture();
  fixture.repositories = fixture.repositories.filter(({ repository_id }) => !hidden.includes(repository_id));
  return fixture;
}

interface Caller {
  signer: SignerOptions | undefined;
  hidden: readonly string[];
}

const closed = ['disabled-one', 'ungranted'];
const callers: [string, Caller][] = [
  ['anyone', { signer: undefined, hidden: [...closed, 'raw-drafts', 'elsewhere', 'frozen'] }],
  ['a service account', { signer: sessionOptions(), hidden: closed }],
  ['a service account with the role ReadOnly', { signer: sessionOptions({ role: 'ReadOnly' }), hidden: closed }],
  [
    'credentials of a service account that is gone',
    {
      signer: sessionOptions({ service_account_uid: 'uid-of-before' }),
      hidden: [...closed, 'raw-drafts', 'elsewhere', 'frozen'],
    },
  ],
];

const repositoryName = fc.constantFrom(
  ...['tide-gauges', 'raw-drafts', 'ungranted', 'disabled-one', 'elsewhere', 'frozen', 'never-made', 'china'],
);
const place = fc.oneof(
  repositoryName,
  fc.tuple(repositoryName, fc.constantFrom('/', '/a', '0', '-x')).map((parts) => parts.join('')),
);
const parameter = fc.oneof(
  fc.tuple(
    fc.constantFrom('prefix', 'marker', 'start-after', 'key-marker'),
    fc.oneof(place, fc.constantFrom('', 'd', 'f', 'r', 'z')),
  ),
  fc.tuple(fc.constantFrom('max-keys', 'max-uploads', 'max-buckets'), fc.constantFrom('0', '1', '2', '3', '1000')),
  fc.constantFrom<[string, string][]>(
    ['delimiter', '/'],
    ['list-type', '2'],
    ['uploads', ''],
    ['versions', ''],
    ['encoding-type', 'url'],
  ),
  fc.constantFrom<[string, string][]>(
    ['tagging', ''],
    ['attributes', ''],
    ['versioning', ''],
    ['versionId', '1'],
    ['uploadId', 'u'],
    ['delete', ''],
    ['location', ''],
  ),
);
const deletion = fc
  .array(fc.tuple(repositoryName, fc.constantFrom('/a', '/b', '')), { minLength: 1, maxLength: 4 })
  .map((keys) => `<Delete>${keys.map((key) => `<Object><Key>${key.join('')}</Key></Object>`).join('')}</Delete>`);
const request = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'PUT', 'POST', 'DELETE'),
  path: fc.oneof(
    fc.constant('/tide-institute'),
    place.map((rest) => `/tide-institute/${rest}`),
    fc.constant('/'),
  ),
  query: fc.array(parameter, { maxLength: 4 }).map((parameters) => Object.fromEntries(parameters)),
  source: fc.option(
    repositoryName.map((name) => `tide-institute/${name}/a`),
    { freq: 4, nil: undefined },
  ),
  body: deletion,
});
type Asked = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

function edgeRequestOf({ method, path, query, source, body }: Asked, signer: SignerOptions | undefined) {
  const headers: Record<string, string> = source === undefined ? {} : { 'x-amz-copy-source': source };
  if (signer === undefined) {
    return anonymous(path, { method, rawQuery: new URLSearchParams(query).toString(), headers });
  }
  return signed({ method, path, query, headers, ...(method === 'POST' ? { body } : {}) }, signer);
}

/** Returns every visible part of a decision, and the next pages of the list as far as storage returns them. */
async function shown(asked: EdgeRequest, fixture: Fixture): Promise<unknown> {
  const seen = (decision: Decision): unknown => {
    if (decision.kind !== 'relay') return decision.kind === 'forward' ? decision.request : decision.answer;
    const empty = {
      status: 200,
      headers: {},
      body: '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>',
    };
    const isList = decision.request.method === 'GET' && decision.request.rawQuery.includes('prefix=');
    const isMarked = /(?:uploads|versions)=/.test(decision.request.rawQuery);
    return [decision.request, isList && !isMarked ? decision.rewrite(empty) : undefined];
  };
  return seen(await decide(asked, fixture));
}

test.each(callers)('%s cannot distinguish a hidden repository from a missing one', async (_, { signer, hidden }) => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(request, async (asked) => {
      const edgeRequest = await edgeRequestOf(asked, signer);
      const [whole, without] = await Promise.all([
        shown(edgeRequest, dataFixture()),
        shown(edgeRequest, fixtureWithout(hidden)),
      ]);
      expect(whole).toEqual(without);
      if (JSON.stringify(whole).includes('"status":200')) answered += 1;
      for (const name of hidden) {
        const isNamed = JSON.stringify(asked).includes(name);
        if (!isNamed) expect(JSON.stringify(whole)).not.toContain(name);
      }
    }),
    { numRuns: 600 },
  );
  expect(answered).toBeGreaterThan(10);
});
