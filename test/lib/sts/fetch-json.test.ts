import { expect, test } from 'vitest';
import { fetchJson } from '../../../lib/sts/fetch-json.ts';
import { serveInTest } from '../../service/http-server.ts';

const bounds = { timeoutMs: 5000, bytesMax: 1000 };

test('JSON is fetched', async () => {
  const url = await serveInTest((_, response) => response.end('{"keys":[]}'));
  expect(await fetchJson(url, bounds)).toEqual({ keys: [] });
});

test('an endless answer is abandoned as soon as it is too large', async () => {
  let isClosed: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve;
  });
  const url = await serveInTest((_, response) => {
    response.on('close', () => isClosed?.());
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', more);
    more();
  });
  await expect(fetchJson(url, bounds)).rejects.toThrow(/larger/);
  await closed;
});

test('an answer whose body never ends is abandoned in time', async () => {
  const url = await serveInTest((_, response) => response.write('{'));
  await expect(fetchJson(url, { ...bounds, timeoutMs: 50 })).rejects.toThrow(/timeout/i);
});
