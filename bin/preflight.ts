import { readAssembly } from './preflight/assembly.ts';
import { connectToAws } from './preflight/aws.ts';
import { checkAccount, type Finding } from './preflight/checks.ts';

const [directory = 'cdk.out', ...others] = process.argv.slice(2);
if (others.length > 0) {
  console.error(
    'npm run preflight checks the AWS account of the environment before a deployment. It takes no arguments.',
  );
  process.exit(2);
}
const words: Record<Finding['outcome'], string> = { ok: 'ok', ask: 'request', fix: 'fix', unknown: 'unknown' };
const findings = await checkAccount(
  await connectToAws(process.env),
  readAssembly(directory),
  ({ outcome, check, detail }) => console.log(`${words[outcome].padEnd(8)} ${check.padEnd(36)} ${detail}`),
);
const open = findings.filter(({ outcome }) => outcome === 'ask' || outcome === 'fix');
console.log(
  open.length === 0
    ? '\nNothing stands in the way of "npx cdk deploy --all".'
    : `\n${open.length} to do before "npx cdk deploy --all": the lines that begin with "request" or "fix".`,
);
process.exitCode = open.length === 0 ? 0 : 1;
