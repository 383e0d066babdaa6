import { describe, expect, test } from 'vitest';
import { isForConsumer, streamConsumers } from '../../../../lib/domain/changes/stream-consumers.ts';
import { entitiesWithoutConsequence } from '../../../../lib/domain/changes/table-changes.ts';
import { entitiesOfDataAccess } from '../../../../lib/domain/data/cached-data.ts';

const isRead = (entity: unknown) => ({
  byRevocations: isForConsumer(streamConsumers['propagate-access-change'], entity),
  byTheOther: isForConsumer(streamConsumers['follow-changes'], entity),
});

describe('the stream consumers', () => {
  test('are two, since a shard supports only two readers', () => {
    expect(Object.keys(streamConsumers)).toHaveLength(2);
  });

  test.each([...entitiesOfDataAccess, 'service_account_key'])(
    'a change of %s is read by the stream consumer of revocations',
    (entity) => {
      expect(isRead(entity).byRevocations).toBe(true);
    },
  );

  test.each(['refused_sign_in', 'trusted_workflow', 'membership', 'key_expiry_marker', 'news'])(
    'a change of %s is read only by the other stream consumer, for any number of changes',
    (entity) => {
      expect(isRead(entity)).toEqual({ byRevocations: false, byTheOther: true });
    },
  );

  test.each([...entitiesWithoutConsequence, undefined, 7])('a change of %s is read by none', (entity) => {
    expect(isRead(entity)).toEqual({ byRevocations: false, byTheOther: false });
  });
});
