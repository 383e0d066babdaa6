import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

const resourceSchema = z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).optional() });
const templateSchema = z.object({ Resources: z.record(z.string(), resourceSchema) });

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      environment: z.string().optional(),
      properties: z
        .object({ templateFile: z.string().optional(), requiresBootstrapStackVersion: z.number().optional() })
        .optional(),
    }),
  ),
});

export interface StackToDeploy {
  name: string;
  region: string;
  resources: readonly z.infer<typeof resourceSchema>[];
}

export interface Assembly {
  stacks: readonly StackToDeploy[];
  /** The minimum version of the CDK bootstrap stack in each region. */
  bootstrapVersion: number;
}

/** Reads the CloudFormation templates that `npm run synth` has written. */
export function readAssembly(directory: string): Assembly {
  const read = (file: string): unknown => JSON.parse(readFileSync(path.join(directory, file), 'utf8'));
  const artifacts = Object.entries(manifestSchema.parse(read('manifest.json')).artifacts);
  const stacks = artifacts.flatMap(([name, { type, environment = '', properties }]) => {
    const file = properties?.templateFile;
    if (type !== 'aws:cloudformation:stack' || file === undefined) return [];
    const { Resources } = templateSchema.parse(read(file));
    return [{ name, region: environment.split('/').at(-1) ?? '', resources: Object.values(Resources) }];
  });
  const versions = artifacts.map(([, { properties }]) => properties?.requiresBootstrapStackVersion ?? 0);
  return { stacks, bootstrapVersion: Math.max(...versions) };
}
