import { expect, test } from 'vitest';
import { auditKindSchema } from '../../../lib/domain/changes/audit.ts';
import { kindLabels, pathOfSubject, valueName } from '../../../site/console/audit-trail/descriptions.ts';

test('a value has the label of the other views, and an ID is unchanged', () => {
  expect(valueName('role', 'write_data')).toBe('Writer');
  expect(valueName('access', 'read_write')).toBe('Read and write');
  expect(valueName('data_mode', 'private')).toBe('Private');
  for (const [name, value] of [
    ['repository_id', 'private'],
    ['role', 'later'],
    ['role', 'toString'],
  ] as const)
    expect(valueName(name, value)).toBe(value);
});

test('every kind of event has a sentence, and IDs link to their resource', () => {
  expect(Object.keys(kindLabels).toSorted()).toEqual(auditKindSchema.options.toSorted());
  const path = (name: string, value: string, subject = {}) => pathOfSubject(name, value, subject, 'tides');
  expect(path('repository_id', 'gauges')).toBe('/repositories/tides/gauges');
  expect(path('repository_id', 'gauges', { account_id: 'others' })).toBe('/repositories/others/gauges');
  expect(path('repository_id', 'gauges', { account_id: 'ben', membership_id: 'm' })).toBe('/repositories/tides/gauges');
  expect(path('repository', 'tides/gauges')).toBe('/repositories/tides/gauges');
  expect(path('service_account_id', 'tides--sync')).toBe('/accounts/tides/service-accounts/sync');
  expect(path('service_account_id', 'platform')).toBeUndefined();
  expect(path('data_connection_id', 'store')).toBe('/data-connections/store');
  expect(path('subject', 'javascript:alert(1)')).toBeUndefined();
  expect(path('account_id', '../../x?y')).toBe('/accounts/..%2F..%2Fx%3Fy');
});
