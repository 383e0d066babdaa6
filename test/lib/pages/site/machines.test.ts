import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, it, test } from 'vitest';
import { clientSettings } from '../../../../lib/domain/service-accounts/client-settings.ts';
import { keyPairRecipes, machineRecipes } from '../../../../lib/pages/site/machines/recipes.ts';
import {
  compareSubjects,
  foreignHostFault,
  type Origin,
  originNameOf,
  repositoryOf,
  subjectOf,
} from '../../../../lib/pages/site/machines/subject.ts';
import { workflowFile } from '../../../../lib/pages/site/machines/workflow-file.ts';

const algorithms = ['RS256'] as const;
const settings = clientSettings({
  service_account_id: 'tide-institute--nightly-sync',
  data_proxy_url: 'https://data.example.org',
  audience: 'https://data.example.org',
  ci_issuers: [
    { issuer: 'https://token.actions.githubusercontent.com', kind: 'github', algorithms },
    { issuer: 'https://gitlab.com', kind: 'gitlab', algorithms },
  ],
});
const s3Uri = 's3://tide-institute/tide-gauges/';
const jobOf = (wanted: string) => settings.ci_issuers.find(({ kind }) => kind === wanted)?.job ?? '';

describe('the trusted subject', () => {
  const typed = { kind: 'github', repository: 'tide/code', origin: 'branch', name: 'main' } as const;

  it('follows the rules of the API, with the fault of an invalid field', () => {
    expect(subjectOf(typed)).toEqual({ ok: true, subject: 'repo:tide/code:ref:refs/heads/main' });
    expect(subjectOf({ ...typed, origin: 'environment', name: 'a:b' })).toEqual({
      ok: true,
      subject: 'repo:tide/code:environment:a%3Ab',
    });
    expect(subjectOf({ ...typed, name: 'release/*' })).toMatchObject({ ok: false, path: 'branch' });
    expect(subjectOf({ ...typed, repository: 'tide' })).toMatchObject({ ok: false, path: 'repository' });
    expect(subjectOf({ ...typed, kind: 'gitlab', origin: 'environment' })).toMatchObject({ path: 'environment' });
    expect(subjectOf({ ...typed, repository: '' })).toBeUndefined();
    expect(subjectOf({ ...typed, name: '' })).toBeUndefined();
  });

  const hub = { kind: 'github', issuer: 'https://token.actions.githubusercontent.com' } as const;
  // `npm start` uses this issuer instead of GitHub's issuer.
  const here = { kind: 'github', issuer: 'http://127.0.0.1:8789/ci' } as const;
  const lab = { kind: 'gitlab', issuer: 'https://gitlab.com' } as const;

  test.each([
    [hub, 'https://github.com/marie/sea-pipe', 'marie/sea-pipe'],
    [hub, 'github.com/marie/sea-pipe/', 'marie/sea-pipe'],
    [hub, 'git@github.com:marie/sea-pipe.git', 'marie/sea-pipe'],
    [hub, ' HTTPS://GitHub.com/marie/sea-pipe.git/tree/main?tab=1#top', 'marie/sea-pipe'],
    [{ ...hub, issuer: 'https://token.actions.tide.ghe.com' }, 'https://tide.ghe.com/marie/code', 'marie/code'],
    [lab, 'https://gitlab.com/tide/north/code/-/tree/main', 'tide/north/code'],
    [lab, 'ssh://git@gitlab.com/tide/code.git', 'tide/code'],
    [hub, 'marie/sea-pipe', 'marie/sea-pipe'],
    [here, 'https://github.com/reef-lab/pipelines', 'reef-lab/pipelines'],
    [here, 'https://github.com/reef-lab/pipelines.git/', 'reef-lab/pipelines'],
    [here, 'https://github.com/reef-lab/pipelines/tree/main', 'reef-lab/pipelines'],
    [here, 'git@github.com:reef-lab/pipelines.git', 'reef-lab/pipelines'],
    [here, 'http://127.0.0.1:8789/reef-lab/pipelines', 'reef-lab/pipelines'],
    [{ ...lab, issuer: 'http://localhost:8789/ci' }, 'https://gitlab.com/tide/north/code', 'tide/north/code'],
    // A URL on a host other than that of the issuer stays unchanged, and the trust rules then refuse it.
    [here, 'https://gitlab.com/reef-lab/pipelines', 'https://gitlab.com/reef-lab/pipelines'],
    [{ ...hub, issuer: 'https://git.tide.example' }, 'https://github.com/marie/code', 'https://github.com/marie/code'],
    [{ ...hub, issuer: 'https://127.0.0.1.evil.example' }, 'https://github.com/a/b', 'https://github.com/a/b'],
    [hub, 'https://github.com.evil.example/marie/sea-pipe', 'https://github.com.evil.example/marie/sea-pipe'],
    [hub, 'https://gitlab.com/marie/sea-pipe', 'https://gitlab.com/marie/sea-pipe'],
    [hub, 'https://github.com@evil.example/marie/sea-pipe', 'https://github.com@evil.example/marie/sea-pipe'],
  ])('finds for %j in %s the repository %s', (issuer, typed, repository) => {
    expect(repositoryOf(issuer, typed)).toBe(repository);
  });

  test.each([
    [hub, 'https://gitlab.com/marie/sea-pipe', 'must be on github.com, and'],
    [hub, 'git@bitbucket.org:marie/sea-pipe.git', 'must be on github.com, and'],
    [hub, 'https://github.com@evil.example/marie/sea-pipe', 'must be on github.com, and'],
    [
      { kind: 'github', issuer: 'http://127.0.0.1:8789/ci' },
      'https://gitlab.com/marie/x',
      'must be on github.com, and',
    ],
    [{ kind: 'gitlab', issuer: 'https://git.example' }, 'https://gitlab.com/marie/x', 'must be on git.example, and'],
    [hub, 'https://github.com/marie/sea-pipe', undefined],
    [hub, 'marie@1/sea-pipe@2', undefined],
    [hub, 'marie', undefined],
  ] as const)('reports for %j a foreign host in %s: %s', (issuer, typed, sentence) => {
    const fault = foreignHostFault(issuer, typed);
    if (sentence === undefined) expect(fault).toBeUndefined();
    else expect(fault).toContain(sentence);
  });

  test.each([
    ['branch', 'refs/heads/main', 'main'],
    ['tag', 'refs/tags/v1', 'v1'],
    ['tag', 'refs/heads/main', 'refs/heads/main'],
    ['environment', 'refs/heads/main', 'refs/heads/main'],
  ] as const)('takes from the %s %s the name %s', (origin, typed, name) => {
    expect(originNameOf(origin, typed)).toBe(name);
  });

  test.each([
    ['abc', 'abc', { before: 'abc', came: '', trusted: '', after: '' }],
    ['a-x-c', 'a-y-c', { before: 'a-', came: 'x', trusted: 'y', after: '-c' }],
    ['main2', 'main', { before: 'main', came: '2', trusted: '', after: '' }],
    ['aa', 'aaa', { before: 'aa', came: '', trusted: 'a', after: '' }],
    ['', 'a', { before: '', came: '', trusted: 'a', after: '' }],
    ['🌊1', '🌊2', { before: '🌊', came: '1', trusted: '2', after: '' }],
  ])('compares %j and %j by their common prefix and suffix', (came, trusted, compared) => {
    expect(compareSubjects(came, trusted)).toEqual(compared);
  });
});

describe('the settings of a workflow', () => {
  const hint = '# This account may only read. To publish, grant it “Read and write” on a repository.';
  const fileOf = (origin: Origin, name: string, mayWrite = true) =>
    workflowFile({ kind: 'github', origin, name, job: jobOf('github'), s3Uri, mayWrite });

  test.each([
    ['branch', 'main', 'branches: ["main"]'],
    ['tag', 'v1.2', 'tags: ["v1.2"]'],
    ['environment', 'prod: eu #1 "x"', 'environment: "prod: eu #1 \\"x\\""'],
    ['environment', '${{github.token}}', 'environment: "$ {{github.token}}"'],
  ] as const)('are a valid GitHub workflow for the %s %s', (origin, name, line) => {
    const content = fileOf(origin, name);
    const { context } = parseWorkflow({ name: 'publish.yml', content }, new NoOperationTraceWriter());
    expect(context.errors.getErrors()).toEqual([]);
    expect(content).toContain(line);
    expect(content).toContain('      id-token: write\n');
    expect(content).not.toContain('${{');
  });

  it('publish a folder with write access, and list files with read access', () => {
    const publishing = fileOf('branch', 'main');
    expect(publishing).toContain('      - uses: actions/checkout@v7\n      - run: aws s3 sync data s3://');
    expect(publishing).toContain('  contents: read\n');
    const reading = fileOf('branch', 'main', false);
    expect(reading).toContain(`      - run: aws s3 ls s3://tide-institute/tide-gauges/  ${hint}\n`);
    expect(reading).not.toMatch(/checkout|s3 sync/);
  });

  it('are one GitLab job that runs only for the trusted origin', () => {
    const textOf = (mayWrite: boolean) =>
      workflowFile({ kind: 'gitlab', origin: 'tag', name: 'v1', job: jobOf('gitlab'), s3Uri, mayWrite });
    const text = textOf(false);
    expect(text).toContain('publish:\n');
    expect(text).toContain('    - if: "$CI_COMMIT_TAG == \\"v1\\""\n');
    expect(text).toContain('      aud: "https://data.example.org"\n');
    expect(text).toContain(`  script:\n    - aws s3 ls s3://tide-institute/tide-gauges/  ${hint}\n`);
    expect(textOf(true)).toContain('  script:\n    - aws s3 sync data s3://tide-institute/tide-gauges/ ');
  });
});

describe('the settings of clients', () => {
  it('name the file of a service-account key, and never contain the key', () => {
    const recipes = machineRecipes({ service_account_id: 'tide-institute--nightly-sync', ...settings, s3Uri });
    expect(new Set(recipes.map(({ id }) => id)).size).toBe(recipes.length);
    for (const { client, blocks, notes } of recipes) {
      const text = blocks.map((block) => block.text).join('');
      expect(notes[0], client).toMatch(/^Without sudo: .*AWS_WEB_IDENTITY_TOKEN_FILE/);
      expect(text, client).toContain('/etc/sluice/tide-institute--nightly-sync.key');
      expect(text, client).toContain('tide-gauges/');
      expect(text, client).toContain('https://data.example.org');
    }
  });

  test.each([
    ['https://data.example.org', 'data.example.org', true],
    ['http://127.0.0.1:8788', '127.0.0.1:8788', false],
  ])('reach %s with an API key', (dataUrl, host, isHttps) => {
    const pair = { access_key_id: 'SCAKEXAMPLE', secret_access_key: 'the-secret' };
    const recipes = keyPairRecipes({ name: 'sluice', dataUrl, ...pair, s3Uri });
    for (const { client, blocks } of recipes) {
      const text = blocks.map((block) => block.text).join('');
      expect(text, client).toContain('the-secret');
      expect(text, client).toContain(host);
    }
    const textOf = (wanted: string) =>
      recipes
        .find(({ id }) => id === wanted)
        ?.blocks.map(({ text }) => text)
        .join('');
    expect(textOf('duckdb')).toContain(`ENDPOINT '${host}', USE_SSL ${isHttps}`);
    expect(textOf('s3cmd')?.includes('--no-ssl')).toBe(!isHttps);
    expect(textOf('gdal')?.includes('AWS_HTTPS=NO')).toBe(!isHttps);
  });
});
