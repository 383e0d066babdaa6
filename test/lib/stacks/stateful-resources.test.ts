import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { synthesize, type Templates } from './synthesized.ts';

/**
 * Resources that hold user data, sign-ins, or URLs, with the properties whose change makes CloudFormation replace the
 * resource ("Update requires: Replacement"). The list also has properties that must not change for other reasons:
 * `GenerateSecretString` would replace all stored versions with one.
 */
const statefulTypes: Record<string, readonly string[]> = {
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  'AWS::CloudFront::Distribution': [],
  'AWS::Cognito::UserPool': ['AliasAttributes', 'UsernameAttributes', 'UsernameConfiguration'],
  'AWS::Cognito::UserPoolClient': ['GenerateSecret', 'UserPoolId'],
  'AWS::Cognito::UserPoolDomain': ['Domain', 'UserPoolId'],
  'AWS::DynamoDB::Table': ['AttributeDefinitions', 'KeySchema', 'LocalSecondaryIndexes', 'TableName'],
  'AWS::Events::EventBus': ['Name'],
  // Owners of storages trust the role of serve-object. In their policies, a new role is a different principal, even
  // with the same name.
  'AWS::IAM::Role': ['RoleName', 'Path'],
  'AWS::KMS::Alias': ['AliasName', 'TargetKeyId'],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'],
  'AWS::SQS::Queue': ['FifoQueue', 'QueueName'],
  'AWS::SecretsManager::Secret': ['GenerateSecretString', 'Name'],
};

const inventoryFile = path.join(import.meta.dirname, 'stateful-resources.json');

it('no stateful resource is replaced, moved, or removed since the last release', () => {
  const inventory = inventoryOf(synthesize());
  if (process.env['SLUICE_WRITE_INVENTORY'] !== undefined) {
    writeFileSync(inventoryFile, `${JSON.stringify(inventory, undefined, 2)}\n`);
  }
  expect(
    inventory,
    'CloudFormation would make a new, empty resource; docs/operating/deploying.md says what to do if that is meant',
  ).toEqual(JSON.parse(readFileSync(inventoryFile, 'utf8')));
});

it('retains the table, keys, secrets, and user pool when a stack is deleted or a resource is replaced', () => {
  const types = ['AWS::Cognito::UserPool', 'AWS::DynamoDB::Table', 'AWS::KMS::Key', 'AWS::SecretsManager::Secret'];
  const { data, api } = synthesize();
  for (const [id, resource] of [...resourcesOf(data), ...resourcesOf(api)]) {
    if (!types.includes(resource.Type)) continue;
    const DeletionPolicy = resource.Type === 'AWS::Cognito::UserPool' ? 'Retain' : 'RetainExceptOnCreate';
    expect(resource, id).toMatchObject({ DeletionPolicy, UpdateReplacePolicy: 'Retain' });
  }
});

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
}

function resourcesOf(template: Templates[keyof Templates]): [string, Resource][] {
  return Object.entries(template.toJSON()['Resources']);
}

function inventoryOf(templates: Templates) {
  const stacks = Object.entries(templates).map(([stack, template]) => {
    const stateful = resourcesOf(template).flatMap(([id, { Type, Properties = {} }]) => {
      const fixed = statefulTypes[Type];
      if (fixed === undefined || (Type === 'AWS::IAM::Role' && !id.startsWith('serveobject'))) return [];
      const properties = Object.fromEntries(
        fixed.filter((name) => name in Properties).map((name) => [name, Properties[name]]),
      );
      return [[id, { type: Type, fixed: properties }] as const];
    });
    return [stack, Object.fromEntries(stateful.sort(([a], [b]) => (a < b ? -1 : 1)))] as const;
  });
  return Object.fromEntries(stacks.filter(([, resources]) => Object.keys(resources).length > 0));
}
