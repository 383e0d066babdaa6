import { limits } from '../../../lib/domain/limits.ts';
import type { Repository } from '../../model/data-set.ts';
import { type Capability, manage, type StepContext } from '../capability.ts';
import type { Credential, Observation, WantedData } from '../history.ts';
import { type Answered, edgeCount } from '../service.ts';

/** The maximum time until a revocation takes effect when no fault occurs (docs/concepts/revocation.md). */
export const calmBoundSeconds = 15;

/** The number of reads of a client that polls. Without faults, the reads last longer than the bound of a revocation. */
const pollReads = 14;

export const objectKeys = ['object', 'a/b', 'a/c', 'ab', 'c'] as const;

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
  const { service, step, tell, operations, isCalm, violations, locations } = context;
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
  const read = credential.shows === undefined ? 'read' : 'read by a link';
  const counted = `${isWrite ? 'write' : version === undefined ? read : 'read of a version'} ${status}`;
  operations.set(counted, (operations.get(counted) ?? 0) + 1);
  if (isCalm && (status === undefined || status >= 500))
    violations.push({ checker: 'without faults, the service answers', step: step.id, words: `${words}: ${status}` });
  if (status === undefined || status >= 500) return undefined;
  observe(context, {
    ...{ credential, repository, words, startedAt: task.startedAt },
    operation: isWrite ? 'write' : 'read',
    object: key,
    version,
    status: status < 300 || version !== undefined ? status : 403,
  });
  const stored = location && decodeURIComponent(location.slice(location.indexOf('/') + 1));
  const isShown = credential.shows?.(stored ?? '') ?? true;
  if (stored !== undefined && (isWrite ? credential.shows !== undefined : !isShown))
    violations.push({
      checker: 'links: nothing outside a link is accessed',
      step: step.id,
      words: `${words}: ${stored}`,
    });
  // A version is stored at the location of its repository.
  if (location !== undefined && version === undefined) locations.push({ location, name: path, step: step.id });
  return { status, body };
}

/** Records the response of the data proxy for the model. */
function observe(
  { step, kernel, observations, isCalm, history }: StepContext,
  given: Pick<Observation, 'words' | 'startedAt' | 'status'> &
    Omit<WantedData, 'target'> & { credential: Credential; repository: Pick<Repository, 'account' | 'id'> },
): void {
  const { credential, repository, operation, object, version, startedAt, ...answered } = given;
  const target = { account: repository.account, repository: repository.id };
  const beyondEnd = startedAt - (credential.expiresAt ?? Number.POSITIVE_INFINITY);
  // The clocks of nodes differ, so both answers are correct shortly before and after the credentials expire.
  if (Math.abs(beyondEnd) <= 60_000) return;
  const boundSeconds = operation === 'write' ? limits.writeAuthorizationTtlSeconds : limits.readAuthorizationTtlSeconds;
  observations.push({
    ...answered,
    kind: 'data',
    step: step.id,
    ask: (_, dataSet) => {
      const known = credential.callerIn(history, dataSet, { operation, target, object, version });
      const caller = known?.kind === 'session' ? { ...known, expired: beyondEnd > 0 } : known;
      return caller && { caller, operation, target, input: {} };
    },
    startedAt,
    endedAt: kernel.now,
    boundSeconds: isCalm ? calmBoundSeconds : boundSeconds,
  });
}

/** Lists the keys of a repository that begin with `prefix`. All keys in the answer must do so. */
export async function list(
  context: StepContext,
  {
    credential,
    repository: { account, id },
    prefix,
    edge,
  }: { credential: Credential; repository: Pick<Repository, 'account' | 'id'>; prefix: string; edge: number },
): Promise<void> {
  const { service, step, tell, operations, isCalm, violations } = context;
  const words = `${credential.name} lists ${account}/${id}/${prefix} at edge ${edge}`;
  const path = `/${account}?list-type=2&prefix=${encodeURIComponent(`${id}/${prefix}`)}`;
  const sending = { label: `${step.id}`, fault: step.fault };
  const { task, status, body } = await service.object(sending, edge, 'GET', path, credential.signing);
  tell(`${words} → ${status ?? 'no response'}`);
  operations.set(`list ${status}`, (operations.get(`list ${status}`) ?? 0) + 1);
  const violate = (checker: string, found: string) =>
    violations.push({ checker, step: step.id, words: `${words}: ${found}` });
  if (isCalm && (status === undefined || status >= 500)) violate('without faults, the service answers', `${status}`);
  if (status === undefined || status >= 500) return;
  const keys = [...String(body).matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key);
  const other = keys.find((key) => !key.startsWith(`${id}/${prefix}`));
  if (other !== undefined) violate('lists: no key is outside the prefix', other);
  observe(context, {
    ...{ credential, repository: { account, id }, words, startedAt: task.startedAt },
    operation: 'list',
    object: prefix,
    status: status < 300 ? status : 403,
  });
}

const listAny = async (context: StepContext) => {
  const [credential, edge] = [context.pick(context.credentials), context.pick([...Array(edgeCount).keys()]) ?? 0];
  const repository = context.pick(context.dataSet.repositories);
  const prefix = context.pick(['', 'a/', 'a'] as const) ?? '';
  if (credential !== undefined && repository !== undefined)
    await list(context, { credential, repository, prefix, edge });
};

const use = (isWrite: boolean) => async (context: StepContext) => {
  const credential = context.pick(context.credentials);
  const repository = context.pick([...context.dataSet.repositories, { account: 'tides', id: 'closed' }]);
  const edge = context.pick([...Array(edgeCount).keys()]) ?? 0;
  if (credential !== undefined && repository !== undefined)
    await request(context, { credential, repository, isWrite, edge, key: context.pick(objectKeys) ?? 'object' });
};

/**
 * Reads an object every twelve seconds, as a client that polls for new data. Other steps of the history run in between.
 */
export async function poll(context: StepContext, use: Omit<Parameters<typeof request>[1], 'isWrite'>): Promise<void> {
  for (let read = 0; read < pollReads; read += 1) {
    await request(context, { ...use, isWrite: false, label: `/${read}` });
    await context.kernel.wait(12_000);
  }
}

async function pollAny(context: StepContext): Promise<void> {
  const [credential, repository] = [context.pick(context.credentials), context.pick(context.dataSet.repositories)];
  const edge = context.pick([...Array(edgeCount).keys()]) ?? 0;
  if (credential !== undefined && repository !== undefined) await poll(context, { credential, repository, edge });
}

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
    list: { weight: 3, run: listAny },
    poll: { weight: 4, run: pollAny },
    'create API key': { weight: 2, run: createApiKey },
    'revoke API key': { weight: 2, run: revokeApiKey },
  },
  stored: (items) =>
    items.flatMap(({ entity, access_key_id, disabled }) =>
      entity === 'api_key' ? [`API key ${access_key_id} ${disabled}`] : [],
    ),
  modeled: ({ keys }) => keys.map(({ id, revoked }) => `API key ${id} ${revoked}`),
};
