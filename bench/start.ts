import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { seedNames } from '../lib/local/seed.ts';
import { goal, median, printTable } from './report.ts';

const roundsDefault = 5;
const goalSeconds = 6;

/** A phase of one start. Times are in seconds since the command was started. */
interface Phase {
  name: string;
  from: number;
  to: number;
}

/** Measures `npm start` with a new data folder. The measurement ends when a client has read the first seeded file. */
export async function benchStart(rounds = roundsDefault): Promise<void> {
  const starts: Phase[][] = [];
  for (let round = 0; round < rounds; round += 1) starts.push(await measureStart());
  const medianOf = (name: string, edge: 'from' | 'to') =>
    median(starts.flatMap((phases) => phases.filter((phase) => phase.name === name).map((phase) => phase[edge])));
  const names = (starts[0] ?? []).map(({ name }) => name);
  const rows = names.map((name) => {
    const [from, to] = [medianOf(name, 'from'), medianOf(name, 'to')];
    return [name, ...[from, to, to - from].map((seconds) => seconds.toFixed(2))];
  });
  printTable(`npm start, medians of ${rounds} starts in seconds`, ['', 'from', 'to', 'time'], rows);
  const seconds = medianOf(names.at(-1) ?? '', 'to');
  console.log(`\n  first seeded file after ${seconds.toFixed(1)} s (goal ${goal(seconds, '<', goalSeconds, ' s')})`);
}

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

async function measureStart(): Promise<Phase[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-bench-start-'));
  // Create a separate package, because the start writes its settings into the folder of the package.
  const command = [process.execPath, '--import', fileOf('../bin/loader.js'), fileOf('../bin/local.ts')];
  const scripts = { start: command.map((part) => JSON.stringify(part)).join(' ') };
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ scripts }));
  const startedAt = Date.now();
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${new URL('./start-phases.js', import.meta.url).href}`,
      SLUICE_DATA_DIR: path.join(folder, 'data'),
      SLUICE_API_PORT: '0',
      SLUICE_DATA_PORT: '0',
      SLUICE_IDENTITY_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  try {
    const after = (time: number) => (time - startedAt) / 1000;
    const phases: Phase[] = [];
    let origin = startedAt;
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith('{')) {
        const phase = JSON.parse(line);
        origin = phase.origin;
        phases.push({ name: phase.name, from: after(phase.from), to: after(phase.to) });
      }
      const dataUrl = /^ {2}data proxy +(\S+)/.exec(line)?.[1];
      if (dataUrl === undefined) continue;
      const from = Date.now();
      const { organization_id, data_repository_id } = seedNames;
      const response = await fetch(`${dataUrl}/${organization_id}/${data_repository_id}/README.md`);
      if (!response.ok) throw new Error(`The first file returned ${response.status}`);
      await response.arrayBuffer();
      const file = { name: 'first seeded file', from: after(from), to: after(Date.now()) };
      const main = Math.min(...phases.map((phase) => phase.from));
      return [
        { name: 'npm', from: 0, to: after(origin) },
        { name: 'Node and the loader', from: after(origin), to: main },
        ...phases.toSorted((a, b) => a.from - b.from),
        file,
      ];
    }
    throw new Error('npm start ended before it was ready');
  } finally {
    child.kill('SIGTERM');
    child.stdout.resume();
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}
