import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { expect, test } from 'vitest';
import { ciProviders } from '../../lib/domain/ci/providers.ts';
import { clientSettings } from '../../lib/domain/service-accounts/client-settings.ts';
import { workflowFile } from '../../lib/pages/site/machines/workflow-file.ts';
import { documentedBlocks } from '../clients/fixtures/documented-example.ts';

/**
 * The test that runs the blocks of each page in each language, or the reason why no test can. A page with a new
 * language needs a row here.
 */
const runBy: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a-ci-job.md': {
    sh: 'documented-pages.test.ts',
    json: 'It is the body of a request, which the tests of trusted workflows send',
    yaml: 'GitHub runs it; its own parser reads it below',
  },
  'a-gitlab-job.md': {
    sh: 'It names a deployment; the tests of trusted workflows send such requests',
    yaml: "GitLab runs it; a test below validates it with GitLab's schema, and compares it with the file of the console",
  },
  'any-workload.md': { sh: 'It needs an issuer on the internet; the tests of the exchange have one of each kind' },
  'a-forgejo-job.md': {
    sh: 'It needs a Forgejo host; the tests of the exchange have its tokens',
    yaml: 'Forgejo runs it; a test below parses it, and compares it with the settings of the console',
  },
  'kubernetes.md': {
    sh: 'It needs a cluster',
    yaml: 'A cluster runs it; a test below compares it with the settings of the console',
  },
  'a-user-with-an-api-key.md': { sh: 'documented-pages.test.ts' },
  'a-signed-in-user.md': { sh: 'signed-in-user.test.ts', python: 'signed-in-user.test.ts' },
  'a-server.md': {
    sh: 'documented-pages.test.ts',
    python: 'documented-pages.test.ts',
    js: 'documented-pages.test.ts',
  },
  'browsers.md': { js: 'browser-examples.test.ts' },
  'gdal-and-duckdb.md': { sh: 'documented-pages.test.ts', sql: 'duckdb.test.ts' },
  'java.md': { java: 'java.test.ts' },
  'python.md': {
    sh: 'It is the environment in which the examples are run, said in words of a shell',
    python: 'python-examples.test.ts',
  },
  'reading-open-data.md': {
    '': 'It shows the parts of a URL',
    sh: 'open-data-examples.test.ts',
    python: 'open-data-examples.test.ts',
    sql: 'duckdb.test.ts',
  },
  'signing-in.md': {
    sh: '../docs/signing-in.test.ts',
    ini: '../docs/signing-in.test.ts',
    yaml: '../docs/signing-in.test.ts',
  },
};

test('a test runs every block of the client pages, except blocks with a stated reason', () => {
  const found = globSync('docs/clients/*.md').flatMap((file) => {
    const page = path.basename(file);
    const languages = [...new Set(documentedBlocks(page).map(({ language }) => language))];
    return languages.map((language) => `${page} ${language}`);
  });
  const told = Object.entries(runBy).flatMap(([page, languages]) =>
    Object.keys(languages).map((one) => `${page} ${one}`),
  );
  expect(found.sort()).toEqual(told.sort());
});

const tests = Object.entries(runBy).flatMap(([page, languages]) =>
  [...new Set(Object.values(languages))].filter((by) => by.endsWith('.ts')).map((by) => ({ page, by })),
);
test.each(tests)('$by names $page', ({ page, by }) => {
  expect(readFileSync(path.join('test/clients', by), 'utf8')).toContain(page);
});

test("the workflow on a page is valid in GitHub's own grammar", async () => {
  const [{ code: content } = { code: '' }] = documentedBlocks('a-ci-job.md').filter(
    ({ language }) => language === 'yaml',
  );
  const parsed = parseWorkflow({ name: 'publish.yml', content }, new NoOperationTraceWriter());
  expect(parsed.context.errors.getErrors().map(({ message }) => message)).toEqual([]);
  if (parsed.value === undefined) throw new Error('the page shows no workflow');
  const { errors = [], jobs } = await convertWorkflowTemplate(parsed.context, parsed.value);
  expect(errors).toEqual([]);
  expect(jobs.map(({ id }) => id.value)).toEqual(['publish']);
});

const settings = clientSettings({
  service_account_id: 'tide-institute--nightly-sync',
  data_proxy_url: 'https://data.example.org',
  audience: 'https://data.example.org',
  ci_issuers: [
    { issuer: 'https://gitlab.com', kind: 'gitlab' },
    { issuer: 'https://forgejo.example.org/api/actions', kind: 'forgejo' },
    { issuer: 'https://cluster.example.org', kind: 'kubernetes' },
  ],
});
const jobOf = (kind: string) => settings.ci_issuers.find((issuer) => issuer.kind === kind)?.job ?? '';
const yamlOf = (page: string) => documentedBlocks(page).find(({ language }) => language === 'yaml')?.code ?? '';

test.each(['branch', 'tag'] as const)("GitLab's schema of CI files accepts the console's file for a %s", (origin) => {
  const s3Uri = 's3://tide-institute/tide-gauges/2026/';
  const file = { kind: 'gitlab', origin, name: 'main', job: jobOf('gitlab'), s3Uri, mayWrite: true } as const;
  const text = workflowFile(file);
  if (origin === 'branch') expect(yamlOf('a-gitlab-job.md')).toBe(text);
  expect(gitlabFaults(text)).toBe('');
  expect(gitlabFaults(text.replace('aud:', 'audience:'))).toContain("must have required property 'aud'");
});

/** Returns the faults of a GitLab CI file. `gitlab-ci-local` contains GitLab's own schema, and connects to no host. */
function gitlabFaults(text: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'gitlab-'));
  try {
    writeFileSync(path.join(folder, '.gitlab-ci.yml'), text);
    const command = [createRequire(import.meta.url).resolve('gitlab-ci-local'), '--list', '--file', '.gitlab-ci.yml'];
    const { status, stderr } = spawnSync(process.execPath, command, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder },
      encoding: 'utf8',
    });
    return status === 0 ? '' : stderr;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const lines = (text: string) => text.split('\n').map((line) => line.trim());

test('the job that the page about Forgejo shows has every part of the settings, and is a workflow file', async () => {
  const text = yamlOf('a-forgejo-job.md');
  expect(lines(text)).toEqual(expect.arrayContaining(lines(jobOf('forgejo')).filter(Boolean)));
  // The parser is that of GitHub, which has no such key.
  const content = text.replace(/ *enable-openid-connect: true\n/, '');
  const parsed = parseWorkflow({ name: 'publish.yml', content }, new NoOperationTraceWriter());
  expect(parsed.context.errors.getErrors()).toEqual([]);
});

test('each kind of issuer has a page that the client list links', () => {
  const index = readFileSync('docs/clients/README.md', 'utf8');
  for (const { page } of Object.values(ciProviders)) {
    expect(existsSync(path.join('docs', page)), page).toBe(true);
    expect(index).toContain(`(${path.basename(page)})`);
  }
});

test('the Pod that the page about Kubernetes shows has every part of the settings of the console', () => {
  expect(lines(yamlOf('kubernetes.md'))).toEqual(expect.arrayContaining(lines(jobOf('kubernetes'))));
});
