import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { signRequest } from '../../lib/sigv4/sign.ts';
import { signIn } from '../service/data-clients.ts';
import { seededService } from '../service/seeded-service.ts';

const service = await seededService();

/** Returns one character for each byte of the request. */
const bytesOf = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

async function sendBytes(lines: string[]): Promise<string> {
  const socket = connect(Number(new URL(service.dataUrl).port), '127.0.0.1');
  socket.write(Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'));
  const chunks: Buffer[] = await socket.toArray();
  return Buffer.concat(chunks).toString('latin1');
}

test('header values beyond ASCII stay unchanged, at any position of Content-Length', async () => {
  const { accessKeyId, secretAccessKey, sessionToken = '' } = await signIn(service, service.key);
  const path = '/tide-institute/raw-drafts/named';
  const ask = (method: string, fields: Record<string, string>, body: string, rawQuery = '') => {
    const headers = { host: new URL(service.dataUrl).host, 'content-length': String(body.length), ...fields };
    const signed = signRequest(
      { method, rawPath: path, rawQuery, headers },
      { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken },
      { now: Date.now(), region: 'anywhere-1', service: 's3', payloadHash: 'UNSIGNED-PAYLOAD' },
    );
    const lines = Object.entries(signed).map(([name, value]) => `${name}: ${value}`);
    const target = rawQuery === '' ? path : `${path}?${rawQuery}`;
    return sendBytes([`${method} ${target} HTTP/1.1`, 'connection: close', ...lines, '', body]);
  };
  const named = { 'content-disposition': bytesOf('attachment; filename="Pegelstände 日本.csv"') };
  // Storage refuses a request that differs from its signature.
  expect(await ask('PUT', named, 'x')).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ask('POST', named, '', 'uploads=')).toMatch(/^HTTP\/1\.1 200 /);
  const query = `response-content-disposition=${encodeURIComponent('inline; filename="ä日.csv"')}`;
  for (const method of ['GET', 'HEAD']) {
    const answer = await ask(method, {}, '', query);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toContain(`content-disposition: inline; filename="${bytesOf('ä日')}.csv"`);
  }
});
