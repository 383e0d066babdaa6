import { randomBytes } from 'node:crypto';
import { issueServiceAccountKey } from '../lib/domain/service-accounts/service-account-key.ts';
import { handleExchange } from '../lib/sts/exchange.ts';
import { ExchangeSetup, formBody, formRequest, random } from '../test/lib/sts/exchange-setup.ts';
import { part } from '../test/lib/sts/test-issuer.ts';
import { goal, printTable } from './report.ts';

const differentKeys = 10_000;
const exchanges = 100_000;
const garbageTokens = 100_000;
const growthMaxMebibytes = 5;

/** Measures the memory that a warm exchange retains for its callers, with a stubbed table. Needs `--expose-gc`. */
export async function benchMemory(): Promise<void> {
  const setup = new ExchangeSetup();
  const keys = Array.from({ length: differentKeys }, () => setup.addKey());
  const byKey = (index: number) => keys[index % differentKeys] ?? '';
  const rows: string[][] = [];
  const present = async (name: string, count: number, status: number, token: (index: number) => string) => {
    const before = heapMebibytes();
    for (let index = 0; index < count; index += 1) {
      const answer = await handleExchange(formRequest(formBody({}, token(index))), setup.dependencies);
      if (answer.status !== status) throw new Error(`an exchange answered ${answer.status}: ${answer.body}`);
      setup.now += 1;
      // Test doubles record requests, which a deployed instance does not.
      for (const remembered of [setup.store.requests, setup.issuer.fetched, setup.reported]) remembered.length = 0;
    }
    const after = heapMebibytes();
    const isFlat = rows.length === 0 ? '' : goal(after - before, '<', growthMaxMebibytes, ' MiB more');
    rows.push([name, String(count), `${before.toFixed(1)} MiB`, `${after.toFixed(1)} MiB`, isFlat]);
  };
  // A first pass fills one-time allocations and the throttle's counters.
  await present('a first pass over 10,000 keys', differentKeys, 200, byKey);
  await present('exchanges with the 10,000 keys', exchanges, 200, byKey);
  await present('garbage tokens', garbageTokens, 400, (index) => garbage(index, setup));
  const columns = ['', 'exchanges', 'before', 'after', 'goal'];
  printTable('Heap in use of an exchange that is kept warm, after collecting garbage', columns, rows);
}

/**
 * Returns, in rotation: an unknown key, a damaged key, a token of an unknown signing key, and text that is not a token.
 */
function garbage(index: number, setup: ExchangeSetup): string {
  const unknown = issueServiceAccountKey(random);
  switch (index % 4) {
    case 0:
      return unknown;
    case 1:
      return `${unknown.slice(0, -1)}!`;
    case 2:
      return [part({ typ: 'JWT', alg: 'RS256', kid: randomText(16) }), part(setup.claims()), randomText(256)].join('.');
    default:
      return randomText(300);
  }
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

function heapMebibytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
