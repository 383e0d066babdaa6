import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { made } from '../people.ts';
import { startServiceAccountWorld, workflowRefused } from '../service-accounts/fixture.ts';

/** Blocks requests of the stream consumers, except those to the change feed, until the test releases them. */
function hold() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let waiting = 0;
  const instrument = (client: DynamoDBClient) =>
    client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          if (commandName !== 'ScanCommand' && !JSON.stringify(args.input).includes('"FEED#')) {
            waiting += 1;
            await released;
          }
          return next(args);
        },
      { step: 'initialize' },
    );
  return { instrument, release, waiting: () => waiting };
}

const eventually = (look: () => unknown) => vi.waitFor(look, { timeout: 20_000, interval: 50 });

test('a revocation reaches the feed while refused sign-ins, remains of deletions and events wait', {
  timeout: 90_000,
}, async () => {
  const held = hold();
  const world = await startServiceAccountWorld({ instrumentBackground: held.instrument });
  onTestFinished(async () => {
    held.release();
    await world.close();
  });
  const gone = await world.newServiceAccount();
  const disabled = await world.newServiceAccount();
  await made(world.ada('DELETE', gone.path));
  const run = await world.runOn('main');
  await expect(world.exchange(run, { serviceAccountId: disabled.id })).rejects.toMatchObject(workflowRefused);
  await eventually(() => expect(held.waiting()).toBeGreaterThan(1));
  const timesFed = async () => {
    const fed = (await world.table.all()).filter(({ entity }) => entity === 'feed');
    const partitions = fed.flatMap(({ partitions: named }) => named as string[]);
    return partitions.filter((name) => name === `ACCOUNT#${disabled.id}`).length;
  };
  // A change feed entry names each changed item of a batch once.
  await eventually(async () => expect(await timesFed()).toBeGreaterThan(0));
  const before = await timesFed();

  await made(world.ada('POST', `${disabled.path}/disable`));
  await eventually(async () => expect(await timesFed()).toBeGreaterThan(before));
  const trail = () => world.ada('GET', '/accounts/tide-institute/audit-events?kind=sign_in.refused');
  expect((await trail()).body).toEqual([]);
  held.release();
  await eventually(async () => expect((await trail()).body).toHaveLength(1));
});
