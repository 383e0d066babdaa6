import { globSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { roleSessionPolicy } from '../../../lib/domain/data/role-session-policy.ts';
import { createDataConnection } from '../../../lib/operations/data-connections.ts';
import { parseConfig } from '../../../lib/stacks/config.ts';
import { synthesize, type Templates } from './synthesized.ts';

const read = (name: string) => readFileSync(`docs/operating/${name}.md`, 'utf8');
const page = read('deploying');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'gm'))].map(([, block = '']) => block);

let templates: Templates;
let everything: string;
beforeAll(() => {
  templates = synthesize();
  everything = JSON.stringify(Object.values(templates).map((template) => template.toJSON()));
});

const stackNames = [
  'data',
  'rotation',
  'events',
  'edge',
  'api',
  'api-operations',
  'assets',
  'pages',
  'routes',
  'api-edge',
  'people',
  'watching',
  'edge-watching',
  'usage',
];
const stackOf = (name: string) =>
  templates[name.replace('sluice-', '').replace(/-(\w)/g, (_, letter) => letter.toUpperCase()) as keyof Templates];

describe('the page about deploying', () => {
  it('names all stacks, and deploys only existing ones', () => {
    for (const name of stackNames) {
      expect(stackOf(name)).toBeDefined();
      expect(page).toContain(`\`<name>-${name}\``);
    }
    expect(Object.keys(templates)).toHaveLength(stackNames.length);
    const deployed = [...page.matchAll(/cdk (?:deploy|import) (sluice-[\w-]+)/g)].map(([, name = '']) => name);
    expect(deployed).toContain('sluice-edge');
    for (const name of deployed) expect(stackOf(name), name).toBeDefined();
  });

  it('shows outputs that the stacks have', () => {
    const shown = [...page.matchAll(/^(sluice-[\w-]+)\.(\w+) = /gm)];
    expect(shown).toHaveLength(4);
    for (const [, stack = '', output = ''] of shown) stackOf(stack).hasOutput(output, {});
    for (const stack of ['edge', 'apiEdge'] as const) templates[stack].hasOutput('DistributionName', {});
  });

  it('shows usable settings', () => {
    const shown = blocks('ts').join('').replaceAll('…', '111111111111:certificate/a');
    const settings = new Function(`return {${shown}}`)();
    expect(Object.keys(parseConfig(settings))).toEqual(
      expect.arrayContaining(['adminIdentityIds', 'storageRoleArns', 'apiDomain', 'dataDomain', 'virtualHostBase']),
    );
  });

  it('sends bodies that the API accepts', () => {
    const [connection] = [...page.matchAll(/-d '(\{[\s\S]*?\})'\n/g)].map(([, body = '']) =>
      JSON.parse(filledIn(body)),
    );
    expect(createDataConnection.body.parse(connection)).toMatchObject({ authentication: { type: 's3_assume_role' } });
  });

  it('gives the role of a storage exactly the rights that the data proxy uses', () => {
    const policies = [...page.matchAll(/policy-document '(\{[\s\S]*?\n\})'/g)].map(([, body = '']) =>
      JSON.parse(filledIn(body)),
    );
    const [trust, storage] = policies;
    expect(trust.Statement[0].Condition).toEqual({ StringEquals: { 'sts:ExternalId': 'EXTERNAL_ID' } });
    const details = { provider: 's3', bucket: 'BUCKET', base_prefix: '', region: 'us-east-1' } as const;
    const used = JSON.parse(roleSessionPolicy('arn:aws:iam::111122223333:role/a', { details, read_only: false }));
    const actionsOf = (policy: { Statement: { Action: string[] }[] }) =>
      policy.Statement.flatMap(({ Action }) => Action)
        .filter((action) => action.startsWith('s3:'))
        .sort();
    expect(actionsOf(storage)).toEqual(actionsOf(used));
  });

  it('names all variables of the deployment workflow', () => {
    const workflow = readFileSync('.github/workflows/deploy.yml', 'utf8');
    const used = [...workflow.matchAll(/vars\.(\w+)/g)].map(([, name = '']) => name);
    const described = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = '']) => name);
    expect(described.sort()).toEqual([...new Set(used)].sort());
  });
});

describe('the other pages name only existing resources', () => {
  it.each(['alarms', 'rotating-secrets', 'removing', 'backup-and-restore'])(
    'in %s: logs, secrets, and functions',
    (name) => {
      const named = [
        ...read(name).matchAll(/`<name>(\/[\w-]+)`|`(\/aws\/vendedlogs\/<name>\/[\w-]+)`|`(rotate-[\w-]+)`/g),
      ].map(
        ([, secret, log, rotation]) =>
          (secret && `sluice${secret}`) ?? log?.replace('<name>', 'sluice') ?? `sluice-${rotation}`,
      );
      for (const each of named) expect(everything).toContain(`"${each}"`);
      if (name !== 'backup-and-restore') expect(named.length).toBeGreaterThan(1);
    },
  );
});

/** Replaces variables as a shell would. In this test, the value of each variable is its name. */
function filledIn(text: string): string {
  return text
    .replace(/'\$([A-Z_]+)'/g, '$1')
    .replace('"ROLE_ARN"', '"arn:aws:iam::111122223333:role/a"')
    .replace('"BUCKET"', '"my-open-data"');
}

it('the page about verifying describes each variable that the command reads, and the groups in which it answers', () => {
  const source = globSync(['bin/verify.ts', 'bin/verify/*.ts'])
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  for (const name of new Set(source.match(/SLUICE_VERIFY_\w+/g))) expect(read('verifying')).toContain(name);
  const groups = [...source.matchAll(/checks\.group\('([\w-]+)'\)/g)].map(([, group]) => group);
  for (const group of groups.filter((each) => each !== 'setup')) expect(read('verifying')).toContain(`| ${group} |`);
  expect(groups).toHaveLength(10);
});
