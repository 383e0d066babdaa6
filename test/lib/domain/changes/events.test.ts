import { describe, expect, test } from 'vitest';
import { type EventType, eventSchemas, eventsOf } from '../../../../lib/domain/changes/events.ts';
import type { DeliveredChange } from '../../../../lib/domain/changes/table-changes.ts';
import { dueMarkerOf, expiryEventOf, expiryMarkersOf } from '../../../../lib/domain/service-accounts/key-expiry.ts';

type Item = Record<string, unknown>;
const time = Date.UTC(2026, 10, 21, 10);
const day = 86_400_000;

const change = (before: Item | undefined, after: Item | undefined, rest: Partial<DeliveredChange> = {}) => ({
  changeId: '7',
  changedAt: time,
  byTtl: false,
  before,
  after,
  ...rest,
});

const serviceKey = {
  pk: 'SERVICE_KEY#hash-of-key',
  sk: 'SERVICE_KEY',
  entity: 'service_account_key',
  key_hash: 'hash-of-key',
  key_id: 'key-1',
  service_account_id: 'tide-institute--sync',
  service_account_uid: 'uid-secret',
  label: 'nightly',
  expires_at: '2026-12-21T10:00:00.000Z',
  revoked_at: null,
  created_at: '2026-11-21T10:00:00.000Z',
};
const revokedKey = { ...serviceKey, revoked_at: '2026-11-22T10:00:00.000Z' };
const apiKey = {
  entity: 'api_key',
  access_key_id: 'SCAKABCDEFGHIJKLMNOP',
  account_id: 'tide-institute',
  name: 'reader',
  expires: '2026-12-21T10:00:00.000Z',
  created_at: '2026-11-21T10:00:00.000Z',
  disabled: false,
};
const serviceAccount = {
  entity: 'service_account',
  account_id: 'tide-institute--sync',
  service_account_id: 'tide-institute--sync',
  uid: 'uid-secret',
  disabled: false,
};
const workflow = {
  entity: 'trusted_workflow',
  workflow_id: 'workflow-1',
  service_account_id: 'tide-institute--sync',
  service_account_uid: 'uid-secret',
  issuer: 'https://ci.example.org',
  subject: 'repo:tide-institute/pipelines:ref:refs/heads/main',
};
const membership = {
  entity: 'membership',
  membership_id: 'membership-1',
  account_id: 'grace',
  membership_account_id: 'tide-institute',
  role: 'read_data',
  state: 'invited',
};
const account = { entity: 'account', account_id: 'tide-institute', account_type: 'organization', disabled: false };
const repository = { entity: 'repository', account_id: 'tide-institute', repository_id: 'raw-drafts', disabled: false };
const withMode = (data_mode: string) => ({ ...repository, data_mode });
const newWorkflow = { ...workflow, workflow_id: 'workflow-2' };
const disabled = (item: Item) => ({ ...item, disabled: true });

const pins = { repository_id: '1001', repository_owner_id: '77', pinned_at: '2026-11-21T10:00:00.000Z' };
const pinnedWorkflow = { ...workflow, pinned: pins };

const changes: [what: string, before: Item | undefined, after: Item | undefined, types: EventType[]][] = [
  ['a key is issued', undefined, serviceKey, []],
  ['a key is used', serviceKey, { ...serviceKey, last_used_at: '2026-11-21T11:00:00.000Z' }, []],
  ['a key is revoked', serviceKey, revokedKey, ['key.revoked']],
  ['a live key is found', serviceKey, { ...revokedKey, revoked_by: 'found' }, ['key.revoked', 'key.found_in_public']],
  [
    'a revoked key is reported',
    revokedKey,
    { ...revokedKey, found_time: '2026-11-23T10:00:00.000Z', found_at: 'https://forge.example.org/a' },
    ['key.found_in_public'],
  ],
  ['a key is deleted with its account', serviceKey, undefined, []],
  ['an API key is revoked', apiKey, disabled(apiKey), ['api_key.revoked']],
  ['a revoked API key is cleaned up', disabled(apiKey), undefined, []],
  ['a service account is created', undefined, serviceAccount, []],
  ['a service account is disabled', serviceAccount, disabled(serviceAccount), ['service_account.disabled']],
  ['a service account is enabled', disabled(serviceAccount), serviceAccount, ['service_account.enabled']],
  ['a service account is deleted', serviceAccount, undefined, ['service_account.deleted']],
  ['a service account counts a grant', serviceAccount, { ...serviceAccount, grant_count: 1 }, []],
  ['a workflow is trusted', undefined, workflow, ['workflow.trusted']],
  ['a workflow is pinned', workflow, pinnedWorkflow, ['workflow.pinned']],
  ['a pinned workflow changes otherwise', pinnedWorkflow, { ...pinnedWorkflow, subject: 'another' }, []],
  ['a workflow is removed', workflow, undefined, ['workflow.removed']],
  ['a workflow replaces one of a deleted account', workflow, newWorkflow, ['workflow.trusted', 'workflow.removed']],
  ['somebody is invited', undefined, membership, ['membership.invited']],
  ['an invitation is accepted', membership, { ...membership, state: 'member' }, ['membership.accepted']],
  ['the first owner comes with the organization', undefined, { ...membership, state: 'member' }, []],
  ['an invitation is withdrawn', membership, { ...membership, state: 'revoked' }, ['membership.revoked']],
  ['a role changes', membership, { ...membership, role: 'owners' }, []],
  ['an account is disabled', account, disabled(account), ['account.disabled']],
  ['an account is enabled', disabled(account), account, ['account.enabled']],
  ['a profile changes', account, { ...account, profile: { name: 'Tides' } }, []],
  ['a repository is disabled', repository, disabled(repository), ['repository.disabled']],
  ['a repository is enabled', disabled(repository), repository, ['repository.enabled']],
  ['a repository is made private', withMode('open'), withMode('private'), ['repository.data_mode_changed']],
  ['a repository is deleted or transferred', repository, undefined, []],
  ['its deletion is noted', undefined, { ...repository, entity: 'deleted_repository' }, ['repository.deleted']],
  ['the note of a deletion expires', { ...repository, entity: 'deleted_repository' }, undefined, []],
];

test.each(changes)('publishes the matching events when %s', (_, before, after, types) => {
  expect(eventsOf(change(before, after)).map(({ type }) => type)).toEqual(types);
});

test('an event contains only the declared fields of the item', () => {
  expect(eventsOf(change(serviceKey, revokedKey))).toEqual([
    {
      event_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      type: 'key.revoked',
      time: '2026-11-21T10:00:00.000Z',
      detail: {
        account_id: 'tide-institute',
        service_account_id: 'tide-institute--sync',
        key_id: 'key-1',
        label: 'nightly',
        expires_at: '2026-12-21T10:00:00.000Z',
        revoked_at: '2026-11-22T10:00:00.000Z',
      },
    },
  ]);
});

test('no event contains a hash or an internal ID', () => {
  const text = JSON.stringify(changes.flatMap(([, before, after]) => eventsOf(change(before, after))));
  expect(text).not.toMatch(/hash-of-key|uid-secret|SERVICE_KEY|"pk"/);
});

test('a repeated change has the same event ID, and each other event has a new one', () => {
  const found = change(serviceKey, { ...revokedKey, revoked_by: 'found' });
  const idsOf = (changeId: string) => eventsOf({ ...found, changeId }).map(({ event_id }) => event_id);
  expect(idsOf('7')).toEqual(idsOf('7'));
  expect(new Set([...idsOf('7'), ...idsOf('8')]).size).toBe(4);
});

test('a membership event names the account that is the member and the one it belongs to', () => {
  expect(eventsOf(change(undefined, membership))[0]?.detail).toEqual({
    account_id: 'tide-institute',
    member_account_id: 'grace',
    membership_id: 'membership-1',
    role: 'read_data',
  });
});

test('every event has a description', () => {
  for (const schema of Object.values(eventSchemas)) expect(schema.meta()?.description).toMatch(/\w+ .*\.$/);
});

test('an item without the fields of its event causes an error', () => {
  const { service_account_id: _, ...damaged } = revokedKey;
  expect(() => eventsOf(change(serviceKey, damaged))).toThrow();
});

describe('the expiry markers', () => {
  const place = { pk: serviceKey.pk, sk: serviceKey.sk };
  const expires = Date.parse(serviceKey.expires_at);

  const both: [string, number][] = [
    ['expiring', expires - 7 * day],
    ['expired', expires],
  ];

  test.each<[string, Item | undefined, [string, number][]]>([
    ['of a key that expires', serviceKey, both],
    ['of an API key that expires', apiKey, both],
    [
      'of a key created less than a week before its expiry',
      { ...apiKey, created_at: '2026-12-15T10:00:00.000Z' },
      [['expired', expires]],
    ],
    ['of a key that never expires', { ...serviceKey, expires_at: null }, []],
    ['of a revoked key', revokedKey, []],
    ['of a revoked API key', disabled(apiKey), []],
    ['of a deleted key', undefined, []],
  ])('%s have the expected due times', (_, item, markers) => {
    expect(expiryMarkersOf(item, place).map(({ marks, due_at }) => [marks, due_at])).toEqual(markers);
  });

  const [expiring, expired] = expiryMarkersOf(serviceKey, place);
  const lasting = { ...serviceKey, expires_at: '2027-01-01T00:00:00.000Z' };

  test.each<[string, 'expiring' | 'expired', Item | undefined, number, EventType | undefined]>([
    ['seven days ahead', 'expiring', serviceKey, expires - 7 * day, 'key.expiring'],
    ['up to the last moment', 'expiring', serviceKey, expires - 1, 'key.expiring'],
    ['after the expiry', 'expiring', serviceKey, expires, undefined],
    ['earlier than seven days ahead', 'expiring', serviceKey, expires - 7 * day - 1, undefined],
    ['at the time of expiry', 'expired', serviceKey, expires, 'key.expired'],
    ['two days later', 'expired', serviceKey, expires + 2 * day, 'key.expired'],
    ['just before the expiry', 'expired', serviceKey, expires - 1, undefined],
    ['for a revoked key', 'expired', revokedKey, expires, undefined],
    ['for a deleted key', 'expired', undefined, expires, undefined],
    ['for a key with a later expiry', 'expired', lasting, expires, undefined],
    ['for a key without an expiry', 'expired', { ...serviceKey, expires_at: null }, expires, undefined],
  ])('cause the right event, or none: %s', (_, marks, item, now, type) => {
    const marker = marks === 'expiring' ? expiring : expired;
    expect(marker && expiryEventOf(marker, item, now)?.type).toBe(type);
  });

  test('cause an event only when their time to live has expired', () => {
    const item = { ...expired, pk: serviceKey.pk, sk: 'KEY_EXPIRED' };
    expect(dueMarkerOf(change(item, undefined, { byTtl: true }))).toEqual(expired);
    expect(dueMarkerOf(change(item, undefined))).toBeUndefined();
    expect(dueMarkerOf(change(undefined, item, { byTtl: true }))).toBeUndefined();
    expect(dueMarkerOf(change(serviceKey, undefined, { byTtl: true }))).toBeUndefined();
  });
});
