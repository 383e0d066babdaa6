import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pagesHeader } from '../../../../lib/domain/data/open-data.ts';
import { createOpenDataReader } from '../../../../lib/lambda/site/open-data.ts';
import { createPagesSecret } from '../../../../lib/lambda/site/pages-secret.ts';

const secret = 'p'.repeat(64);
const minute = 60_000;

describe('the secret by which the firewall knows pages', () => {
  function secretOf(answers: (string | Error)[]) {
    const asked: string[] = [];
    let now = 0;
    const read = async (name: string) => {
      asked.push(name);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer instanceof Error) throw answer;
      return answer ?? '';
    };
    const find = createPagesSecret(read, 'tides/pages-1', () => now);
    return { asked, find, pass: (minutes: number) => (now += minutes * minute) };
  }

  test('is read once an hour', async () => {
    const { asked, find, pass } = secretOf([secret]);
    expect([await find(), await find()]).toEqual([secret, secret]);
    pass(59);
    await find();
    expect(asked).toEqual(['tides/pages-1']);
    pass(1);
    expect([await find(), asked.length]).toEqual([secret, 2]);
  });

  test('is missing rather than waited for where it cannot be read, and asked for again a minute later', async () => {
    const { asked, find, pass } = secretOf([new Error('no'), secret]);
    expect([await find(), await find(), asked.length]).toEqual([undefined, undefined, 1]);
    pass(1);
    expect(await find()).toBe(secret);
  });

  test('is used for a day where it cannot be read again', async () => {
    const { find, pass } = secretOf([secret, new Error('no')]);
    await find();
    pass(24 * 60 - 1);
    expect(await find()).toBe(secret);
    pass(2);
    expect(await find()).toBeUndefined();
  });
});

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
