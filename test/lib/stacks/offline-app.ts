import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import type { Operation } from '../../../lib/operations/operation.ts';
import { registry } from '../../../lib/operations/registry.ts';
import { currentPlacements, type Placements } from '../../../lib/stacks/api-operations.ts';
import { type FunctionBundles, functionFiles } from '../../../lib/stacks/bundle.ts';
import { parseConfig } from '../../../lib/stacks/config.ts';
import { addStacks, type Deployment } from '../../../lib/stacks/deployment.ts';

/** Returns the context of cdk.json: the flags of a real deployment, including those of the validator. */
export function cdkContext(): Record<string, unknown> {
  return JSON.parse(readFileSync('cdk.json', 'utf8')).context;
}

export interface Synthesis {
  settings: object;
  isValidated?: boolean;
  operations?: readonly Operation[];
  placements?: Placements;
}

/** Adds all stacks to an app, with one line of code for each function. */
export function withApp<T>(
  { settings, isValidated = false, operations = registry, placements = currentPlacements }: Synthesis,
  use: (app: App, stacks: Deployment) => T,
): T {
  const directory = mkdtempSync(path.join(tmpdir(), 'sluice-stacks-'));
  try {
    const app = new App({
      context: cdkContext(),
      outdir: path.join(directory, 'out'),
      builtinCloudFormationValidation: isValidated,
    });
    const bundles = emptyBundles(path.join(directory, 'code'), operations);
    const site = {
      entries: { console: { script: 'console-a.js', preloads: [] } },
      directory: path.join(directory, 'code'),
    };
    return use(app, addStacks(app, parseConfig(settings), bundles, site, operations, placements));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function emptyBundles(directory: string, operations: readonly Operation[]): FunctionBundles {
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'index.cjs'), 'exports.handler = async () => {};\n');
  const functions = [...functionFiles(), ...operations];
  return new Map(
    functions.map(({ name, group }) => [name, { name, group, directory, bytes: 0, lateParts: [], inputs: [] }]),
  );
}
