import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type App, type IPolicyValidationPlugin, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Deployment } from '../../../lib/stacks/deployment.ts';
import { type Synthesis, withApp } from './offline-app.ts';

/** Templates by the names of the stacks in `Deployment`, in the order in which the stacks are deployed. */
export type Templates = Record<keyof Deployment, Template>;

/**
 * Synthesizes a deployment with these settings, with one line of code for each function. The offline validator takes
 * seconds to start. It runs only with `isValidated`, and its findings are thrown.
 */
export function synthesize(settings: object = {}, options: Omit<Synthesis, 'settings'> = {}): Templates {
  const isDefault = Object.keys(settings).length === 0 && Object.keys(options).length === 0;
  if (isDefault && defaultTemplates !== undefined) return defaultTemplates;
  const made: Templates = withApp({ settings, ...options }, (app, stacks) => {
    const names = new Map(Object.entries(stacks).map(([name, { stackName }]) => [stackName, name]));
    const templates = app
      .synth()
      .stacks.map(({ stackName, template }) => [names.get(stackName) ?? '', Template.fromJSON(template)]);
    return Object.fromEntries(templates);
  });
  if (isDefault) defaultTemplates = made;
  return made;
}

/** The templates of the default settings, which most test files of a process use. */
let defaultTemplates: Templates | undefined;

/** Returns the stacks that CloudFormation refuses to delete. */
export function protectedStacks(settings: object): string[] {
  return withApp({ settings }, (_, stacks) =>
    Object.values(stacks).flatMap(({ stackName, terminationProtection }) => (terminationProtection ? [stackName] : [])),
  );
}

/** Returns the findings of a rule pack, as `<rule> <path of the construct>`. */
export function findingsOf(packs: (app: App) => IPolicyValidationPlugin[], settings: object = {}): string[] {
  return withApp({ settings }, (app) => {
    Validations.of(app).addPlugins(...packs(app));
    // The rule pack reports a finding as an error, but still writes the report.
    expect(() => app.synth()).toThrow();
    const { pluginReports } = reportSchema.parse(
      JSON.parse(readFileSync(path.join(app.outdir, 'validation-report.json'), 'utf8')),
    );
    return pluginReports
      .flatMap(({ violations }) => violations)
      .flatMap(({ ruleName, violatingConstructs }) =>
        violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
      );
  });
}

const reportSchema = z.object({
  pluginReports: z.array(
    z.object({
      violations: z.array(
        z.object({ ruleName: z.string(), violatingConstructs: z.array(z.object({ constructPath: z.string() })) }),
      ),
    }),
  ),
});

export interface Statement {
  Effect: string;
  Action: string[];
  /** Returns the ARNs of resources. References to other resources remain JSON. */
  Resource: string[];
  Condition: unknown;
}

/**
 * Logical IDs of the CDK resources that copy the site's files during a deployment. Another test checks their rights.
 */
export const copierOfFiles = /^CustomCDKBucketDeployment/;

/** Returns the resources of one type by logical ID, without those that copy the site's files. */
export function ownResources(template: Template, type: string): ReturnType<Template['findResources']> {
  return Object.fromEntries(Object.entries(template.findResources(type)).filter(([id]) => !copierOfFiles.test(id)));
}

// biome-ignore lint/suspicious/noExplicitAny: tests read resources of every shape
type Properties = any;

/** Returns the properties of the project's own resources of one type in these stacks. */
export function propertiesOf(templates: Template | readonly Template[], type: string): Properties[] {
  const all = [templates].flat().flatMap((template) => Object.values(ownResources(template, type)));
  return all.map((resource) => resource['Properties']);
}

export function onlyDistribution(template: Template): Properties {
  return propertiesOf(template, 'AWS::CloudFront::Distribution')[0].DistributionConfig;
}

/** Returns the IAM rights of one of the project's functions. */
export function rightsOf(templates: readonly Template[], name: string): Statement[] {
  return templates.flatMap((template) => {
    const found = propertiesOf(template, 'AWS::Lambda::Function').find(({ FunctionName }) => FunctionName === name);
    return rightsByRole(template)[found?.Role['Fn::GetAtt'][0]] ?? [];
  });
}

/** Replaces references to parameters that hold outputs of other stacks by the outputs, as `<stack>.<output>`. */
export function withOutputs<T>(template: Template, value: T): unknown {
  const parameters = template.findResources('AWS::SSM::Parameter');
  return JSON.parse(JSON.stringify(value), (_, part) => {
    const [id, attribute] = part?.['Fn::GetAtt'] ?? [];
    const output = attribute === 'Value' ? parameters[id]?.['Properties'].Value['Fn::GetStackOutput'] : undefined;
    return output === undefined ? part : `${output.StackName}.${output.OutputName} of ${output.Region}`;
  });
}

/** Settings with a custom domain and its certificate. */
export const domain = (name: string) => ({
  name,
  certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/a',
});

/** Returns the IAM rights of each of the project's roles, by logical ID. */
export function rightsByRole(template: Template): Record<string, Statement[]> {
  expect(ownResources(template, 'AWS::IAM::Policy')).toEqual({});
  expect(template.findResources('AWS::IAM::ManagedPolicy')).toEqual({});
  const roles = Object.entries(ownResources(template, 'AWS::IAM::Role')).map(([id, { Properties }]) => {
    expect(Properties.ManagedPolicyArns).toBeUndefined();
    const policies: { PolicyDocument: { Statement: Record<string, unknown>[] } }[] = Properties.Policies;
    return [id, policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement.map(readStatement))];
  });
  return Object.fromEntries(roles);
}

export function readStatement(statement: Record<string, unknown>): Statement {
  return {
    Effect: String(statement['Effect']),
    Action: [statement['Action']].flat().map(String),
    Resource: [statement['Resource']].flat().map((part) => (typeof part === 'string' ? part : JSON.stringify(part))),
    Condition: statement['Condition'],
  };
}
