import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type Checks, expect, expectEqual } from './checks.ts';
import { s3Client, signIn } from './deployment.ts';
import type { Fixture } from './fixture.ts';
import { isHit, send, sendSigned } from './wire.ts';

/**
 * Checks access without credentials: open data that CloudFront may cache, standard errors, and no private responses.
 */
export async function checkOpenness(checks: Checks, fixture: Fixture): Promise<void> {
  const { deployment, folder, openRepositoryId, privateRepositoryId } = fixture;
  const { dataUrl, accountId } = deployment;
  const credentials = await signIn(deployment, fixture.key, fixture.serviceAccountId);
  const client = s3Client(deployment, credentials);
  const pathIn = (repositoryId: string, name: string) => `/${accountId}/${repositoryId}/${folder}${name}`;
  const write = (repositoryId: string, Body: string) =>
    client.send(new PutObjectCommand({ Bucket: accountId, Key: `${repositoryId}/${folder}shown`, Body }));
  const check = (name: string, run: () => Promise<string>) => checks.check('openness', name, run);

  const readSigned = (repositoryId: string) =>
    sendSigned(dataUrl, credentials, { method: 'GET', path: pathIn(repositoryId, 'shown') });
  await check('open data is read by anyone, and a new version at once by whoever signs', async () => {
    for (const version of ['first', 'second', 'third']) {
      await write(openRepositoryId, version);
      const { status, body, headers } = await readSigned(openRepositoryId);
      expectEqual([status, body.toString()], [200, version], 'the answer to a signed request');
      expect(!isHit(headers['x-cache']), 'it came out of a cache');
      const answer = await fetch(dataUrl + pathIn(openRepositoryId, 'shown'));
      expectEqual(answer.status, 200, 'the status without credentials');
      expect(
        !/s-maxage|x-sluice-/i.test([...answer.headers].join('\n')),
        'it has headers that are for CloudFront alone',
      );
    }
    return '3 versions';
  });
  await check('a part of it, and a HEAD, out of the cache too', async () => {
    const url = dataUrl + pathIn(openRepositoryId, 'shown');
    const whole = await fetch(url);
    const text = await whole.text();
    const part = await fetch(url, { headers: { range: 'bytes=1-2' } });
    expectEqual([part.status, await part.text()], [206, text.slice(1, 3)], 'the part');
    expect(!part.headers.has('x-amz-checksum-crc32'), 'the part has the checksum of the whole');
    const head = await fetch(url, { method: 'HEAD' });
    expectEqual(head.headers.get('content-length'), String(text.length), 'the length of a HEAD');
    const unchanged = await fetch(url, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } });
    expectEqual(unchanged.status, 304, 'the status with If-None-Match');
    const told = (answer: Response) => `${answer.headers.get('x-cache')}, age ${answer.headers.get('age') ?? 'none'}`;
    return [whole, part, head, unchanged].map(told).join('; ');
  });
  await check('private data is not, also after someone else has read it', async () => {
    await write(privateRepositoryId, 'secret');
    for (let times = 0; times < 2; times += 1) {
      const read = await readSigned(privateRepositoryId);
      expectEqual(read.status, 200, 'the status of a signed request');
      expect(!isHit(read.headers['x-cache']), 'it came out of a cache');
    }
    const { status, headers, body } = await send(dataUrl, {
      method: 'GET',
      path: pathIn(privateRepositoryId, 'shown'),
    });
    expectXml(headers, body, 'AccessDenied');
    expectEqual(status, 403, 'the status');
    return 'AccessDenied 403';
  });
  await check('a repository that is not there looks like a private one', async () => {
    const { status, headers, body } = await send(dataUrl, {
      method: 'GET',
      path: `/${accountId}/no-such-repository/a`,
    });
    expectXml(headers, body, 'AccessDenied');
    return `AccessDenied ${status}`;
  });
  await check('an object that is not there', async () => {
    const { status, headers, body } = await send(dataUrl, { method: 'GET', path: pathIn(openRepositoryId, 'missing') });
    expectXml(headers, body, 'NoSuchKey');
    return `NoSuchKey ${status}`;
  });
  await check('what is not offered says so in XML', async () => {
    const path = `${pathIn(openRepositoryId, 'shown')}?acl`;
    const { status, headers, body } = await send(dataUrl, { method: 'GET', path });
    expectXml(headers, body, 'NotImplemented');
    return `NotImplemented ${status}`;
  });
  await check('pages of other origins may read: preflight and answer', async () => {
    const origin = { origin: 'https://verify.example' };
    const requested = { ...origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' };
    const path = pathIn(openRepositoryId, 'shown');
    const preflight = await send(dataUrl, { method: 'OPTIONS', path, headers: requested });
    expect(preflight.status === 200 || preflight.status === 204, `the preflight answered ${preflight.status}`);
    expectEqual(preflight.headers['access-control-allow-origin'], '*', 'access-control-allow-origin of the preflight');
    const answer = await send(dataUrl, { method: 'GET', path, headers: origin });
    expectEqual(answer.headers['access-control-allow-origin'], '*', 'access-control-allow-origin');
    expect(/etag/i.test(answer.headers['access-control-expose-headers'] ?? ''), 'ETag is not exposed');
    return 'any origin';
  });
}

function expectXml(headers: Record<string, string | string[] | undefined>, body: Buffer, code: string): void {
  expect(String(headers['content-type']).startsWith('application/xml'), `it is ${headers['content-type']}, not XML`);
  expect(body.includes(`<Code>${code}</Code>`), `it is not ${code}: ${body.toString().slice(0, 200)}`);
}
