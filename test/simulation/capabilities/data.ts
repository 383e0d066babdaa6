import { limits } from '../../../lib/domain/limits.ts';
import type { Repository } from '../../model/data-set.ts';
import { type Capability, manage, type StepContext } from '../capability.ts';
import type { Credential } from '../history.ts';
import { type Answered, edgeCount } from '../service.ts';

/** The bound of a revocation while everything works (docs/concepts/revocation.md). */
export const calmBoundSeconds = 15;

export const objectKeys = ['object', 'a/b', 'c'] as const;

/** Sends a request for an object, and records the response for the model. */
export async function request(
  context: StepContext,
  {
    credential,
    repository,
    isWrite,
    edge,
    label = '',
    key = 'object',
    version,
  }: {
    credential: Credential;
    repository: Pick<Repository, 'account' | 'id'>;
    isWrite: boolean;
    edge: number;
    label?: string;
    key?: string;
    /** The name of the version to read. */
    version?: string;
  },
): Promise<Pick<Answered, 'status' | 'body'> | undefined> {
  const { kernel, service, step, tell, observations, operations, isCalm, violations, locations, history } = context;
  const named = version === undefined ? repository.id : `${repository.id}@${version}`;
  const words = `${credential.name} ${isWrite ? 'writes to' : 'reads'} ${repository.account}/${named}/${key} at edge ${edge}`;
  const sending = { label: `${step.id}${label}`, fault: step.fault };
  const path = `/${repository.account}/${named}/${key}`;
  const { task, status, body, location } = await service.object(
    sending,
    edge,
    isWrite ? 'PUT' : 'GET',
    path,
    credential.signing,
    `step ${step.id}${label}`,
  );
  tell(`${words} → ${status ?? 'no response'}`);
  const name = `${isWrite ? 'write' : 'read'}${version === undefined ? '' : ' of a version'} ${status}`;
  operations.set(name, (operations.get(name) ?? 0) + 1);
  if (isCalm && (status === undefined || status >= 500))
    violations.push({ checker: 'without faults, the service answers', step: step.id, words: `${words}: ${status}` });
  if (status === undefined || status >= 500) return undefined;
  const boundSeconds = isWrite ? limits.writeAuthorizationTtlSeconds : limits.readAuthorizationTtlSeconds;
  const target = { account: repository.account, repository: repository.id };
  const expiresAt = credential.expiresAt ?? Number.POSITIVE_INFINITY;
  if (task.startedAt > expiresAt - 60_000) return { status, body };
  observations.push({
    kind: 'data',
    step: step.id,
    words,
    ask: () => {
      const caller = credential.callerIn(history);
      return caller && { caller, operation: isWrite ? 'write' : 'read', target, input: {} };
    },
    startedAt: task.startedAt,
    endedAt: kernel.now,
    status: status < 300 || version !== undefined ? status : 403,
    boundSeconds: isCalm ? calmBoundSeconds : boundSeconds,
  });
  // A version is stored where its repository is.
  if (location !== undefined && version === undefined) locations.push({ location, name: path, step: step.id });
  return { status, body };
}

const use = (isWrite: boolean) => async (context: StepContext) => {
  const credential = context.pick(context.credentials);
  const repository = context.pick([...context.dataSet.repositories, { account: 'tides', id: 'closed' }]);
  const edge = context.pick([...Array(edgeCount).keys()]) ?? 0;
  if (credential !== undefined && repository !== undefined)
    await request(context, { credential, repository, isWrite, edge, key: context.pick(objectKeys) ?? 'object' });
};

async function createApiKey(context: StepContext) {
  const answered = await manage(context, {
    words: 'ben creates an API key',
    identity: 'ben',
    operation: 'POST /accounts/{account_id}/api-keys',
    target: { account: 'ben' },
    path: '/accounts/ben/api-keys',
    body: { name: 'simulation', expires: '2099-01-01T00:00:00Z' },
    isCreate: true,
    apply: (dataSet, written) => {
      const id = String(written('api_key')?.['access_key_id']);
      dataSet.keys.push({ id, account: 'ben', revoked: false, expired: false });
    },
  });
  if (answered?.status !== 201) return;
  const { access_key_id, secret_access_key } = answered.body;
  context.credentials.push(apiKeyOf(`API key of ben (step ${context.step.id})`, { access_key_id, secret_access_key }));
}

export function apiKeyOf(name: string, signing: { access_key_id: string; secret_access_key: string }): Credential {
  return { name, signing, callerIn: () => ({ kind: 'key', id: signing.access_key_id }) };
}

async function revokeApiKey(context: StepContext) {
  const key = context.pick(context.dataSet.keys);
  const identity = context.pick(['ben', 'ben', 'admin', 'cyd'] as const) ?? 'ben';
  if (key === undefined) return;
  await manage(context, {
    words: `${identity} revokes the API key ${key.id.slice(0, 8)} of ben`,
    identity,
    operation: 'DELETE /api-keys/{access_key_id}',
    target: { key: key.id },
    path: `/api-keys/${key.id}`,
    apply: (dataSet) => {
      const found = dataSet.keys.find(({ id }) => id === key.id);
      if (found !== undefined) found.revoked = true;
    },
  });
}

export const data: Capability = {
  name: 'data and API keys',
  actions: {
    read: { weight: 20, run: use(false) },
    write: { weight: 20, run: use(true) },
    'create API key': { weight: 2, run: createApiKey },
    'revoke API key': { weight: 2, run: revokeApiKey },
  },
  stored: (items) =>
    items.flatMap(({ entity, access_key_id, disabled }) =>
      entity === 'api_key' ? [`API key ${access_key_id} ${disabled}`] : [],
    ),
  modeled: ({ keys }) => keys.map(({ id, revoked }) => `API key ${id} ${revoked}`),
};
