import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBClient, GetItemCommand, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { type DynamoDbEngine, startDynamoDbEngine } from '../../../../lib/local/dynamodb/engine.ts';
import { createTable } from '../../../../lib/local/dynamodb/table.ts';
import { findFreePort } from '../../../../lib/local/ports.ts';
import { loader } from '../../../service/loader.ts';

/** The timeout is long, because a JVM that starts beside others takes ten seconds or more, and some tests start two. */
const timeout = 120_000;

function clientOf({ endpoint, region, credentials }: DynamoDbEngine): DynamoDBClient {
  const client = new DynamoDBClient({ endpoint, region, credentials });
  onTestFinished(() => client.destroy());
  return client;
}

/** Returns the engine processes that listen on a port, by their command line. */
function enginesOn(port: string): string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes('DynamoDBLocal.jar') && line.includes(`-port ${port} `));
}

test('close leaves no process of an engine in memory', { timeout }, async () => {
  const engine = await startDynamoDbEngine();
  onTestFinished(() => engine.close());
  expect((await clientOf(engine).send(new ListTablesCommand({}))).TableNames).toEqual([]);
  const { port } = new URL(engine.endpoint);
  // Each engine has two processes: the JVM, and the process that ends the JVM together with its parent.
  expect(enginesOn(port)).toHaveLength(2);

  await engine.close();
  await engine.ended;
  expect(enginesOn(port)).toEqual([]);
});

test('the engine ends when its parent process is killed', { timeout }, async () => {
  const module = path.resolve('lib/local/dynamodb/engine.ts');
  const code = `const { startDynamoDbEngine } = await import(${JSON.stringify(module)});
    console.log((await startDynamoDbEngine()).endpoint);`;
  const parent = spawn(process.execPath, [...loader, '--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const { promise, resolve } = Promise.withResolvers<string>();
  parent.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
  const { port } = new URL(await promise);
  expect(enginesOn(port)).toHaveLength(2);

  parent.kill('SIGKILL');
  await expect.poll(() => enginesOn(port), { timeout: 20_000 }).toEqual([]);
});

test('a directory stores table, data, and access key for the next start', { timeout }, async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-engine-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const first = await startDynamoDbEngine({ directory });
  onTestFinished(() => first.close());
  await createTable(clientOf(first), { table_name: 'sluice' });
  const key = { pk: { S: 'a' }, sk: { S: 'b' } };
  await clientOf(first).send(new PutItemCommand({ TableName: 'sluice', Item: { ...key, note: { S: 'kept' } } }));
  await first.close();

  const second = await startDynamoDbEngine({ directory });
  onTestFinished(() => second.close());
  await createTable(clientOf(second), { table_name: 'sluice' });
  const { Item } = await clientOf(second).send(new GetItemCommand({ TableName: 'sluice', Key: key }));
  expect(Item?.['note']).toEqual({ S: 'kept' });

  const file = path.join(directory, 'engine-access-key');
  expect(await readFile(file, 'utf8')).toBe(second.credentials.accessKeyId);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('each start without a directory has a new alphanumeric access key', { timeout }, async () => {
  const engines = await Promise.all([startDynamoDbEngine(), startDynamoDbEngine()]);
  onTestFinished(async () => void (await Promise.all(engines.map((engine) => engine.close()))));
  const ids = engines.map(({ credentials }) => credentials.accessKeyId);
  expect(new Set(ids).size).toBe(2);
  expect(ids.every((id) => /^[0-9A-Za-z]{20,}$/.test(id))).toBe(true);
});

test('the engine tries the next port when another engine took the first', { timeout }, async () => {
  const first = await startDynamoDbEngine();
  onTestFinished(() => first.close());
  const taken = Number(new URL(first.endpoint).port);
  const ports = [taken, await findFreePort()];
  const second = await startDynamoDbEngine({ findPort: async () => ports.shift() ?? 0 });
  onTestFinished(() => second.close());
  expect(second.endpoint).not.toBe(first.endpoint);
  // Two processes of the first engine remain: the JVM, and the process that ends it with its parent. No process of the
  // failed attempt remains.
  expect(enginesOn(String(taken))).toHaveLength(2);
  expect((await clientOf(second).send(new ListTablesCommand({}))).TableNames).toEqual([]);
});
