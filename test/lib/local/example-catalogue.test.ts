import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '../../../lib/domain/limits.ts';
import { publishExampleCatalogue } from '../../../lib/local/example-catalogue/publish.ts';
import { exampleRepositories, filesOf } from '../../../lib/local/example-catalogue/repositories.ts';
import { startSeededService } from '../../service/seeded-service.ts';

test.each(exampleRepositories)('$repository_id has files, and a cover that cards can show', (example) => {
  const { 'README.md': readme, 'cover.png': cover, ...data } = filesOf(example);
  expect(readme).toContain('they measure nothing');
  expect(Object.keys(data).length).toBeGreaterThan(0);
  if (example.cover === undefined) return;
  expect(cover?.length).toBeLessThanOrEqual(limits.coverBytesMax);
  expect(
    Buffer.from(cover ?? '')
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
});

test('the example catalogue is complete, also after a second start', async () => {
  const service = await startSeededService();
  onTestFinished(() => service.close());
  await publishExampleCatalogue(service);
  await publishExampleCatalogue(service);
  await vi.waitFor(
    async () => {
      service.advance(11);
      const front = await (await fetch(service.apiUrl)).text();
      for (const { account_id, repository_id } of exampleRepositories) {
        expect(front).toContain(`href="/${account_id}/${repository_id}"`);
      }
    },
    { timeout: 30_000, interval: 500 },
  );
});
