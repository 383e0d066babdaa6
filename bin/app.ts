import { App } from 'aws-cdk-lib';
import { bundleFunctions } from '../lib/stacks/bundle.ts';
import { ConfigError, parseConfig } from '../lib/stacks/config.ts';
import { addStacks } from '../lib/stacks/deployment.ts';
import { edgeConfig } from '../lib/stacks/names.ts';
import settings from '../sluice.config.ts';

const app = new App();
const config = readConfig();
addStacks(app, config, await bundleFunctions(edgeConfig(config)));
app.synth();

function readConfig() {
  try {
    return parseConfig(settings, app.node.tryGetContext('sluice'));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
