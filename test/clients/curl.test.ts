import { XMLParser } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { roleArn } from '../service/data-clients.ts';
import { type ClientFixture, clientFixture, schemes } from './fixtures/client-fixture.ts';
import { findClient } from './fixtures/installed-client.ts';
import { bucket, describeTransfers } from './fixtures/transfers.ts';

// curl before 7.87 does not sign the given headers.
const curl = findClient('curl', ['curl', '--silent', '--show-error', '--fail-with-body'], { versionMin: '7.87' });

/** Credentials go through stdin, because other users of a machine can read command lines. */
function signed(fixture: ClientFixture, service: string, ...args: string[]): Promise<Buffer> {
  const { accessKeyId, secretAccessKey, sessionToken } = fixture.credentials;
  const config = [`user = "${accessKeyId}:${secretAccessKey}"`, `header = "x-amz-security-token: ${sessionToken}"`];
  const signing = ['--config', '-', '--aws-sigv4', `aws:amz:anywhere-1:${service}`];
  return curl.runForBytes([...signing, ...args], fixture.trust, config.join('\n'));
}

const payload = ['--header', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'];
// This version of curl signs URLs unchanged, so they must already have the encoding of the signature.
const encode = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
const encodeKey = (key: string) => key.split('/').map(encode).join('/');
const url = ({ dataUrl }: ClientFixture, key: string) => `${dataUrl}/${bucket}/${encodeKey(key)}`;

describeTransfers(curl, {
  partsOfLarge: 1,
  upload: (fixture, file, key) => signed(fixture, 's3', ...payload, '--upload-file', file, url(fixture, key)),
  download: (fixture, key, file) => signed(fixture, 's3', ...payload, '--output', file, url(fixture, key)),
  readRange: (fixture, key, first, last) =>
    signed(fixture, 's3', ...payload, '--range', `${first}-${last}`, url(fixture, key)),
  list: async (fixture, prefix) => {
    const xml = await signed(
      fixture,
      's3',
      ...payload,
      `${fixture.dataUrl}/${bucket}?list-type=2&prefix=${encode(prefix)}`,
    );
    const { Contents } = new XMLParser({ htmlEntities: true, isArray: (name) => name === 'Contents' }).parse(
      xml,
    ).ListBucketResult;
    return Contents.map(({ Key }: { Key: string }) => Key);
  },
  copy: (fixture, from, to) => {
    const source = ['--header', `x-amz-copy-source: ${bucket}/${encodeKey(from)}`];
    return signed(fixture, 's3', ...payload, ...source, '--request', 'PUT', url(fixture, to));
  },
  remove: (fixture, key) => signed(fixture, 's3', ...payload, '--request', 'DELETE', url(fixture, key)),
});

describe.skipIf(curl.isMissing).each(schemes)(`${curl.title}, over %s`, { timeout: 120_000 }, (scheme) => {
  const fixture = clientFixture(scheme);

  test('exchanges a key', async () => {
    const form = [
      'Action=AssumeRoleWithWebIdentity',
      'Version=2011-06-15',
      `RoleArn=${roleArn()}`,
      'RoleSessionName=curl',
    ].flatMap((field) => ['--data-urlencode', field]);
    const args = [...form, '--data-urlencode', 'WebIdentityToken@-', `${fixture.dataUrl}/.sts`];
    expect(await curl.run(args, fixture.trust, fixture.key)).toContain('<SessionToken>');
  });

  test('gets its identity', async () => {
    const body = 'Action=GetCallerIdentity&Version=2011-06-15';
    const answer = await signed(fixture, 'sts', '--data', body, `${fixture.dataUrl}/.sts`);
    expect(answer.toString()).toContain('<Account>tide-institute--nightly-sync</Account>');
  });

  test('reads without x-amz-content-sha256, and gets an error that asks for it in a write', async () => {
    const signedUrl = url(fixture, 'raw-drafts/signed-by-curl.txt');
    await signed(fixture, 's3', ...payload, '--data-binary', 'draft', '--request', 'PUT', signedUrl);
    expect((await signed(fixture, 's3', signedUrl)).toString()).toBe('draft');
    await expect(signed(fixture, 's3', '--request', 'DELETE', signedUrl)).rejects.toMatchObject({
      stdout: expect.toSatisfy((said: Buffer) => said.includes('x-amz-content-sha256: UNSIGNED-PAYLOAD')),
    });
  });

  test('reads only open data without a signature', async () => {
    const body = ['--data-binary', 'open data', '--request', 'PUT'];
    await signed(fixture, 's3', ...payload, ...body, url(fixture, 'tide-gauges/from-curl.txt'));
    expect(await curl.run([url(fixture, 'tide-gauges/from-curl.txt')], fixture.trust)).toBe('open data');
    await expect(curl.run([url(fixture, 'raw-drafts/from-curl.txt')], fixture.trust)).rejects.toMatchObject({
      stdout: expect.toSatisfy((said: Buffer) => said.includes('<Code>AccessDenied</Code>')),
    });
  });
});
