import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { engineOfThisFile } from '../service/engine-of-this-file.ts';
import { startLocalProcess, temporaryFolder } from './local-process.ts';

const run = promisify(execFile);

/** A program that reads its settings only from the environment. */
const software = `
  import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
  const s3 = new S3Client();
  const place = { Bucket: 'tide-institute', Key: 'raw-drafts/from-settings.txt' };
  await s3.send(new PutObjectCommand({ ...place, Body: 'it works' }));
  console.log(await (await s3.send(new GetObjectCommand(place))).Body.transformToString());`;

async function runSourced(folder: string, shell: string): Promise<string> {
  const args = ['-c', `. "$1" && ${shell}`, 'sh', path.join(folder, '.sluice/env'), process.execPath, software];
  return (await run('sh', args, { env: { PATH: process.env['PATH'], HOME: folder } })).stdout.trim();
}

test('a start over https prints settings that let a stock SDK trust it, and clients without them do not', async () => {
  const folder = await temporaryFolder();
  const data = path.join(folder, 'data');
  const settings = { SLUICE_DATA_DIR: data, SLUICE_DYNAMODB_ENDPOINT: engineOfThisFile().endpoint };
  const local = startLocalProcess(folder, settings, ['--https']);
  const printed = await local.ready;
  const written = JSON.parse(await readFile(path.join(folder, '.sluice/local.json'), 'utf8'));
  expect(written).toMatchObject({
    api_url: expect.stringMatching(/^https:/),
    data_url: expect.stringMatching(/^https:/),
    identity_url: expect.stringMatching(/^http:/),
    trusted_certificates_file: path.join(folder, '.sluice/trusted.pem'),
  });
  for (const name of ['AWS_CA_BUNDLE', 'SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'CURL_CA_BUNDLE']) {
    expect(printed).toContain(`export ${name}=${written.trusted_certificates_file}\n`);
  }

  expect(await runSourced(folder, 'exec "$2" --input-type=module -e "$3"')).toBe('it works');
  await expect(
    runSourced(folder, 'unset NODE_EXTRA_CA_CERTS SSL_CERT_FILE && exec "$2" --input-type=module -e "$3"'),
  ).rejects.toThrow(/unable to verify the first certificate/);

  // Only the user that runs the server can read its private key. The certificate authority's key is not stored.
  const kept = path.join(data, 'tls.json');
  expect((await stat(kept)).mode & 0o777).toBe(0o600);
  expect((await readFile(kept, 'utf8')).match(/PRIVATE KEY/g)).toHaveLength(2);
  expect(await readFile(written.trusted_certificates_file, 'utf8')).not.toContain('PRIVATE KEY');

  local.process.kill('SIGTERM');
  expect(await local.ended).toBe(0);
  expect(local.stderr()).toBe('');
}, 180_000);
