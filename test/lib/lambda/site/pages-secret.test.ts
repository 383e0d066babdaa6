import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pagesHeader } from '../../../../lib/domain/data/open-data.ts';
import { createOpenDataReader } from '../../../../lib/lambda/site/open-data.ts';

const secret = 'p'.repeat(64);

describe('what pages ask the data proxy', () => {
  const seen: (string | undefined)[] = [];
  let proxy: Server;
  let url: string;
  beforeAll(async () => {
    proxy = createServer(({ headers }, response) => {
      seen.push(headers[pagesHeader]?.toString());
      response.end('<ListBucketResult></ListBucketResult>');
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => proxy.close());

  test.each([
    ['carries the secret', secret],
    ['goes without one where there is none', undefined],
  ])('%s', async (_, value) => {
    seen.length = 0;
    const place = { account_id: 'tides', repository_id: 'gauges' };
    const reader = createOpenDataReader(
      () => ({ url }),
      async () => value,
    );
    await reader.listFolder(place, '', undefined);
    await reader.findFile(place, 'a');
    await reader.readBeginning(place, 'a', 10);
    expect(seen).toEqual([value, value, value]);
  });
});
