import { randomUUID } from 'node:crypto';
import { startDynamoDbEngine } from '../lib/local/dynamodb/engine.ts';
import { startLocalService } from '../lib/local/service.ts';
import { type EdgeInstance, edgeInstances } from '../test/bounds/edge-instances.ts';
import { buildStage, managePeople, probes, type Stage, type StorageKind, storageKinds } from '../test/bounds/stage.ts';
import { median, printTable } from './report.ts';
import { unlimited } from './seeded-service.ts';

const coldReads = 40;
const warmReads = 2000;
/** The number of reads before the measurement. V8 compiles the code during these reads. */
const warmUpReads = 5;
const titles: Record<StorageKind, string> = { key: 'by a stored key', role: 'by a web identity role' };

/**
 * Measures how long the function `serve-object` takes to authorize and sign a read, for each kind of storage
 * credentials. The time of the storage itself is not included. A cold instance has no cached data: it reads the table,
 * decrypts the credentials, and assumes the role.
 */
export async function benchStorage(): Promise<void> {
  const engine = await startDynamoDbEngine();
  const { endpoint, region, credentials } = engine;
  const dynamodb = { endpoint, region, credentials };
  const tableName = `bench-${randomUUID()}`;
  const service = await startLocalService({
    dynamodb,
    tableName,
    throttles: unlimited,
    accountLoopbackEndpoints: true,
  });
  const instances: EdgeInstance[] = [];
  const instance = () => {
    const [created] = edgeInstances(1, service, { dynamodb, tableName });
    if (created === undefined) throw new Error('no instance');
    instances.push(created);
    return created;
  };
  try {
    const [users, first] = [await managePeople(service), instance()];
    const stages = new Map<StorageKind, Stage>();
    for (const kind of storageKinds) stages.set(kind, await buildStage(service, users, first, kind, kind));
    const cold = new Map<StorageKind, number[]>(storageKinds.map((kind) => [kind, []]));
    const warm = new Map<StorageKind, number[]>(storageKinds.map((kind) => [kind, []]));
    // Measure the kinds of credentials in turn, because other load on the machine changes.
    for (let round = 0; round < warmUpReads + coldReads; round += 1) {
      for (const [kind, stage] of stages) {
        const ms = await timeOfRead(instance(), stage);
        if (round >= warmUpReads) cold.get(kind)?.push(ms);
      }
    }
    for (let round = 0; round < warmReads; round += 1) {
      for (const [kind, stage] of stages) warm.get(kind)?.push(await timeOfRead(first, stage));
    }
    const rows = Object.entries({ cold, warm }).flatMap(([name, samples]) => {
      const byKey = median(samples.get('key') ?? []);
      return storageKinds.map((kind) => {
        const ms = median(samples.get(kind) ?? []);
        return [`${name}, ${titles[kind]}`, `${ms.toFixed(3)} ms`, (ms / byKey).toFixed(2)];
      });
    });
    printTable('Decision about a read, medians', ['', 'median', 'ratio to a key'], rows);
  } finally {
    for (const each of instances) each.close();
    await service.close();
    await engine.close();
  }
}

async function timeOfRead(instance: EdgeInstance, stage: Stage): Promise<number> {
  const startedAt = performance.now();
  const outcome = await probes['read by anyone'](instance, stage);
  if (outcome !== 'allowed') throw new Error(`a read was refused: ${outcome}`);
  return performance.now() - startedAt;
}
