import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benchCaches } from './caches.ts';
import { benchCpu } from './cpu.ts';
import { benchDatabase } from './database.ts';
import { benchLoad } from './load/load.ts';
import { benchMemory } from './memory.ts';

const {
  positionals: names,
  values: { rounds: givenRounds, beside, kind },
} = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, beside: { type: 'string' }, kind: { type: 'string' } },
});
const rounds = givenRounds === undefined ? undefined : Number(givenRounds);
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
  console.error('--rounds takes a whole number from 1 on: how often each scenario of "revocation" is gone through.');
  process.exit(1);
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  cpu: benchCpu,
  memory: benchMemory,
  caches: benchCaches,
  load: benchLoad,
  database: benchDatabase,
  exchanges: async () => (await import('./exchanges.ts')).benchExchanges(),
  'public-revocation': async () => (await import('./revocation/public-revocation.ts')).benchPublicRevocation(),
  revocation: async () => (await import('./revocation/revocation.ts')).benchRevocation({ rounds, kind }),
  peers: async () => (await import('./peers/peers.ts')).benchPeers(),
  pages: async () => (await import('./pages/pages.ts')).benchPages(),
  streaming: async () => (await import('./streaming.ts')).benchStreaming(),
  // Imported late, because the CDK in memory would add its garbage to the other measurements.
  bundles: async () => (await import('./bundles.ts')).benchBundles({ beside }),
};

const unknown = names.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}: choose among ${Object.keys(parts).join(', ')}.`);
  process.exit(1);
}

const [cpu] = cpus();
const memoryGiB = (totalmem() / 2 ** 30).toFixed(0);
console.log(
  `Node ${process.version}, ${availableParallelism()} × ${cpu?.model.trim() ?? 'unknown CPU'}, ${memoryGiB} GiB, ${process.platform}/${process.arch}`,
);
console.log(
  `Others kept ${(loadavg()[0] ?? 0).toFixed(1)} processors busy in the last minute: past the number there are, times grow with them.`,
);
console.log('Everything on 127.0.0.1; compare figures of one run with each other, not with those of another machine.');
const startedAt = performance.now();
const chosen = Object.entries(parts).filter(([name]) => names.length === 0 || names.includes(name));
if (names.length === 0) console.log('All parts take a quarter of an hour; "npm run bench -- cpu" runs one.');
for (const [index, [name, run]] of chosen.entries()) {
  const partStartedAt = performance.now();
  console.log(`\n${name}: part ${index + 1} of ${chosen.length}`);
  await run();
  console.log(`${name} took ${((performance.now() - partStartedAt) / 1000).toFixed(0)} s`);
}
console.log(`\n${((performance.now() - startedAt) / 1000).toFixed(0)} s in all`);
