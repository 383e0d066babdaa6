import { App } from 'aws-cdk-lib';
import { bundleFunctions } from '../lib/stacks/bundle.ts';
import { parseConfig } from '../lib/stacks/config.ts';
import { addStacks } from '../lib/stacks/deployment.ts';
import { edgeConfig } from '../lib/stacks/names.ts';
import settings from '../sluice.config.ts';

const app = new App();
const config = parseConfig(settings, app.node.tryGetContext('sluice'));
addStacks(app, config, await bundleFunctions(edgeConfig(config)));
app.synth();
