import type { DataSet } from '../../model/data-set.ts';
import { type Capability, type ManagementStep, manage, type StepContext, without } from '../capability.ts';
import type { Credential } from '../history.ts';
import { ciIssuer, dataProxyUrl, edgeCount } from '../service.ts';
import { endSessionsOf } from './accounts.ts';

export const serviceAccountId = 'tides--sync';
const at = `/service-accounts/${serviceAccountId}`;
const of = '/service-accounts/{service_account_id}';
const branches = ['main', 'next'] as const;
export const subjectOf = (branch: string) => `repo:tides/tools:ref:refs/heads/${branch}`;
const uidIn = (dataSet: DataSet) => dataSet.accounts.find(({ id }) => id === serviceAccountId)?.uid ?? '';

function change(
  request: (
    context: StepContext,
  ) => (Omit<ManagementStep, 'identity' | 'target'> & { repository?: string }) | undefined,
) {
  return async (context: StepContext) => {
    const given = request(context);
    const identity = context.pick(['ada', 'ada', 'ada', 'ben', 'cyd'] as const) ?? 'ada';
    if (given === undefined) return undefined;
    const { repository, words, ...rest } = given;
    const target = { account: serviceAccountId, repository };
    return manage(context, { ...rest, identity, words: `${identity} ${words}`, target });
  };
}

const putGrant = change((context) => {
  const repository = context.pick(context.dataSet.repositories.filter(({ account }) => account === 'tides'));
  const access = context.pick(['read', 'read_write'] as const) ?? 'read';
  return (
    repository && {
      words: `grants tides--sync ${access} in tides/${repository.id}`,
      repository: repository.id,
      operation: `PUT ${of}/grants/{repository_id}`,
      path: `${at}/grants/${repository.id}`,
      body: { access },
      apply: (dataSet) => {
        const uid = dataSet.repositories.find((one) => one.account === 'tides' && one.id === repository.id)?.uid ?? '';
        dataSet.grants = dataSet.grants.filter((grant) => grant.repository !== uid);
        dataSet.grants.push({ serviceAccount: uidIn(dataSet), repository: uid, access });
      },
    }
  );
});

const removeGrant = change((context) => {
  const grant = context.pick(context.dataSet.grants);
  const repository = context.dataSet.repositories.find(({ uid }) => uid === grant?.repository);
  return (
    repository && {
      words: `removes the grant of tides--sync in tides/${repository.id}`,
      repository: repository.id,
      operation: `DELETE ${of}/grants/{repository_id}`,
      path: `${at}/grants/${repository.id}`,
      apply: (dataSet) => {
        const uid = dataSet.repositories.find((one) => one.account === 'tides' && one.id === repository.id)?.uid;
        dataSet.grants = dataSet.grants.filter((one) => one.repository !== uid);
      },
    }
  );
});

const sendNewKey = change(() => ({
  words: 'issues a key of tides--sync',
  operation: `POST ${of}/keys`,
  path: `${at}/keys`,
  body: { label: 'simulation', expiry: '30d' },
  isCreate: true,
  apply: (dataSet, written) => {
    const id = String(written('service_account_key')?.['key_id']);
    dataSet.signInKeys.push({ id, serviceAccount: uidIn(dataSet), revoked: false, expired: false });
  },
}));

async function issueKey(context: StepContext) {
  const answered = await sendNewKey(context);
  if (answered?.status === 201) context.secrets.set(answered.body.key_id, answered.body.key);
}

const revokeKey = change((context) => {
  const key = context.pick(context.dataSet.signInKeys);
  const isEnding = context.pick([true, false] as const) ?? false;
  return (
    key && {
      words: `revokes a key of tides--sync${isEnding ? ' with its sessions' : ''}`,
      operation: `DELETE ${of}/keys/{key_id}`,
      path: `${at}/keys/${key.id}${isEnding ? '?end_sessions=true' : ''}`,
      apply: (dataSet) => {
        const found = dataSet.signInKeys.find(({ id }) => id === key.id);
        if (found !== undefined) found.revoked = true;
        if (isEnding) dataSet.endedSources = [...without(dataSet.endedSources, key.id), key.id];
      },
    }
  );
});

/** Reports a key as leaked. Anyone who has the key can do this. */
async function reportKey(context: StepContext) {
  const key = context.pick(context.dataSet.signInKeys.filter(({ id }) => context.secrets.has(id)));
  if (key === undefined) return;
  await manage(context, {
    words: 'a stranger reports a leaked key of tides--sync',
    identity: 'cyd',
    operation: 'POST /service-account-keys/revocations',
    path: '/service-account-keys/revocations',
    body: { key: context.secrets.get(key.id) },
    apply: (dataSet) => {
      const found = dataSet.signInKeys.find(({ id }) => id === key.id);
      if (found !== undefined) found.revoked = true;
    },
  });
}

const trust = change((context) => {
  const branch = context.pick(branches) ?? 'main';
  return {
    words: `trusts the branch ${branch} to sign in as tides--sync`,
    operation: `POST ${of}/trusted-workflows`,
    path: `${at}/trusted-workflows`,
    body: { repository: 'tides/tools', branch },
    isCreate: true,
    apply: (dataSet, written) => {
      const id = String(written('trusted_workflow')?.['workflow_id']);
      dataSet.workflows.push(Object.assign({ subject: subjectOf(branch), serviceAccount: uidIn(dataSet) }, { id }));
    },
  };
});

const removeTrust = change((context) => {
  const workflow = context.pick(context.dataSet.workflows);
  const isEnding = context.pick([true, false] as const) ?? false;
  const id = idOfWorkflow(workflow);
  return (
    workflow && {
      words: `removes the trust in ${workflow.subject}${isEnding ? ' with its sessions' : ''}`,
      operation: `DELETE ${of}/trusted-workflows/{workflow_id}`,
      path: `${at}/trusted-workflows/${id}${isEnding ? '?end_sessions=true' : ''}`,
      apply: (dataSet) => {
        dataSet.workflows = dataSet.workflows.filter((one) => idOfWorkflow(one) !== id);
        if (isEnding) dataSet.endedSources = [...without(dataSet.endedSources, id), id];
      },
    }
  );
});

const setDisabled = (isDisabled: boolean) =>
  change(() => ({
    words: `${isDisabled ? 'disables' : 'enables'} tides--sync`,
    operation: `POST ${of}/${isDisabled ? 'disable' : 'enable'}`,
    path: `${at}/${isDisabled ? 'disable' : 'enable'}`,
    apply: (dataSet) => {
      const account = dataSet.accounts.find(({ id }) => id === serviceAccountId);
      if (isDisabled && account?.disabledBy === undefined) endSessionsOf(dataSet, serviceAccountId);
      if (account !== undefined) account.disabledBy = isDisabled ? 'owner' : undefined;
    },
  }));

async function setFederatedOnly(context: StepContext) {
  const federated_only = context.pick([true, false] as const) ?? true;
  await manage(context, {
    words: `ada sets federated_only of tides--sync to ${federated_only}`,
    identity: 'ada',
    operation: `PATCH ${of}/settings`,
    target: { account: serviceAccountId },
    path: `${at}/settings`,
    body: { federated_only },
    apply: (dataSet) => {
      const account = dataSet.accounts.find(({ id }) => id === serviceAccountId);
      if (account !== undefined) account.federatedOnly = federated_only;
    },
  });
}

async function exchangeByKey(context: StepContext) {
  const key = context.pick(context.dataSet.signInKeys.filter(({ id }) => context.secrets.has(id)));
  if (key === undefined) return;
  await exchange(context, 'a key of tides--sync', context.secrets.get(key.id) ?? '', { kind: 'key', id: key.id });
}

async function exchangeByWorkflow(context: StepContext) {
  const branch = context.pick(branches) ?? 'main';
  await exchange(context, `a job of the branch ${branch}`, ciTokenOf(branch, context.kernel.now), {
    kind: 'workflow',
    id: branch,
  });
}

export function ciTokenOf(branch: string, now: number): string {
  const iat = Math.floor(now / 1000);
  return ciIssuer.token(
    {
      iss: ciIssuer.url,
      aud: dataProxyUrl,
      sub: subjectOf(branch),
      iat,
      nbf: iat - 30,
      exp: iat + 300,
      repository: 'tides/tools',
      repository_id: '1',
      repository_owner: 'tides',
      repository_owner_id: '2',
      ref: `refs/heads/${branch}`,
      event_name: 'push',
    },
    { kid: 'ec-1', alg: 'ES256' },
  );
}

async function exchange(
  context: StepContext,
  words: string,
  token: string,
  source: { kind: 'key' | 'workflow'; id: string },
) {
  const { kernel, service, step, tell, observations, credentials, operations, isCalm, violations } = context;
  const edge = context.pick([...Array(edgeCount).keys()]) ?? 0;
  tell(`${words} signs in at edge ${edge}`);
  const role = `arn:aws:iam::${serviceAccountId}:role/FullAccess`;
  const answered = await service.exchange({ label: `${step.id}`, fault: step.fault }, edge, role, token);
  const { task, status, body } = answered;
  tell(`→ ${status ?? 'no response'}`);
  operations.set(`exchange ${status}`, (operations.get(`exchange ${status}`) ?? 0) + 1);
  if (isCalm && (status === undefined || status >= 500))
    violations.push({
      checker: 'without faults, the service answers',
      step: step.id,
      words: `${words} signs in: ${status}`,
    });
  if (status === undefined || status >= 500) return;
  const target = { account: serviceAccountId };
  const caller =
    source.kind === 'key'
      ? ({ kind: 'sign-in-key', id: source.id } as const)
      : ({ kind: 'workflow', subject: subjectOf(source.id) } as const);
  observations.push({
    kind: 'exchange',
    step: step.id,
    words: `${words} signs in`,
    ask: () => ({ caller, operation: 'exchange', target, input: {} }),
    startedAt: task.startedAt,
    endedAt: kernel.now,
    // The exchange refuses a key with 400, and a workflow with 400 or 403. The model has only one refusal, 403.
    status: status === 200 ? 200 : 403,
    boundSeconds: 0,
  });
  if (body === undefined) return;
  credentials.push(sessionOf(`session of ${words} (step ${step.id})`, body, task.reads, source, kernel.now));
}

/** Returns the credentials of an exchange. The model knows them by the data that the exchange read. */
export function sessionOf(
  name: string,
  signing: Credential['signing'],
  reads: readonly number[],
  source: { kind: 'key' | 'workflow'; id: string },
  now: number,
): Credential {
  return {
    name,
    signing,
    expiresAt: now + 3600_000,
    callerIn: (history) => {
      const [first, last] = [history.worldAt(reads[0] ?? 0), history.worldAt(reads.at(-1) ?? 0)];
      const trusts = ({ workflows }: DataSet) => workflows.find(({ subject }) => subject === subjectOf(source.id));
      const [uid, id] = [uidIn(first), source.kind === 'key' ? source.id : idOfWorkflow(trusts(first))];
      const isClear =
        first === last || (uid === uidIn(last) && (source.kind === 'key' || id === idOfWorkflow(trusts(last))));
      if (!isClear) return undefined;
      return {
        kind: 'session',
        account: serviceAccountId,
        uid,
        role: 'FullAccess',
        expired: false,
        source: { kind: source.kind, id },
      };
    },
  };
}

/** Returns the ID of a workflow. The model's type has no field for it, so the simulation stores it in addition. */
function idOfWorkflow(workflow: DataSet['workflows'][number] | undefined): string {
  return String((workflow as { id?: string } | undefined)?.id);
}

export const serviceAccounts: Capability = {
  name: 'service accounts',
  actions: {
    'put grant': { weight: 4, run: async (context) => void (await putGrant(context)) },
    'remove grant': { weight: 4, run: async (context) => void (await removeGrant(context)) },
    'issue key': { weight: 3, run: issueKey },
    'revoke key': { weight: 3, run: async (context) => void (await revokeKey(context)) },
    'report leaked key': { weight: 2, run: reportKey },
    'trust workflow': { weight: 3, run: async (context) => void (await trust(context)) },
    'remove trust': { weight: 3, run: async (context) => void (await removeTrust(context)) },
    'disable service account': { weight: 2, run: async (context) => void (await setDisabled(true)(context)) },
    'enable service account': { weight: 3, run: async (context) => void (await setDisabled(false)(context)) },
    'set federated only of service account': { weight: 2, run: setFederatedOnly },
    'exchange by key': { weight: 6, run: exchangeByKey },
    'exchange by workflow': { weight: 5, run: exchangeByWorkflow },
  },
  stored: (items) =>
    items.flatMap((item) => {
      if (item['entity'] === 'grant') return [`grant ${item['repository_id']} ${item['access']}`];
      if (item['entity'] === 'service_account_key') return [`key ${item['key_id']} ${item['revoked_at'] !== null}`];
      if (item['entity'] === 'trusted_workflow') return [`workflow ${item['workflow_id']}`];
      if (item['uid'] === undefined || item['service_account_id'] === undefined || item['sk'] !== 'ACCOUNT') return [];
      return [
        `service account ${item['service_account_id']} ${item['disabled'] ?? false} ${item['federated_only'] ?? false}`,
      ];
    }),
  modeled: (dataSet) => [
    ...dataSet.grants.map(({ repository, access }) => `grant ${repository.split('#')[0]} ${access}`),
    ...dataSet.signInKeys.map(({ id, revoked }) => `key ${id} ${revoked}`),
    ...dataSet.workflows.map((workflow) => `workflow ${idOfWorkflow(workflow)}`),
    ...dataSet.accounts.flatMap(({ id, type, disabledBy, federatedOnly = false }) =>
      type === 'service' ? [`service account ${id} ${disabledBy !== undefined} ${federatedOnly}`] : [],
    ),
  ],
};
