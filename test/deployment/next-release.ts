import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { AttributeType } from 'aws-cdk-lib/aws-dynamodb';
import type { Operation } from '../../lib/operations/operation.ts';
import { getHealth } from '../../lib/operations/public.ts';
import { registry } from '../../lib/operations/registry.ts';
import { bundleFunctions, bundleOf, bundleSite } from '../../lib/stacks/bundle.ts';
import { parseConfig } from '../../lib/stacks/config.ts';
import { addStacks } from '../../lib/stacks/deployment.ts';
import { edgeConfig } from '../../lib/stacks/names.ts';

/** A CDK app of a release that has one more operation and one more index than this one. */
const operation: Operation = { ...getHealth, name: 'get-health-again', path: '/health-again' };

const app = new App();
const code = mkdtempSync(path.join(tmpdir(), 'sluice-functions-'));
try {
  const config = parseConfig({}, app.node.tryGetContext('sluice'));
  const bundles = await bundleFunctions(edgeConfig(config), path.join(code, 'functions'));
  const site = await bundleSite(path.join(code, 'site'));
  const withOperation = new Map([...bundles, [operation.name, bundleOf(bundles, getHealth.name)]]);
  const { data } = addStacks(app, config, withOperation, site, [...registry, operation]);
  data.table.addGlobalSecondaryIndex({
    indexName: 'next',
    partitionKey: { name: 'next_pk', type: AttributeType.STRING },
  });
  app.synth();
} finally {
  rmSync(code, { recursive: true });
}
