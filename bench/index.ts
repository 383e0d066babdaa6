import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benchCaches } from './caches.ts';
import { benchCpu } from './cpu.ts';

const {
  positionals: names,
  values: { rounds: givenRounds, kind, minutes },
} = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, kind: { type: 'string' }, minutes: { type: 'string', default: '10' } },
});
const rounds = givenRounds === undefined ? undefined : Number(givenRounds);
if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
  console.error(
    '--rounds needs a positive integer: the number of starts, or of rounds of each scenario of "revocation".',
  );
  process.exit(1);
}

if (!(Number(minutes) >= 2)) {
  console.error('--minutes needs a number of at least 2: the length of "soak", which compares with its first minute.');
  process.exit(1);
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  cpu: benchCpu,
  caches: benchCaches,
  load: async () => (await import('./load/load.ts')).benchLoad(),
  soak: async () => (await import('./load/soak.ts')).benchSoak(Number(minutes)),
  streaming: async () => (await import('./streaming.ts')).benchStreaming(),
  versions: async () => (await import('./versions.ts')).benchVersions(),
  usage: async () => (await import('./usage.ts')).benchUsage(),
  database: async () => (await import('./database.ts')).benchDatabase(),
  storage: async () => (await import('./storage.ts')).benchStorage(),
  keys: async () => (await import('./keys.ts')).benchKeys(),
  pages: async () => (await import('./pages/pages.ts')).benchPages(),
  previews: async () => (await import('./previews.ts')).benchPreviews(),
  revocation: async () => (await import('./revocation/revocation.ts')).benchRevocation({ rounds, kind }),
  start: async () => (await import('./start.ts')).benchStart(rounds),
  // Import this benchmark only when it runs. It loads the CDK, which would leave garbage in memory and affect the other
  // measurements.
  bundles: async () => (await import('./bundles.ts')).benchBundles(),
};

const unknown = names.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`Unknown part ${unknown.join(', ')}. Choose from ${Object.keys(parts).join(', ')}.`);
  process.exit(1);
}

const [cpu] = cpus();
const memoryGiB = (totalmem() / 2 ** 30).toFixed(0);
console.log(
  `Node ${process.version}, ${availableParallelism()} × ${cpu?.model.trim() ?? 'unknown CPU'}, ${memoryGiB} GiB, ${process.platform}/${process.arch}`,
);
console.log(
  `Load of the last minute: ${(loadavg()[0] ?? 0).toFixed(1)}. Times grow when it exceeds the number of processors.`,
);
console.log('Compare figures within one run, not with those of another machine.');
const startedAt = performance.now();
// This benchmark takes long, so it runs only if its name is an argument.
const chosen = Object.entries(parts).filter(([name]) => (names.length === 0 ? name !== 'soak' : names.includes(name)));
if (names.length === 0)
  console.log('All parts except soak take a quarter of an hour; "npm run bench -- cpu" runs one.');
for (const [index, [name, run]] of chosen.entries()) {
  const partStartedAt = performance.now();
  console.log(`\n${name}: part ${index + 1} of ${chosen.length}`);
  await run();
  console.log(`${name} took ${((performance.now() - partStartedAt) / 1000).toFixed(0)} s`);
}
console.log(`\n${((performance.now() - startedAt) / 1000).toFixed(0)} s in all`);
