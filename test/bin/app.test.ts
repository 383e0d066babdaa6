import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test.each([
  [{ nam: 'staging' }, /^These settings of sluice\.config\.ts [^\n]*:\n[^\n]* "nam"\n[^\n]* describes each\.\n$/],
  ['staging', /^The context entry "sluice" must be a JSON object of settings, [^\n]*\n$/],
])('settings that cannot be used are named, and no template is made: %j', (sluice, said) => {
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify({ sluice }) };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/app.ts'], { env, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(said);
});
