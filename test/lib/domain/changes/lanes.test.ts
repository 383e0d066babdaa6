import { describe, expect, test } from 'vitest';
import { isForLane, lanes } from '../../../../lib/domain/changes/lanes.ts';
import { entitiesWithoutConsequence } from '../../../../lib/domain/changes/table-changes.ts';
import { entitiesOfDataAccess } from '../../../../lib/domain/data/cached-facts.ts';

const isRead = (entity: unknown) => ({
  byRevocations: isForLane(lanes['propagate-access-change'], entity),
  byTheOther: isForLane(lanes['follow-changes'], entity),
});

describe('the lanes of the stream', () => {
  test('are two, since a shard bears no more', () => {
    expect(Object.keys(lanes)).toHaveLength(2);
  });

  test.each(entitiesOfDataAccess)('a change of %s is read by the lane of revocations', (entity) => {
    expect(isRead(entity).byRevocations).toBe(true);
  });

  test.each(['refused_sign_in', 'service_account_key', 'trusted_workflow', 'membership', 'key_expiry_marker', 'news'])(
    'a change of %s is read by the other one alone, however many there are',
    (entity) => {
      expect(isRead(entity)).toEqual({ byRevocations: false, byTheOther: true });
    },
  );

  test.each([...entitiesWithoutConsequence, undefined, 7])('a change of %s is read by none', (entity) => {
    expect(isRead(entity)).toEqual({ byRevocations: false, byTheOther: false });
  });
});
