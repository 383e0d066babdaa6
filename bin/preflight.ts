import { existsSync } from 'node:fs';
import path from 'node:path';
import { readAssembly } from './preflight/assembly.ts';
import { connectToAws } from './preflight/aws.ts';
import { checkAccount, type Finding } from './preflight/checks.ts';

const [directory = 'cdk.out', ...others] = process.argv.slice(2);
if (others.length > 0 || !existsSync(path.join(directory, 'manifest.json'))) {
  console.error(
    'npm run preflight checks the AWS account of the environment before a deployment. It takes no arguments.',
  );
  process.exit(2);
}
const words: Record<Finding['outcome'], string> = { ok: 'ok', ask: 'request', fix: 'fix', unknown: 'unknown' };
const findings = await checkAccount(connectToAws(process.env), readAssembly(directory), ({ outcome, check, detail }) =>
  console.log(`${words[outcome].padEnd(8)} ${check.padEnd(36)} ${detail}`),
);
const count = (...outcomes: Finding['outcome'][]) =>
  findings.filter(({ outcome }) => outcomes.includes(outcome)).length;
const [open, unknown] = [count('ask', 'fix'), count('unknown')];
console.log('');
if (open > 0) {
  console.log(`${open} to do before "npx cdk deploy --all": the lines that begin with "request" or "fix".`);
}
if (unknown > 0) console.log(`${unknown} not checked: the lines that begin with "unknown" say why.`);
if (open + unknown === 0) console.log('Nothing stands in the way of "npx cdk deploy --all".');
process.exitCode = open + unknown === 0 ? 0 : 1;
