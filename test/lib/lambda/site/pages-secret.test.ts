import { describe, expect, test } from 'vitest';
import { pagesHeader } from '../../../../lib/domain/data/open-data.ts';
import { createOpenDataReader } from '../../../../lib/lambda/site/open-data.ts';
import { serveInTest } from '../../../service/http-server.ts';

const secret = 'p'.repeat(64);

describe('a request of a page to the data proxy', () => {
  test.each([
    ['carries the secret', secret],
    ['has no secret when none is configured', undefined],
  ])('%s', async (_, value) => {
    const seen: (string | undefined)[] = [];
    const url = await serveInTest(({ headers }, response) => {
      seen.push(headers[pagesHeader]?.toString());
      response.end('<ListBucketResult></ListBucketResult>');
    });
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
