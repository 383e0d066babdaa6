import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { loader } from '../service/loader.ts';

test.each([
  [{ nam: 'staging' }, /^These settings of sluice\.config\.ts [^\n]*:\n[^\n]* "nam"\n[^\n]* describes each\.\n$/],
  ['staging', /^The context entry "sluice" must be a JSON object of settings, [^\n]*\n$/],
])('a synth names unusable settings and creates no template: %j', (sluice, said) => {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ sluice }) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...loader, 'bin/app.ts'], { env, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(said);
});

test('two concurrent synths of two deployments differ in the deployment name only', {
  timeout: 600_000,
}, async () => {
  // Both deployment names have the same letters, because esbuild derives short names from letter frequencies.
  const [one, other] = ['east-side', 'side-east'] as const;
  const [first, second] = await Promise.all([synth(one), synth(other)]);
  const namesIn = (code: readonly string[], name: string) => code.filter((text) => text.includes(`"${name}`));
  const own = namesIn(first, one);
  expect(own.length).toBeGreaterThan(0);
  expect([namesIn(first, other), namesIn(second, one)]).toEqual([[], []]);
  expect(second.map((text) => text.replaceAll(other, one)).sort()).toEqual(first.sort());
});

/** Runs the app as `cdk synth` does. Resolves with the code of all functions. */
async function synth(name: string): Promise<string[]> {
  const output = await mkdtemp(path.join(tmpdir(), `sluice-synth-${name}-`));
  onTestFinished(() => rm(output, { recursive: true }));
  const env = { ...process.env, CDK_OUTDIR: output, CDK_CONTEXT_JSON: JSON.stringify({ sluice: { name } }) };
  const child = spawn(process.execPath, [...loader, 'bin/app.ts'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [[code], errors] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  if (code !== 0) throw new Error(`${name}: ${errors}`);
  return Promise.all(globSync(`${output}/asset.*/*.cjs`).map((file) => readFile(file, 'utf8')));
}
