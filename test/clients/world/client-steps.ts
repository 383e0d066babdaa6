import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { ClientWorld } from './client-world.ts';
import type { InstalledClient } from './installed-client.ts';
import type { Transfers } from './transfers.ts';

type Ask = (...words: string[]) => Promise<string[]>;

interface StepProgram {
  client: InstalledClient;
  /** What follows the client's own command. */
  args: readonly string[];
  env(world: ClientWorld): Record<string, string>;
}

/**
 * Transfers by a program that stays for all of a service, since starting it anew for each step takes longer than the step. It reads a step a
 * line, a name and its arguments, and answers each with a line: `ok` and what it found, or `failed` and what its client said. Words are
 * percent-encoded, with tabs between them. `test/clients/python/steps.py` and `test/clients/java/Client.java` are such programs.
 */
export function stepTransfers(program: StepProgram, of: Omit<Transfers, keyof ReturnType<typeof steps>>): Transfers {
  return { ...steps(program), ...of };
}

function steps(program: StepProgram) {
  const ask = (world: ClientWorld, ...words: string[]) => connect(program, world)(...words);
  return {
    upload: (world: ClientWorld, file: string, key: string) => ask(world, 'upload', file, key),
    download: (world: ClientWorld, key: string, file: string) => ask(world, 'download', key, file),
    readRange: async (world: ClientWorld, key: string, first: number, last: number) => {
      const file = path.join(world.folder, 'range');
      await ask(world, 'range', key, String(first), String(last - first + 1), file);
      return readFile(file);
    },
    list: (world: ClientWorld, prefix: string) => ask(world, 'list', prefix),
    copy: (world: ClientWorld, from: string, to: string) => ask(world, 'copy', from, to),
    remove: (world: ClientWorld, key: string) => ask(world, 'remove', key),
  };
}

const connected = new WeakMap<StepProgram, WeakMap<ClientWorld, Ask>>();

function connect(program: StepProgram, world: ClientWorld): Ask {
  const ofWorlds = connected.get(program) ?? new WeakMap<ClientWorld, Ask>();
  connected.set(program, ofWorlds);
  const known = ofWorlds.get(world);
  if (known !== undefined) return known;
  const running = program.client.start(program.args, program.env(world));
  world.atClose.push(() => running.kill());
  let complaints = '';
  running.stderr.on('data', (text) => {
    complaints += text;
  });
  const lines = createInterface({ input: running.stdout })[Symbol.asyncIterator]();
  const ask: Ask = async (...words) => {
    running.stdin.write(`${words.map(encodeURIComponent).join('\t')}\n`);
    const line = await lines.next();
    if (line.done) throw new Error(`the client ended: ${complaints}`);
    const [state, ...answer] = line.value.split('\t').map(decodeURIComponent);
    if (state !== 'ok') throw new Error(answer.join(' '));
    return answer;
  };
  ofWorlds.set(world, ask);
  return ask;
}
