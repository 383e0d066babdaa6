import { type Checks, expect, expectEqual } from './checks.ts';
import { signIn } from './deployment.ts';
import { type Fixture, repositoryClient } from './fixture.ts';
import { isHit, send, sendSigned, servedOf, type WireAnswer } from './wire.ts';

type Read = (path: string, headers?: Record<string, string>, method?: string) => Promise<WireAnswer>;

/**
 * Checks access without credentials. Open data must be readable, and CloudFront may cache it. Private data must not be
 * readable. Errors must have the standard form.
 */
export async function checkOpenness(checks: Checks, fixture: Fixture): Promise<void> {
  const { deployment, openRepositoryId, privateRepositoryId } = fixture;
  const { dataUrl, accountId } = deployment;
  const check = checks.group('openness');
  const credentials = await signIn(deployment, fixture.key, fixture.serviceAccountId);
  const open = repositoryClient(fixture, credentials, openRepositoryId);
  const restricted = repositoryClient(fixture, credentials, privateRepositoryId);
  const shown = open.path('shown');
  const read: Read = (path, headers = {}, method = 'GET') => send(dataUrl, { method, path, headers });
  const readSigned = async (path: string, what: string) => {
    const answer = await sendSigned(dataUrl, credentials, { method: 'GET', path });
    expectEqual(answer.status, 200, what);
    expect(!isHit(answer.headers['x-cache']), 'it came from a cache');
    return answer.body.toString();
  };

  await check('anyone reads open data, and signed requests read a new version immediately', async () => {
    for (const version of ['first', 'second', 'third']) {
      await open.put('shown', version);
      expectEqual(await readSigned(shown, 'the status of a signed request'), version, 'the answer to it');
      const { status, headers } = await read(shown);
      expectEqual(status, 200, 'the status without credentials');
      expect(!/s-maxage|x-sluice-/i.test(JSON.stringify(headers)), 'it has headers that only CloudFront should see');
    }
    return '3 versions';
  });
  await check('a range and a HEAD, also from the cache', () => readParts(read, shown));
  await check('private data is refused to anonymous readers, also after an authorized read', async () => {
    await restricted.put('shown', 'secret');
    for (let times = 0; times < 2; times += 1) await readSigned(restricted.path('shown'), 'the status when signed');
    const answer = await read(restricted.path('shown'));
    expectEqual(answer.status, 403, 'the status');
    return expectXml(answer, 'AccessDenied');
  });
  for (const [name, path, code] of [
    ['a missing repository looks like a private one', `/${accountId}/no-such-repository/a`, 'AccessDenied'],
    ['a missing object', open.path('missing'), 'NoSuchKey'],
    ['an unsupported operation is refused in XML', `${shown}?acl`, 'NotImplemented'],
  ] as const)
    await check(name, async () => expectXml(await read(path), code));
  await check('pages of other origins may read data: preflight and answer', async () => {
    const origin = { origin: 'https://verify.example' };
    const requested = { ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' };
    const preflight = await read(shown, requested, 'OPTIONS');
    expect([200, 204].includes(preflight.status), `the preflight answered ${preflight.status}`);
    const answer = await read(shown, origin);
    for (const { headers } of [preflight, answer])
      expectEqual(headers['access-control-allow-origin'], '*', 'access-control-allow-origin');
    expectEqual(answer.headers['access-control-expose-headers'], '*', 'access-control-expose-headers');
    return 'any origin';
  });
}

async function readParts(read: Read, path: string): Promise<string> {
  const whole = await read(path);
  const text = whole.body.toString();
  const part = await read(path, { range: 'bytes=1-2' });
  expectEqual([part.status, part.body.toString()], [206, text.slice(1, 3)], 'the part');
  expect(!('x-amz-checksum-crc32' in part.headers), 'the part has the checksum of the whole');
  const head = await read(path, {}, 'HEAD');
  expectEqual(head.headers['content-length'], String(text.length), 'the length of a HEAD');
  const unchanged = await read(path, { 'if-none-match': whole.headers.etag ?? '' });
  expectEqual(unchanged.status, 304, 'the status with If-None-Match');
  return [whole, part, head, unchanged].map(servedOf).join('; ');
}

function expectXml({ status, headers, body }: WireAnswer, code: string): string {
  expect(String(headers['content-type']).startsWith('application/xml'), `it is ${headers['content-type']}, not XML`);
  expect(body.includes(`<Code>${code}</Code>`), `it is not ${code}: ${body.toString().slice(0, 200)}`);
  return `${code} ${status}`;
}
