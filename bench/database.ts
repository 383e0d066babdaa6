import { basePath, type Operation } from '../lib/operations/operation.ts';
import { registry } from '../lib/operations/registry.ts';
import { printCosts } from './cost-table.ts';
import { measureDataProxy } from './database-data-proxy.ts';
import { type Names, type ScenarioStep, scenario, scenarioNames, type Who } from './database-scenario.ts';
import { personToken } from './management.ts';
import { goal, printTable } from './report.ts';
import { type SeededService, startSeededService } from './seeded-service.ts';
import { TableMeter, type TableUse } from './table-meter.ts';

const rememberedNames = ['membership_id', 'access_key_id', 'key_id', 'workflow_id', 'key', 'transfer_id'];
const columns = ['requests', 'reads', 'transactions', 'read units', 'write units'];

/** Measures round trips to the database and their capacity units. Calls each operation once over HTTP. */
export async function benchDatabase(): Promise<void> {
  const meter = new TableMeter();
  const service = await startSeededService({ instrument: (client) => meter.instrument(client) });
  try {
    const dataProxy = await measureDataProxy(service, meter);
    const rows = dataProxy.map(({ name, use, readsGoal }) => [
      name,
      ...cells(use),
      readsGoal === undefined ? '' : goal(use.reads, '=', readsGoal),
    ]);
    printTable('Database use of the data proxy', ['', ...columns, 'goal: reads'], rows);
    const { operations, missed } = await measureOperations(service, meter);
    const operationRows = operations.map(({ name, use, status }) => [name, ...cells(use), String(status)]);
    printTable('Database use of the management operations', ['', ...columns, 'status'], operationRows);
    console.log('\n  What a refused conditional write consumes is not reported, and not counted here.');
    if (missed.length > 0) console.log(`\n  Not reached by the scenario: ${missed.join(', ')}`);
    printCosts(new Map([...dataProxy, ...operations].map(({ name, use }) => [name, use])));
  } finally {
    await service.close();
    meter.close();
  }
}

async function measureOperations(service: SeededService, meter: TableMeter) {
  const tokens = new Map<Who, string>();
  for (const sub of ['admin', 'ada', 'grace'] as const) tokens.set(sub, await personToken(service.identity.url, sub));
  const missed = new Set(registry.map(({ name }) => name));
  const names: Record<string, string> = { ...scenarioNames };
  const operations: { name: string; use: TableUse; status: number }[] = [];
  for (const step of scenario) {
    const operation = registry.find(({ method, path }) => `${method} ${path}` === step.route);
    if (operation === undefined) continue;
    const request = buildRequest(service.apiUrl, operation, step, names, tokens.get(step.as));
    const { use, result } = await meter.measure(async () => {
      const answer = await fetch(request);
      return { status: answer.status, text: await answer.text() };
    });
    if (result.status < 300 || operation.method === 'ANY') missed.delete(operation.name);
    rememberNames(names, result.text);
    const name = step.note === undefined ? operation.name : `${operation.name}, ${step.note}`;
    operations.push({ name, use, status: result.status });
  }
  return { operations, missed: [...missed] };
}

function buildRequest(
  apiUrl: string,
  { method, path, outsideBase }: Operation,
  { body, query, names: own }: ScenarioStep,
  names: Names,
  token: string | undefined,
): Request {
  const named = { ...names, ...own };
  const filled = path.replace(/\{([a-z_]+)\}/g, (_, name: string) => named[name] ?? '');
  const content = typeof body === 'function' ? body(names) : body;
  return new Request(`${apiUrl}${outsideBase ? '' : basePath}${filled}${query === undefined ? '' : `?${query}`}`, {
    method: method === 'ANY' ? 'GET' : method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
  });
}

/** Stores IDs for the paths of later steps, and the last issued key. */
function rememberNames(names: Record<string, string>, text: string): void {
  if (!text.startsWith('{')) return;
  const answer = JSON.parse(text) as Record<string, unknown>;
  for (const name of rememberedNames) {
    const value = answer[name];
    if (typeof value === 'string') names[name] = value;
  }
}

function cells(use: TableUse): string[] {
  return [use.requests, use.reads, use.transactions, use.readUnits, use.writeUnits].map(String);
}
