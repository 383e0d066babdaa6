import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { roleArn } from '../service/data-clients.ts';
import { type ClientWorld, startClientWorld } from './client-world.ts';
import { findClient } from './installed-client.ts';

// Releases before 7.87 do not sign the headers that they are given.
const curl = findClient('curl', ['curl', '--silent', '--show-error'], { versionMin: '7.87' });

describe.skipIf(curl.isMissing)(curl.title, () => {
  let world: ClientWorld;
  beforeAll(async () => {
    world = await startClientWorld();
  });
  afterAll(() => world.close());

  /** Credentials go through standard input: other users of a machine see command lines. */
  function signed(service: string, args: readonly string[]): Promise<string> {
    const { accessKeyId, secretAccessKey, sessionToken } = world.credentials;
    const config = [`user = "${accessKeyId}:${secretAccessKey}"`, `header = "x-amz-security-token: ${sessionToken}"`];
    return curl.run(['--config', '-', '--aws-sigv4', `aws:amz:anywhere-1:${service}`, ...args], {}, config.join('\n'));
  }
  const payload = ['--header', 'x-amz-content-sha256: UNSIGNED-PAYLOAD'];

  test('exchanges a key', async () => {
    const form = [
      'Action=AssumeRoleWithWebIdentity',
      'Version=2011-06-15',
      `RoleArn=${roleArn()}`,
      'RoleSessionName=curl',
    ];
    const answer = await curl.run(
      [
        ...form.flatMap((field) => ['--data-urlencode', field]),
        '--data-urlencode',
        'WebIdentityToken@-',
        `${world.dataUrl}/.sts`,
      ],
      {},
      world.key,
    );
    expect(answer).toContain('<SessionToken>');
  });

  test('writes, reads in part and deletes with a signature of its own', async () => {
    const url = `${world.dataUrl}/tide-institute/raw-drafts/from-curl.bin`;
    const status = ['--write-out', '%{http_code}'];
    expect(await signed('s3', [...payload, '--upload-file', world.file, ...status, url])).toBe('200');
    const part = await signed('s3', [...payload, '--range', '0-9', url]);
    expect(part).toBe(world.bytes.subarray(0, 10).toString());
    expect(await signed('s3', [...payload, '--request', 'DELETE', ...status, url])).toBe('204');
    expect(await signed('s3', [...payload, url])).toContain('<Code>NoSuchKey</Code>');
  });

  test('asks who it is', async () => {
    const body = 'Action=GetCallerIdentity&Version=2011-06-15';
    const answer = await signed('sts', ['--data', body, `${world.dataUrl}/.sts`]);
    expect(answer).toContain('<Account>tide-institute--nightly-sync</Account>');
  });

  test('reads what is open without a signature, and nothing else', async () => {
    const open = `${world.dataUrl}/tide-institute/tide-gauges/from-curl.txt`;
    await signed('s3', [...payload, '--upload-file', world.file, open]);
    expect(await curl.run(['--output', '/dev/null', '--write-out', '%{size_download}', open])).toBe('70000');
    const closed = `${world.dataUrl}/tide-institute/raw-drafts/from-curl.txt`;
    expect(await curl.run([closed])).toContain('<Code>AccessDenied</Code>');
  });
});
