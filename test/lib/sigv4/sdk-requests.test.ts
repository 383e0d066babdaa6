import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { expect, test } from 'vitest';
import type { SignableRequest } from '../../../lib/sigv4/canonical.ts';
import { readSignature } from '../../../lib/sigv4/presented-signature.ts';
import { verifySignature } from '../../../lib/sigv4/verify.ts';
import { serveInFile } from '../../service/http-server.ts';

const credentials = { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'example secret', sessionToken: 'a-session-token' };
const holder = { secret_access_key: credentials.secretAccessKey };
const seen: { request: SignableRequest; body: Buffer }[] = [];
const endpoint = await serveInFile(async (message, response) => {
  const body = Buffer.concat(await message.toArray());
  seen.push({ request: toRequest(message), body });
  response.end();
});

function toRequest(message: IncomingMessage): SignableRequest {
  const [rawPath = '', rawQuery = ''] = (message.url ?? '').split(/\?(.*)/s);
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(message.headersDistinct)) headers[name] = values?.join(',') ?? '';
  return { method: message.method ?? '', rawPath, rawQuery, headers };
}

async function capture(send: () => Promise<unknown>): Promise<{ request: SignableRequest; body: Buffer }> {
  seen.length = 0;
  // For some operations, the empty response is invalid. The test needs only the request.
  await send().catch(() => undefined);
  const [first] = seen;
  if (first === undefined) throw new Error('the client sent nothing');
  return first;
}

test.each(['/.sts', '/.sts/', '/', ''])(
  'an STS client with the path %s verifies with the hash of its body',
  async (path) => {
    const client = new STSClient({ region: 'eu-north-1', endpoint: `${endpoint}${path}`, credentials, maxAttempts: 1 });
    for (const send of [
      () => client.send(new GetCallerIdentityCommand({})),
      () =>
        client.send(new AssumeRoleCommand({ RoleArn: 'arn:aws:iam::a--b:role/ReadOnly', RoleSessionName: 'session' })),
    ]) {
      const { request, body } = await capture(send);
      const presented = readSignature(request);
      if (presented === undefined) throw new Error('the signature was not seen');
      const payloadHash = createHash('sha256').update(body).digest('hex');
      const options = { now: Date.now(), service: 'sts', payloadHash };
      verifySignature(request, presented, holder, options);
      expect(() => verifySignature(request, presented, holder, { ...options, payloadHash: `${payloadHash}0` })).toThrow(
        /does not match/,
      );
    }
  },
);
