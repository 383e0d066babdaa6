import { describe, expect, test } from 'vitest';
import { awsClis, awsTransfers, readsEndpointSettings, runAws } from './fixtures/aws-cli.ts';
import { clientFixture } from './fixtures/client-fixture.ts';
import { describeTransfers } from './fixtures/transfers.ts';

describe.each(awsClis)('$title', (aws) => {
  describeTransfers(aws, awsTransfers(aws));
});

const current = awsClis.filter(readsEndpointSettings);

describe.skipIf(current.length === 0)('an AWS CLI that reads the endpoint settings', { timeout: 120_000 }, () => {
  const fixture = clientFixture();

  test.each(current)('$title reports a refusal in the same form as one of AWS', async (aws) => {
    const place = ['--bucket', 'tide-institute', '--key', 'nothing/here', '/dev/null'];
    await expect(runAws(aws, fixture, 's3api', 'get-object', ...place)).rejects.toThrow(
      /An error occurred \(AccessDenied\) when calling the GetObject operation: The repository does not exist/,
    );
  });
});
