import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { loader } from '../service/loader.ts';

test.each([
  [{ nam: 'staging' }, /^These settings of sluice\.config\.ts [^\n]*:\n[^\n]* "nam"\n[^\n]* describes each\.\n$/],
  ['staging', /^The context entry "sluice" must be a JSON object of settings, [^\n]*\n$/],
])('settings that cannot be used are named, and no template is made: %j', (sluice, said) => {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ sluice }) };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...loader, 'bin/app.ts'], { env, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(said);
});

test('two synths at once, of two deployments, each take their own code', { timeout: 600_000 }, async () => {
  const names = ['synth-one', 'synth-two'];
  const outputs = await Promise.all(names.map(synth));
  try {
    for (const [index, name] of names.entries()) {
      const code = await edgeCode(outputs[index] ?? '');
      expect(code.length).toBeGreaterThan(0);
      const other = names.find((each) => each !== name) ?? '';
      for (const each of code) {
        expect(each).toContain(`"${name}`);
        expect(each).not.toContain(`"${other}`);
      }
    }
  } finally {
    for (const output of outputs) await rm(output, { recursive: true });
  }
});

/** Runs the app as `cdk synth` does. Resolves with the folder of the templates. */
async function synth(name: string): Promise<string> {
  const output = await mkdtemp(path.join(tmpdir(), `sluice-synth-${name}-`));
  const env = { ...process.env, CDK_OUTDIR: output, CDK_CONTEXT_JSON: JSON.stringify({ sluice: { name } }) };
  const child = spawn(process.execPath, [...loader, 'bin/app.ts'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [[code], errors] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  if (code !== 0) throw new Error(`${name}: ${errors}`);
  return output;
}

/** Returns the code of the functions at the edge. Each contains the settings of its deployment. */
async function edgeCode(output: string): Promise<string[]> {
  const folders = (await readdir(output)).filter((each) => each.startsWith('asset.'));
  const files = await Promise.all(
    folders.map((folder) => readFile(path.join(output, folder, 'index.cjs'), 'utf8').catch(() => '')),
  );
  return files.filter((file) => /"synth-(one|two)/.test(file));
}
