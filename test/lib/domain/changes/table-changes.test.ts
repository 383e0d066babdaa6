import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../../../lib/domain/changes/events.ts';
import { bearsOnDataAccess } from '../../../../lib/domain/changes/revocation-feed.ts';
import { auditEventOf, entitiesWithoutConsequence, remainsOf } from '../../../../lib/domain/changes/table-changes.ts';
import { keyWithChangedExpiry } from '../../../../lib/domain/service-accounts/key-expiry.ts';
import { refusedSignInOf } from '../../../../lib/domain/service-accounts/refused-sign-ins.ts';

type Item = Record<string, unknown>;

const items = {
  account: { entity: 'account', disabled: false, profile: {}, flags: [] },
  service_account: {
    entity: 'service_account',
    uid: 'uid-1',
    service_account_id: 'tides--sync',
    disabled: false,
    grant_count: 0,
  },
  role: { entity: 'role', role: 'read_data', state: 'member' },
  repository: { entity: 'repository', disabled: false, data_mode: 'private', data: { primary_mirror: 'a' }, meta: {} },
  grant: { entity: 'grant', access: 'read_write' },
  api_key: { entity: 'api_key', disabled: false, expires: '2027-01-01T00:00:00.000Z' },
  data_connection: { entity: 'data_connection', read_only: false, details: { bucket: 'a' }, in_use: false },
} satisfies Record<string, Item>;

describe('a change affects data access', () => {
  test.each<[string, Item, Item]>([
    ['an account is disabled', items.account, { disabled: true }],
    ['an account is enabled', { ...items.account, disabled: true }, { disabled: false }],
    ['a service account is disabled', items.service_account, { disabled: true }],
    ['a service account was made anew', items.service_account, { uid: 'uid-2' }],
    ['a role changes', items.role, { role: 'write_data' }],
    ['an invitation is accepted', { ...items.role, state: 'invited' }, { state: 'member' }],
    ['a repository is disabled', items.repository, { disabled: true }],
    ['a repository is opened', items.repository, { data_mode: 'open' }],
    ['a repository is another one', items.repository, { uid: 'uid-2' }],
    ['a role is of another repository', items.role, { repository_uid: 'uid-2' }],
    ['a grant is of another repository', items.grant, { repository_uid: 'uid-2' }],
    ['a repository moves', items.repository, { data: { primary_mirror: 'b' } }],
    ['a grant is changed', items.grant, { access: 'read' }],
    ['an API key is revoked', items.api_key, { disabled: true }],
    ['a connection is made read-only', items.data_connection, { read_only: true }],
    ['a connection gets other credentials', items.data_connection, { sealed_authentication: 'sealed' }],
    ['a connection gets another region', items.data_connection, { details: { bucket: 'a', region: 'eu-west-1' } }],
  ])('when %s', (_, before, changes) => {
    expect(bearsOnDataAccess({ before, after: { ...before, ...changes } })).toBe(true);
  });

  test.each(Object.entries(items))('when a %s is created or deleted', (_, item) => {
    expect(bearsOnDataAccess({ before: item, after: undefined })).toBe(true);
    expect(bearsOnDataAccess({ before: undefined, after: item })).toBe(true);
  });
});

test.each<[string, Item, Item]>([
  ['a profile', items.account, { profile: { name: 'Tides' } }],
  ['flags', items.account, { flags: ['create_organizations'] }],
  ['a count of grants', items.service_account, { grant_count: 1 }],
  ['a description of a repository', items.repository, { meta: { title: 'Drafts' } }],
  ['the first use of a connection', items.data_connection, { in_use: true }],
  ['the last use of a key', { entity: 'service_account_key', last_used_at: null }, { last_used_at: 'now' }],
  ['a revoked key, which no instance remembers', { entity: 'service_account_key' }, { revoked_at: 'now' }],
  ['an item of an unknown kind', { entity: 'constructor' }, { disabled: true }],
  ['an item without a kind', {}, { disabled: true }],
])('%s does not affect data access', (_, before, changes) => {
  expect(bearsOnDataAccess({ before, after: { ...before, ...changes } })).toBe(false);
});

test.each(entitiesWithoutConsequence)('a change of %s never affects data access', (entity) => {
  const item = { ...items.account, ...items.api_key, revoked_at: null, uid: 'uid-1', key_id: 'key-1', entity };
  const changed = { ...item, disabled: true, revoked_at: '2026-11-21T10:00:00.000Z', revoked_by: 'found' };
  for (const [before, after] of [
    [undefined, item],
    [item, changed],
    [changed, undefined],
  ]) {
    const change = { before, after, changeId: '1', changedAt: 0, byTtl: true };
    expect(bearsOnDataAccess(change)).toBe(false);
    expect(eventsOf(change)).toEqual([]);
    expect([auditEventOf, remainsOf, keyWithChangedExpiry, refusedSignInOf].map((of) => of(change))).toEqual(
      Array(4).fill(undefined),
    );
  }
});

describe('cleanup after a deletion', () => {
  test('removes all items of a service account by its internal ID', () => {
    expect(remainsOf({ before: items.service_account, after: undefined })).toEqual({
      kind: 'of_service_account',
      uid: 'uid-1',
      service_account_id: 'tides--sync',
    });
  });

  test('removes the pointer of a key and its last use', () => {
    const names = { key_id: 'key-1', key_hash: 'hash-1' };
    const before = { entity: 'service_account_key', service_account_uid: 'uid-1', ...names };
    expect(remainsOf({ before, after: undefined })).toEqual({ kind: 'of_key', uid: 'uid-1', ...names });
  });

  test('removes the rights in a repository, after its deletion and after its transfer', () => {
    const place = { account_id: 'tides', repository_id: 'buoys' };
    const deleted = { entity: 'deleted_repository', ...place, uid: 'uid-1' };
    const of = { kind: 'of_repository', repository: { ...place, uid: 'uid-1' } };
    expect(remainsOf({ before: undefined, after: deleted })).toMatchObject(of);
    expect(remainsOf({ before: deleted, after: undefined })).toBeUndefined();
    const forwarding = { entity: 'repository_forwarding', ...place, former_uid: 'uid-1' };
    expect(remainsOf({ before: undefined, after: forwarding })).toEqual(of);
    expect(remainsOf({ before: { ...forwarding, former_uid: 'uid-0' }, after: forwarding })).toEqual(of);
    expect(remainsOf({ before: forwarding, after: { ...forwarding } })).toBeUndefined();
  });

  test('removes nothing while the item exists, and nothing of other items', () => {
    expect(remainsOf({ before: items.service_account, after: items.service_account })).toBeUndefined();
    expect(remainsOf({ before: items.account, after: undefined })).toBeUndefined();
  });
});

describe('the audit event of a leaked key', () => {
  const live = { entity: 'service_account_key', key_id: 'key-1', service_account_id: 'tide-institute--sync' };
  const found = { ...live, revoked_at: '2026-11-21T10:00:00.000Z', revoked_by: 'found' };

  test('has the ID of the key, so that repeated deliveries write one event', () => {
    expect(auditEventOf({ before: live, after: found })).toEqual({
      event_id: 'key-1',
      time: '2026-11-21T10:00:00.000Z',
      kind: 'service_account_key.revoked_as_found',
      account_id: 'tide-institute',
      actor: { account_id: null },
      subject: { service_account_id: 'tide-institute--sync', key_id: 'key-1' },
      request_id: '',
    });
  });

  test.each<[string, Item | undefined, Item | undefined]>([
    ['a later change of the same key', found, { ...found, last_used_at: 'now' }],
    ['a revocation by a manager', live, { ...live, revoked_at: '2026-11-21T10:00:00.000Z' }],
    ['its deletion', found, undefined],
  ])('is not created for %s', (_, before, after) => {
    expect(auditEventOf({ before, after })).toBeUndefined();
  });
});

describe('the audit event of a sign-in', () => {
  const signIn = {
    entity: 'sign_in',
    account_id: 'tide-institute',
    time: '2026-11-21T10:00:00.000Z',
    role: 'FullAccess',
    request_id: 'request-1',
    workflow: { service_account_id: 'tide-institute--sync', workflow_id: 'workflow-1' },
  };

  test('names the workflow of a CI job, and the user of a tool', () => {
    const event = { time: signIn.time, kind: 'data_credentials.issued', request_id: 'request-1' };
    expect(auditEventOf({ before: undefined, after: signIn })).toEqual({
      ...event,
      event_id: 'workflow-1-FullAccess',
      account_id: 'tide-institute',
      actor: { account_id: null },
      subject: { ...signIn.workflow, role: 'FullAccess', to: 'workflow' },
    });
    const { workflow: _, ...byTool } = { ...signIn, account_id: 'ada' };
    expect(auditEventOf({ before: undefined, after: byTool })).toEqual({
      ...event,
      event_id: 'tool-FullAccess',
      account_id: 'ada',
      actor: { account_id: 'ada' },
      subject: { role: 'FullAccess', to: 'tool' },
    });
  });

  test('is written only for a new record', () => {
    expect(auditEventOf({ before: signIn, after: { ...signIn, request_id: 'another' } })).toBeUndefined();
    expect(auditEventOf({ before: signIn, after: undefined })).toBeUndefined();
  });
});

describe('the audit event of a pin', () => {
  const trusted = {
    entity: 'trusted_workflow',
    workflow_id: 'workflow-1',
    service_account_id: 'tide-institute--sync',
    pinned: null,
  };
  const pinned = { repository_id: '1001', repository_owner_id: '77', pinned_at: '2026-11-21T10:00:00.000Z' };
  const pin = (before: Item | undefined, ids: Item | null) =>
    auditEventOf({ before, after: { ...trusted, pinned: ids } });

  test('shows the ids, and is the same when the stream replays it', () => {
    const event = pin(trusted, pinned);
    expect(event).toMatchObject({
      time: pinned.pinned_at,
      kind: 'workflow.pinned',
      account_id: 'tide-institute',
      actor: { account_id: null },
      subject: {
        service_account_id: 'tide-institute--sync',
        workflow_id: 'workflow-1',
        pinned_repository_id: '1001',
        pinned_repository_owner_id: '77',
      },
    });
    expect(pin(trusted, pinned)).toEqual(event);
  });

  test('does not hide other ids that are pinned at the same time', () => {
    const other = pin({ ...trusted, pinned }, { ...pinned, repository_id: '2002' });
    expect(other?.subject['pinned_repository_id']).toBe('2002');
    expect(other?.event_id).not.toBe(pin(trusted, pinned)?.event_id);
  });

  test.each<[string, Item | undefined, Item | null]>([
    ['a new workflow', undefined, null],
    ['another change of a pinned workflow', { ...trusted, pinned }, pinned],
  ])('is absent for %s', (_, before, ids) => {
    expect(pin(before, ids)).toBeUndefined();
  });
});
