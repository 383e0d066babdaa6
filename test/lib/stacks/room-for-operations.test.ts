import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../lib/operations/operation.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { propertiesOf, synthesize } from './synthesized.ts';

// CloudFormation allows 500 resources and 1 MB for a stack. proofs.test.ts checks the limits of names and policies.
const resourcesMax = 450;
const templateBytesMax = 900_000;

/** A deployment with the longest allowed name, in the region with the longest name. */
const longest = { name: 'a'.repeat(20), homeRegion: 'ap-northeast-1' };
/**
 * About twice the current number of operations. Each creates three resources in a stack of functions, and two in the
 * stack of routes.
 */
const operationsMax = 180;

const newGroup = 'things-to-come' as Operation['group'];

describe('with the longest name and region, and additional operations,', () => {
  const [like] = registry;
  if (like === undefined) throw new Error('the registry is empty');
  const more = Array.from({ length: operationsMax - registry.length }, (_, number): Operation => {
    const name = `change-some-new-thing-of-an-account-${String(number).padStart(4, '0')}`;
    return { ...like, name, group: newGroup, path: `/things-to-come/${number}` };
  });
  const templates = synthesize(longest, { operations: [...registry, ...more] });

  it('every stack stays below the number of resources and the size that CloudFormation takes', () => {
    for (const [stack, template] of Object.entries(templates)) {
      const json = template.toJSON();
      expect(Object.keys(json['Resources']).length, stack).toBeLessThan(resourcesMax);
      expect(JSON.stringify(json).length, stack).toBeLessThan(templateBytesMax);
    }
  });
});

it('operations of a new group are outside the stack of the API', () => {
  const [like] = registry;
  if (like === undefined) throw new Error('the registry is empty');
  const added: Operation = { ...like, name: 'do-something-new', group: newGroup, path: '/things-to-come' };
  const { api, apiOperations } = synthesize({}, { operations: [...registry, added] });
  const named = (template: Template) =>
    propertiesOf(template, 'AWS::Lambda::Function').map(({ FunctionName }) => FunctionName);
  expect(named(api)).not.toContain('sluice-do-something-new');
  expect(named(apiOperations)).toContain('sluice-do-something-new');
});
