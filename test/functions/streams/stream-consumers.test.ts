import { expect, onTestFinished, test, vi } from 'vitest';
import { watchRequests } from '../../service/watched-requests.ts';
import { serviceAccountFixture, workflowRefused } from '../service-accounts/fixture.ts';
import { made } from '../users.ts';

/** Blocks requests of the stream consumers, except those to the change feed, until the test releases them. */
function hold() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let waiting = 0;
  const { instrument } = watchRequests(async ({ command, input }) => {
    if (command === 'ScanCommand' || JSON.stringify(input).includes('"FEED#')) return;
    waiting += 1;
    await released;
  });
  return { instrument, release, waiting: () => waiting };
}

const eventually = (look: () => unknown) => vi.waitFor(look, { timeout: 20_000, interval: 50 });

const held = hold();
const service = await serviceAccountFixture({ instrumentBackground: held.instrument });

test('a revocation reaches the feed while refused sign-ins, cleanup after deletions, and events wait', {
  timeout: 90_000,
}, async () => {
  onTestFinished(() => held.release());
  const gone = await service.newServiceAccount();
  const disabled = await service.newServiceAccount();
  await made(service.ada('DELETE', gone.path));
  const run = await service.runOn('main');
  await expect(service.exchange(run, { serviceAccountId: disabled.id })).rejects.toMatchObject(workflowRefused);
  await eventually(() => expect(held.waiting()).toBeGreaterThan(1));
  const timesFed = async () => {
    const fed = (await service.table.all()).filter(({ entity }) => entity === 'feed');
    const partitions = fed.flatMap(({ partitions: named }) => named as string[]);
    return partitions.filter((name) => name === `ACCOUNT#${disabled.id}`).length;
  };
  // A change feed entry names each changed item of a batch only once.
  await eventually(async () => expect(await timesFed()).toBeGreaterThan(0));
  const before = await timesFed();

  await made(service.ada('POST', `${disabled.path}/disable`));
  await eventually(async () => expect(await timesFed()).toBeGreaterThan(before));
  const trail = () => service.ada('GET', '/accounts/tide-institute/audit-events?kind=sign_in.refused');
  expect((await trail()).body).toEqual([]);
  held.release();
  await eventually(async () => expect((await trail()).body).toHaveLength(1));
});
