import { expect, test } from 'vitest';
import { auditKindSchema } from '../../../lib/domain/changes/audit.ts';
import {
  groupEvents,
  kindLabels,
  pathOfSubject,
  sentenceOf,
  sentences,
  valueName,
} from '../../../site/console/audit-trail/descriptions.ts';

test('a value has the same label as in other views, and an ID is unchanged', () => {
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

test('every kind of event has a sentence without codes', () => {
  expect(Object.keys(sentences).toSorted()).toEqual(auditKindSchema.options.toSorted());
  for (const kind of auditKindSchema.options) {
    const words = sentenceOf({ kind, subject: {} }).map((piece) => ('text' in piece ? piece.text : 'x'));
    expect(words.join(''), kind).toMatch(/^[A-Za-z][A-Za-z ,:-]*$/);
  }
});

test('a sentence names the fields of its event, and leaves out parts without a field', () => {
  const words = (kind: keyof typeof sentences, subject: Record<string, string>) =>
    sentenceOf({ kind, subject })
      .map((piece) => ('text' in piece ? piece.text : `<${piece.value}>`))
      .join('');
  expect(words('membership.invited', { account_id: 'ben', role: 'owners' })).toBe('invited <ben> as <owners>');
  expect(words('membership.invited', { account_id: 'ben', repository_id: 'gauges' })).toBe(
    'invited <ben> to the repository <gauges>',
  );
  expect(words('data_credentials.issued', { to: 'page', repository_id: 'gauges' })).toBe(
    'opened files of the repository <gauges>',
  );
  // A text from an event must never be used as a template.
  expect(words('repository.disabled', { repository_id: 'a', reason: '{role} [x]' })).toBe(
    'disabled the repository <a>: <{role} [x]>',
  );
});

test('successive equal events of one actor are one group', () => {
  const event = (minute: number, repository_id: string, account_id = 'ada') => ({
    event_id: String(minute),
    time: `2026-03-01T00:0${minute}:00.000Z`,
    kind: 'data_credentials.issued' as const,
    account_id: 'tides',
    actor: { account_id, account_name: null },
    subject: { repository_id, to: 'page' },
    request_id: '',
  });
  const events = [event(5, 'a'), event(4, 'a'), event(3, 'b'), event(2, 'a'), event(1, 'a', 'ben')];
  expect(groupEvents(events).map(({ event_id, repeats }) => [event_id, repeats])).toEqual([
    ['5', { count: 2, since: '2026-03-01T00:04:00.000Z' }],
    ['3', undefined],
    ['2', undefined],
    ['1', undefined],
  ]);
});
