import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awsClis, awsTransfers, readsEndpointSettings, runAws } from './aws-cli.ts';
import { type ClientWorld, schemes, startClientWorld } from './client-world.ts';
import { describeTransfers } from './transfers.ts';

describe.each(awsClis)('$title', (aws) => {
  describeTransfers(aws, awsTransfers(aws));
});

const current = awsClis.filter(readsEndpointSettings);

describe.skipIf(current.length === 0).each(schemes)(
  'an AWS CLI that reads the endpoint settings, over %s',
  (scheme) => {
    let world: ClientWorld;
    beforeAll(async () => {
      world = await startClientWorld(scheme);
    });
    afterAll(() => world.close());

    test.each(current)('$title signs in with the five settings', async (aws) => {
      expect(JSON.parse(await runAws(aws, world, 'sts', 'get-caller-identity', '--output', 'json'))).toMatchObject({
        Account: 'tide-institute--nightly-sync',
      });
    });

    test.each(current)('$title tells of a refusal as it does of those of AWS', async (aws) => {
      const place = ['--bucket', 'tide-institute', '--key', 'nothing/here', '/dev/null'];
      await expect(runAws(aws, world, 's3api', 'get-object', ...place)).rejects.toThrow(
        /An error occurred \(AccessDenied\) when calling the GetObject operation: The repository does not exist/,
      );
    });
  },
);
