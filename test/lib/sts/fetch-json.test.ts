import { expect, test } from 'vitest';
import { fetchJson } from '../../../lib/sts/fetch-json.ts';
import { serveInTest } from '../../service/http-server.ts';

const bounds = { timeoutMs: 5000, bytesMax: 1000 };

test('the fetch returns JSON', async () => {
  const url = await serveInTest((_, response) => response.end('{"keys":[]}'));
  expect(await fetchJson(url, bounds)).toEqual({ keys: [] });
});

test('the fetch stops an endless answer at the size limit', async () => {
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

test('the fetch stops a body that never ends at the timeout', async () => {
  const url = await serveInTest((_, response) => response.write('{'));
  await expect(fetchJson(url, { ...bounds, timeoutMs: 50 })).rejects.toThrow(/timeout/i);
});
