import { describe, expect, test } from 'vitest';
import { isForConsumer, streamConsumers } from '../../../../lib/domain/changes/stream-consumers.ts';
import { entitiesWithoutConsequence } from '../../../../lib/domain/changes/table-changes.ts';
import { entitiesOfDataAccess } from '../../../../lib/domain/data/cached-data.ts';

const isRead = (entity: unknown) => ({
  byRevocations: isForConsumer(streamConsumers['propagate-access-change'], entity),
  byTheOther: isForConsumer(streamConsumers['follow-changes'], entity),
});

describe('the stream consumers', () => {
  test('are at most the two readers that a shard supports', () => {
    expect(Object.keys(streamConsumers)).toHaveLength(2);
  });

  test.each([...entitiesOfDataAccess, 'service_account_key'])(
    'include the revocations consumer for a change of %s',
    (entity) => {
      expect(isRead(entity).byRevocations).toBe(true);
    },
  );

  test.each(['refused_sign_in', 'trusted_workflow', 'membership', 'key_expiry_marker', 'news'])(
    'include only the other consumer for a change of %s',
    (entity) => {
      expect(isRead(entity)).toEqual({ byRevocations: false, byTheOther: true });
    },
  );

  test.each([...entitiesWithoutConsequence, undefined, 7])('exclude a change of %s', (entity) => {
    expect(isRead(entity)).toEqual({ byRevocations: false, byTheOther: false });
  });
});
