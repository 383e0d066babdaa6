import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { bundleFunctions, bundleSite } from '../lib/stacks/bundle.ts';
import { ConfigError, parseConfig } from '../lib/stacks/config.ts';
import { addStacks } from '../lib/stacks/deployment.ts';
import { edgeConfig } from '../lib/stacks/names.ts';
import settings from '../sluice.config.ts';

const app = new App();
// Use a unique folder. If two deployments run `cdk synth` at the same time, each would otherwise use the code of the
// other. The CDK copies the files out of this folder.
const code = mkdtempSync(path.join(tmpdir(), 'sluice-functions-'));
try {
  const config = parseConfig(settings, app.node.tryGetContext('sluice'));
  addStacks(
    app,
    config,
    await bundleFunctions(edgeConfig(config), path.join(code, 'functions')),
    await bundleSite(path.join(code, 'site'), config.site.logo),
  );
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(code, { recursive: true });
}
