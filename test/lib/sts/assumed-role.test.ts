import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { bytesToBase32Characters } from '../../../lib/domain/secrets/base62.ts';
import { accountIdOfSession, assumedRoleArn, assumedRoleId } from '../../../lib/sts/assumed-role.ts';

const user = { kind: 'user', account_id: 'ada' } as const;
const service = { kind: 'service_account', service_account_id: 'tides--sync', service_account_uid: 'uid-1' } as const;

test.each([
  ['a user', user, 'ada', 'of ada'],
  ['a service account', service, 'tides--sync', 'uid-1'],
] as const)('the session of %s has the ID of its account', (_, holder, accountId, unique) => {
  const session = { holder, role: 'ReadOnly', session_name: 'a-job' } as const;
  expect(accountIdOfSession(session)).toBe(accountId);
  expect(assumedRoleArn(session)).toBe(`arn:aws:sts::${accountId}:assumed-role/ReadOnly/a-job`);
  const digest = createHash('sha256').update(`sluice role ${unique} ReadOnly`).digest().subarray(0, 16);
  expect(assumedRoleId(session)).toBe(`SCRA${bytesToBase32Characters(digest)}:a-job`);
});
