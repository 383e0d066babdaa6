import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/service/engine.ts'],
    pool: 'forks',
    // Vitest leaves one of two cores idle by default.
    maxWorkers: 2,
    // It imports JSON as only bundlers let it.
    server: { deps: { inline: ['@actions/workflow-parser'] } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // The secrets in the environment of whoever runs the tests must not reach the AWS clients under test.
    env: { AWS_EC2_METADATA_DISABLED: 'true', AWS_REGION: 'us-east-1' },
  },
});
