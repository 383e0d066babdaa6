import { stepTransfers } from './fixtures/client-steps.ts';
import { boto3s } from './fixtures/python-clients.ts';
import { describeTransfers } from './fixtures/transfers.ts';

const refused = /AccessDenied.*The repository does not exist or these credentials do not allow this/;

for (const boto3 of boto3s) {
  const program = {
    client: boto3,
    args: ['test/clients/python/boto3_steps.py'],
    env: ({ settings }: { settings: Record<string, string> }) => ({ ...settings, PYTHONUTF8: '1' }),
  };
  // The client begins a download with a HEAD request, whose refusal has no message.
  describeTransfers(
    boto3,
    stepTransfers(program, { partsOfLarge: 3, refused: { read: /403.*Forbidden/, write: refused } }),
  );
}
