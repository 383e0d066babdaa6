import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { AuditEvent, AuditKind } from '../../../lib/domain/changes/audit.ts';
import { registry } from '../../../lib/operations/registry.ts';
import type { Answer } from '../../service/test-service.ts';
import { made } from '../users.ts';
import {
  type NewServiceAccount,
  organization,
  privateRepository,
  ciRepository as repository,
  serviceAccountFixture,
} from './fixture.ts';

const service = await serviceAccountFixture();
let account: NewServiceAccount;
let keyId: string;
let workflowId: string;
beforeAll(async () => {
  account = await service.newServiceAccount();
});

const trail = async (): Promise<AuditEvent[]> =>
  (await made(service.ada('GET', `/accounts/${organization}/audit-events`))).body;

interface Change {
  kind: AuditKind;
  make(): Promise<Answer>;
  /** Further subject fields of the event, in addition to the service account. */
  subject?: () => Record<string, string>;
  /** True when a repeated request succeeds without a change. */
  isRepeatable?: true;
}

/** Changes in an order in which each succeeds. */
const changes: Record<string, Change> = {
  'create-service-account': {
    kind: 'service_account.created',
    make: async () => {
      const answer = await service.ada('POST', `/accounts/${organization}/service-accounts`, { name: 'in-the-trail' });
      account = {
        ...account,
        id: answer.body.service_account_id,
        path: `/service-accounts/${answer.body.service_account_id}`,
      };
      return answer;
    },
  },
  'update-service-account': {
    kind: 'service_account.updated',
    make: () => service.ada('PATCH', account.path, { description: 'nightly' }),
  },
  'update-service-account-settings': {
    kind: 'service_account.updated',
    make: () => service.ada('PATCH', `${account.path}/settings`, { federated_only: true }),
    subject: () => ({ federated_only: 'true' }),
  },
  'put-grant': {
    kind: 'grant.set',
    make: () => service.ada('PUT', `${account.path}/grants/${privateRepository}`, { access: 'read_write' }),
    subject: () => ({ repository_id: privateRepository, access: 'read_write' }),
  },
  'remove-grant': {
    kind: 'grant.removed',
    make: () => service.ada('DELETE', `${account.path}/grants/${privateRepository}`),
    subject: () => ({ repository_id: privateRepository }),
  },
  'trust-workflow': {
    kind: 'workflow.trusted',
    make: async () => {
      const answer = await service.ada('POST', `${account.path}/trusted-workflows`, { repository, branch: 'main' });
      workflowId = answer.body.workflow_id;
      return answer;
    },
    subject: () => ({ workflow_id: workflowId }),
  },
  'remove-trusted-workflow': {
    kind: 'workflow.removed',
    make: () => service.ada('DELETE', `${account.path}/trusted-workflows/${workflowId}`),
    subject: () => ({ workflow_id: workflowId }),
  },
  'issue-service-account-key': {
    kind: 'service_account_key.issued',
    make: async () => {
      const answer = await service.ada('POST', `${account.path}/keys`, { label: 'a key', expiry: '30d' });
      keyId = answer.body.key_id;
      return answer;
    },
    subject: () => ({ key_id: keyId }),
  },
  'change-service-account-key-expiry': {
    kind: 'service_account_key.expiry_changed',
    make: () => service.ada('PUT', `${account.path}/keys/${keyId}/expiry`, { expiry: '1y' }),
    subject: () => ({ key_id: keyId, expiry: '1y' }),
  },
  'revoke-service-account-key': {
    kind: 'service_account_key.revoked',
    make: () => service.ada('DELETE', `${account.path}/keys/${keyId}`),
    subject: () => ({ key_id: keyId }),
    isRepeatable: true,
  },
  'disable-service-account': {
    kind: 'service_account.disabled',
    make: () => service.ada('POST', `${account.path}/disable`),
    isRepeatable: true,
  },
  'enable-service-account': {
    kind: 'service_account.enabled',
    make: () => service.ada('POST', `${account.path}/enable`),
    isRepeatable: true,
  },
  'delete-service-account': { kind: 'service_account.deleted', make: () => service.ada('DELETE', account.path) },
};

test('the table of operations contains every operation that changes a service account', () => {
  const changing = registry.filter(({ group, method }) => group === 'service-accounts' && method !== 'GET');
  expect(Object.keys(changes).sort()).toEqual(changing.map(({ name }) => name).sort());
});

describe('the audit trail of the owner has one event for', () => {
  test.each(Object.entries(changes))('%s', async (_, { kind, make, subject, isRepeatable }) => {
    const before = await trail();
    const { status, headers } = await make();
    expect(status).toBeLessThan(300);
    const event: AuditEvent & { actor: { account_name: string } } = {
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      kind,
      account_id: organization,
      actor: { account_id: 'ada', account_name: 'Ada' },
      subject: { service_account_id: account.id, ...subject?.() },
      request_id: headers.get('apigw-requestid') ?? 'none',
    };
    expect((await trail()).slice(0, -before.length)).toEqual([event]);
    if (isRepeatable) {
      expect((await make()).status).toBe(200);
      expect(await trail()).toHaveLength(before.length + 1);
    }
  });
});

test('the audit trail records the first sign-in of a workflow with its pinned IDs, and each role once a minute', async () => {
  const { id, path } = await service.newServiceAccount();
  const trusted = (await made(service.ada('POST', `${path}/trusted-workflows`, { repository, branch: 'main' }))).body;
  expect(trusted.pinned).toBeNull();
  // Moves the clock to the middle of a minute, because the sign-ins of one minute become one event.
  service.pass(90 - ((service.services.clock() / 1000) % 60));
  const signIn = async (role: string) => service.exchange(await service.runOn('main'), { serviceAccountId: id, role });
  for (const role of ['FullAccess', 'FullAccess', 'ReadOnly']) await signIn(role);

  const [listed] = (await made(service.ada('GET', `${path}/trusted-workflows`))).body;
  expect(listed.pinned).toEqual({
    repository_id: expect.stringMatching(/^\d+$/),
    repository_owner_id: expect.stringMatching(/^\d+$/),
    pinned_at: expect.stringMatching(/^\d{4}-/),
  });
  const subject = { service_account_id: id, workflow_id: trusted.workflow_id };
  await vi.waitFor(
    async () => {
      const events = (await trail()).filter(({ subject }) => subject['workflow_id'] === trusted.workflow_id);
      expect(events.map(({ kind }) => kind).sort()).toEqual([
        ...['data_credentials.issued', 'data_credentials.issued'],
        ...['workflow.pinned', 'workflow.trusted'],
      ]);
      const [pin] = events.filter(({ kind }) => kind === 'workflow.pinned');
      expect(pin).toMatchObject({
        time: listed.pinned.pinned_at,
        actor: { account_id: null },
        subject: {
          ...subject,
          pinned_repository_id: listed.pinned.repository_id,
          pinned_repository_owner_id: listed.pinned.repository_owner_id,
        },
      });
      const roles = events.filter(({ kind }) => kind === 'data_credentials.issued').map((event) => event.subject);
      expect(roles.map(({ role }) => role).sort()).toEqual(['FullAccess', 'ReadOnly']);
      for (const each of roles) expect(each).toEqual({ ...subject, role: expect.any(String), to: 'workflow' });
    },
    { timeout: 20_000, interval: 50 },
  );
});

test('the audit trail does not record a refused request or its caller', async () => {
  const before = await trail();
  const { path } = await service.newServiceAccount();
  const grace = await service.user('grace');
  for (const [method, below, body] of [
    ['POST', '/keys', { label: 'a key', expiry: '30d' }],
    ['POST', '/disable', undefined],
    ['DELETE', '', undefined],
  ] as const)
    expect((await grace(method, path + below, body)).status).toBe(403);
  const kinds = (await trail()).slice(0, -before.length).map(({ kind }) => kind);
  expect(kinds).toEqual(['grant.set', 'service_account.created']);
});
