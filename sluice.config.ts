import { defineConfig } from './lib/stacks/config.ts';

/**
 * The settings of this deployment. None is required: `npx cdk deploy --all` works without changes. Each setting is
 * described in docs/operating/configuration.md and at its declaration in lib/stacks/config.ts, which editors show.
 */
export default defineConfig({
  // homeRegion: 'eu-west-1',
  // apiDomain: { name: 'api.example.org', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/…' },
  // dataDomain: { name: 'data.example.org', certificateArn: 'arn:aws:acm:us-east-1:111111111111:certificate/…' },
  // adminIdentityIds: ['…'],
  // corsOrigins: ['https://app.example.org'],
  // alarmsEmail: 'operations@example.org',
});
