import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startObjectStoreThread } from '../../../../lib/local/object-store/thread.ts';
import { listenOnLoopback } from '../../../../lib/local/ports.ts';
import { LocalStartError } from '../../../../lib/local/start-error.ts';
import { signRequest } from '../../../../lib/sigv4/sign.ts';
import { temporaryFolder } from '../../../bin/local-process.ts';
import { send } from '../http-client.ts';
import { bucket, credentials } from './open-store.ts';

async function startThread(port: number) {
  const directory = await temporaryFolder();
  return startObjectStoreThread({ host: '127.0.0.1', port, directory, credentials, buckets: [bucket] });
}

test('a store in a thread of its own keeps objects, and its port is free once it is closed', async () => {
  const store = await startThread(0);
  const ask = (method: string, body = '') => {
    const path = `/${bucket}/gauge.csv`;
    const headers = signRequest(
      { method, rawPath: path, rawQuery: '', headers: { host: `127.0.0.1:${store.port}` } },
      credentials,
      { now: Date.now(), region: 'us-east-1', service: 's3', payloadHash: 'UNSIGNED-PAYLOAD' },
    );
    const length = body === '' ? {} : { 'content-length': body.length };
    return send(store.port, { method, path, headers: { ...headers, ...length }, body });
  };
  expect((await ask('PUT', 'tide')).status).toBe(200);
  expect((await ask('GET')).body.toString()).toBe('tide');
  await store.close();
  await expect(send(store.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('that the port of a store in a thread is taken is told as of any other', async () => {
  const other = createServer();
  const port = await listenOnLoopback(other, 0);
  onTestFinished(() => void other.close());
  const refusal = await startThread(port).catch((error) => error);
  expect(refusal).toBeInstanceOf(LocalStartError);
  expect(refusal.message).toContain(`Port ${port} on 127.0.0.1 is taken`);
});
