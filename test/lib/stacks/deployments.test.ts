import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { currentPlacements, type Placements } from '../../../lib/stacks/api-operations.ts';
import { domain, synthesize, type Templates } from './synthesized.ts';

/** The stacks that are deployed at one moment, by their names in `Deployment`. */
type Deployed = Record<string, Template>;

/** Properties with names that only one resource of a region can have. */
const uniqueNames = ['FunctionName', 'LogGroupName', 'Name', 'QueueName', 'SecretName', 'TableName'];

/**
 * Deploys the stacks one by one in the order of `cdk deploy --all`. Returns what CloudFormation would refuse, and
 * routes whose function is missing after a step.
 */
function faultsOf(before: Deployed, after: Deployed): string[] {
  const deployed = { ...before };
  const faults: string[] = [];
  for (const [stack, template] of Object.entries(after)) {
    const exported = exportsOf(template);
    const imports = importsOf(Object.entries(deployed).flatMap(([name, other]) => (name === stack ? [] : [other])));
    for (const [name, value] of deployed[stack] === undefined ? [] : exportsOf(deployed[stack])) {
      if (imports.has(name) && exported.get(name) !== value) faults.push(`${stack}: the export ${name} is in use`);
    }
    for (const [other, otherTemplate] of Object.entries(deployed)) {
      const taken = other === stack ? [] : namesIn(otherTemplate);
      for (const name of namesIn(template)) if (taken.includes(name)) faults.push(`${stack}: ${name} is in ${other}`);
    }
    deployed[stack] = template;
    const functions = Object.values(deployed).flatMap(namesIn);
    for (const target of targetsIn(deployed)) {
      if (!functions.includes(`AWS::Lambda::Function ${target}`)) faults.push(`${stack}: no function ${target}`);
    }
  }
  return faults;
}

function exportsOf(template: Template): Map<string, string> {
  const outputs: Record<string, { Export?: { Name: string }; Value: unknown }> = template.toJSON()['Outputs'] ?? {};
  const exported = Object.values(outputs).filter(({ Export }) => Export !== undefined);
  return new Map(exported.map(({ Export, Value }) => [Export?.Name ?? '', JSON.stringify(Value)]));
}

function importsOf(templates: Template[]): Set<string> {
  const text = JSON.stringify(templates.map((template) => template.toJSON()));
  return new Set([...text.matchAll(/"Fn::ImportValue":"([^"]+)"/g)].map(([, name = '']) => name));
}

function namesIn(template: Template): string[] {
  const resources: Record<string, { Type: string; Properties?: Record<string, unknown> }> =
    template.toJSON()['Resources'];
  return Object.values(resources).flatMap(({ Type, Properties = {} }) =>
    uniqueNames.filter((name) => typeof Properties[name] === 'string').map((name) => `${Type} ${Properties[name]}`),
  );
}

function targetsIn(deployed: Deployed): string[] {
  const text = JSON.stringify(
    Object.values(deployed).map((template) => template.findResources('AWS::ApiGatewayV2::Integration')),
  );
  return [...text.matchAll(/:function:([\w-]+)/g)].map(([, name = '']) => name);
}

const userIssuer = { issuer: 'https://id.example.org', audience: 'web', dataAudience: 'data' };
const another = { ...userIssuer, issuer: 'https://login.example.org' };
const domains = { dataDomain: domain('data.example.org'), apiDomain: domain('api.example.org') };

describe('one `cdk deploy --all` changes a live deployment', () => {
  it.each<[string, object, object]>([
    ['from its user pool to another issuer', {}, { userIssuer }],
    ['from another issuer back to a user pool', { userIssuer }, {}],
    ['from one issuer to another', { userIssuer }, { userIssuer: another }],
    ['to custom domains', {}, domains],
    ['back from custom domains', domains, {}],
    ['to another pages secret', {}, { pagesSecret: 2 }],
    ['to a deployment without retained data', {}, { removalPolicy: 'destroy' }],
  ])('%s', (_, before, after) => {
    expect(faultsOf(synthesize(before), synthesize(after))).toEqual([]);
  });

  it('and changes the issuer at the edge last', () => {
    const [before, after] = [synthesize(), synthesize({ userIssuer })];
    const changed = Object.keys(after).filter(
      (stack) =>
        JSON.stringify(before[stack as keyof Templates].toJSON()) !==
        JSON.stringify(after[stack as keyof Templates].toJSON()),
    );
    expect(changed.at(-1)).toBe('people');
    expect(changed).not.toContain('edge');
  });
});

describe('functions that move to another stack', () => {
  const placed = (accounts: Placements['accounts']) =>
    synthesize({}, { placements: { ...currentPlacements, accounts } as Placements });
  const before = synthesize();
  const both = placed({ stack: 'api-operations', moves: 1, alsoIn: 'api' });
  const moved = placed({ stack: 'api-operations', moves: 1 });

  it('exist in both stacks for one release, so that every route has its function after every step', () => {
    expect(faultsOf(before, both)).toEqual([]);
    expect(faultsOf(both, moved)).toEqual([]);
    const back = placed({ stack: 'api', moves: 2, alsoIn: 'api-operations' });
    expect(faultsOf(moved, back)).toEqual([]);
  });

  it('would leave their routes without a function if one release moved them', () => {
    expect(faultsOf(before, moved)).toContain('api: no function sluice-get-account');
  });

  it('would not deploy under their earlier name', () => {
    const refused = faultsOf(before, placed({ stack: 'api-operations', alsoIn: 'api' }));
    expect(refused).not.toEqual([]);
  });
});

it('each stack resolves an output of another stack once, in a parameter', () => {
  for (const settings of [{}, { homeRegion: 'eu-west-1' }, domains]) {
    for (const [stack, template] of Object.entries(synthesize(settings))) {
      const found = [...JSON.stringify(template.toJSON()).matchAll(/\{"Fn::GetStackOutput":\{[^}]*\}\}/g)].map(String);
      expect(new Set(found).size, stack).toBe(found.length);
      expect(found.length, stack).toBeLessThanOrEqual(3);
      const parameters = Object.values(template.findResources('AWS::SSM::Parameter'));
      const held = parameters.filter(({ Properties }) => Properties.Value['Fn::GetStackOutput'] !== undefined);
      expect(held, stack).toHaveLength(found.length);
    }
  }
});

describe('an environment over the 4 KB that Lambda allows', () => {
  const admins = (count: number) => Array.from({ length: count }, (_, at) => String(at).padStart(64, 'a'));

  it.each<[string, object, RegExp]>([
    [
      'of administrators and a long text of the site',
      { adminIdentityIds: admins(30), site: { text: '🌊'.repeat(200) } },
      /sluice-\S+ has \d+ bytes, and Lambda allows 4096.*: adminIdentityIds \(\d+ bytes\), site \(\d+ bytes\)/,
    ],
    [
      'of CI issuers',
      {
        ciIssuers: admins(30).map((name) => ({
          ...{ issuer: `https://${name}.example.org`, kind: 'gitlab', algorithms: ['RS256'] },
        })),
      },
      /: ciIssuers \(\d+ bytes\)/,
    ],
  ])('is refused at synthesis with the settings to shorten: %s', (_, settings, message) => {
    expect(() => synthesize(settings)).toThrow(message);
  });

  it('is not reached by the administrators of the largest list alone', () => {
    expect(() => synthesize({ adminIdentityIds: admins(30) })).not.toThrow();
  });
});
