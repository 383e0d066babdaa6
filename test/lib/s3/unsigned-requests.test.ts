import { describe, expect, test } from 'vitest';
import type { EdgeRequest } from '../../../lib/domain/data/decision.ts';
import { anonymous, dataFixture, decide, outcome, sessionOptions, signed } from './data-fixture.ts';

const object = '/tide-institute/tide-gauges/a';
const bucket = '/tide-institute';

/** Makes reading the body an error. */
function unreadable(request: EdgeRequest): EdgeRequest {
  const body = Object.defineProperty({ truncated: false }, 'bytes', {
    get: () => {
      throw new Error('the body was read');
    },
  }) as EdgeRequest['body'];
  return { ...request, body };
}

async function messageOf(request: EdgeRequest): Promise<string | undefined> {
  const decision = await decide(request);
  if (decision.kind !== 'respond') throw new Error('not answered');
  return /<Message>(.*)<\/Message>/.exec(decision.answer.body)?.[1];
}

describe('an unsigned request', () => {
  test.each([
    ['POST', bucket, 'delete'],
    ['POST', object, 'uploads'],
    ['POST', object, 'uploadId=u'],
    ['PUT', object, ''],
    ['PUT', object, 'tagging'],
    ['PUT', object, 'partNumber=1&uploadId=u'],
    ['DELETE', object, ''],
    ['DELETE', object, 'tagging'],
    ['DELETE', object, 'uploadId=u'],
    ['PUT', bucket, ''],
  ])('that writes is refused before any read: %s %s?%s', async (method, path, rawQuery) => {
    const fixture = dataFixture();
    const request = unreadable(anonymous(path, { method, rawQuery, headers: { 'content-md5': 'x' } }));
    expect(await outcome(request, fixture)).toBe('403 AccessDenied');
    expect([fixture.reads, fixture.agesAsked]).toEqual([0, []]);
  });

  test.each(['GET', 'HEAD'])('for a version of open data asks storage which version is current: %s', async (method) => {
    expect(await outcome(anonymous(object, { method, rawQuery: 'versionId=a' }))).toBe('relay');
  });

  test('that copies is refused before any read', async () => {
    const headers = { 'x-amz-copy-source': object };
    expect(await outcome(unreadable(anonymous(object, { method: 'PUT', headers })))).toBe('403 AccessDenied');
  });

  test('gets the same message for existing and missing resources', async () => {
    const told = new Set<string | undefined>();
    for (const path of ['/tide-institute/ungranted/a', '/tide-institute/nothing/a', '/nobody/nothing/a', '/nobody//']) {
      told.add(await messageOf(anonymous(path)));
    }
    told.add(await messageOf(anonymous(object, { method: 'PUT' })));
    told.add(await messageOf(anonymous(bucket, { rawQuery: 'list-type=2&prefix=ungranted/' })));
    expect([...told]).toEqual([expect.stringMatching(/^This request needs credentials/)]);
  });

  test('gets another message than a request with insufficient credentials', async () => {
    expect(await messageOf(await signed({ path: '/tide-institute/ungranted/a' }))).toMatch(/^The repository does not/);
    const presigned = await signed({ path: '/tide-institute/ungranted/a' }, { ...sessionOptions(), expiresIn: 60 });
    expect(await messageOf(presigned)).toMatch(/^The repository does not exist or these credentials do not allow/);
  });
});

describe('a key without a repository', () => {
  const sentence = 'A key starts with a repository that these credentials may use: ';

  test.each(['tides.csv', 'ungranted', 'nothing'])('gets a message that explains keys: %s', async (key) => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const request = await signed({ method, path: `/tide-institute/${key}` });
      expect(await outcome(request)).toBe('403 AccessDenied');
      expect(await messageOf(request)).toBe(`${sentence}s3://account/repository/key.`);
    }
  });

  test('gets 404 if it names a readable repository', async () => {
    expect(await outcome(await signed({ path: '/tide-institute/raw-drafts' }))).toBe('404 NoSuchKey');
  });
});
