import { stepTransfers } from './fixtures/client-steps.ts';
import { findPythonClient } from './fixtures/python-clients.ts';
import { describeTransfers, type Transfers } from './fixtures/transfers.ts';

const sentence = 'The repository does not exist or these credentials do not allow this';

/** Libraries that open, read, and write objects as files. */
const libraries: [name: string, of: Partial<Transfers>, read: RegExp, write: RegExp][] = [
  [
    'pyarrow',
    // pyarrow uploads parts of 10 MiB.
    { partsOfLarge: 2, emptySegments: { cannot: 'pyarrow refuses //' } },
    /ACCESS_DENIED during HeadObject/,
    new RegExp(`ACCESS_DENIED.*${sentence}`),
  ],
  [
    'obstore',
    { emptySegments: { cannot: 'object_store refuses //' } },
    new RegExp(`403 Forbidden.*${sentence}`, 's'),
    new RegExp(`403 Forbidden.*${sentence}`, 's'),
  ],
  ['s3fs', {}, new RegExp(`PermissionError ${sentence}`), new RegExp(`PermissionError ${sentence}`)],
  [
    'smart_open',
    { copy: { cannot: 'smart_open opens and lists' }, remove: { cannot: 'smart_open opens and lists' } },
    new RegExp(`AccessDenied.*${sentence}`),
    new RegExp(`AccessDenied.*${sentence}`),
  ],
];

for (const [name, of, read, write] of libraries) {
  const client = findPythonClient(name, 'tools');
  const program = {
    client,
    args: [`test/clients/python/${name}_steps.py`],
    // By default, object_store refuses URLs without TLS.
    env: ({ settings }: { settings: Record<string, string> }) => ({
      ...settings,
      PYTHONUTF8: '1',
      AWS_ALLOW_HTTP: 'true',
    }),
  };
  describeTransfers(client, stepTransfers(program, { partsOfLarge: 3, refused: { read, write }, ...of }));
}
