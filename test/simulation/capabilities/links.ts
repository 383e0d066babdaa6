import { type Caller, type DataSet, findAccount, findRepository } from '../../model/data-set.ts';
import { answerManagement } from '../../model/management.ts';
import { bucketPrefixOf, type Capability, manage, type StepContext } from '../capability.ts';
import type { Credential, WantedData } from '../history.ts';
import type { Item } from '../memory-table/expressions.ts';
import { edgeCount } from '../service.ts';
import { list, objectKeys, poll, request } from './data.ts';
import { disabling, enabling } from './repositories.ts';

type Link = DataSet['links'][number];

const prefixes = ['', 'a/', 'object'] as const;
const at = '/repositories/{account_id}/{repository_id}/links';

async function create(context: StepContext): Promise<void> {
  const repository = context.pick(context.dataSet.repositories);
  const [identity, prefix] = [context.pick(['ada', 'ada', 'ben'] as const) ?? 'ada', context.pick(prefixes) ?? ''];
  if (repository === undefined) return;
  const { account, id, uid } = repository;
  const answered = await manage(context, {
    words: `${identity} creates a link to ${account}/${id}/${prefix}`,
    identity,
    operation: `POST ${at}`,
    target: { account, repository: id },
    path: `/repositories/${account}/${id}/links`,
    body: { prefix, expires_in_days: 1 },
    isCreate: true,
    apply: (dataSet, written) => {
      const link = { id: String(written('link')?.['link_id']), creator: identity, prefix, ended: false };
      dataSet.links.push({ ...link, repository: uid });
    },
  });
  if (answered?.status === 201) context.secrets.set(answered.body.link_id, answered.body.secret);
}

/** Revokes a link of a repository that still exists. */
async function revoke(context: StepContext): Promise<void> {
  const { links: all, repositories } = context.dataSet;
  const link = context.pick(all.filter(({ repository }) => repositories.some(({ uid }) => uid === repository)));
  const repository = repositories.find(({ uid }) => uid === link?.repository);
  const identity = context.pick(['ada', 'ada', 'ben'] as const) ?? 'ada';
  if (link === undefined || repository === undefined) return;
  const { account, id } = repository;
  await manage(context, {
    words: `${identity} revokes the link ${nameOf(link)} to ${account}/${id}`,
    identity,
    operation: `DELETE ${at}/{link_id}`,
    target: { account, repository: id },
    path: `/repositories/${account}/${id}/links/${link.id}`,
    apply: (dataSet) => {
      dataSet.links = dataSet.links.filter((one) => one.id !== link.id);
    },
  });
}

/** Disables the repository of a link and enables it again. This ends its links for good. */
async function pause(context: StepContext): Promise<void> {
  const { links: all, repositories } = context.dataSet;
  const link = context.pick(all);
  const repository = repositories.find(({ uid }) => uid === link?.repository);
  if (repository === undefined) return;
  const { account, id } = repository;
  const identity = account === 'ben' ? 'ben' : 'ada';
  const target = { account, repository: id };
  for (const [verb, change] of [
    ['disables', disabling],
    ['enables', enabling],
  ] as const) {
    await manage(context, { ...change(account, id), words: `${identity} ${verb} ${account}/${id}`, identity, target });
    await context.kernel.wait(context.pick([0, 2000] as const) ?? 0);
  }
}

/** Exchanges a link for credentials. Also exchanges links that were revoked or have ended. */
async function exchange(context: StepContext): Promise<void> {
  const { kernel, service, step, tell, observations, credentials, operations, isCalm, violations, secrets } = context;
  const link = context.pick([...linksOf(context).values()].filter(({ id }) => secrets.has(id)));
  if (link === undefined) return;
  const words = `a reader exchanges the link ${nameOf(link)}`;
  const path = `/links/${link.id}/credentials`;
  const sending = { label: `${step.id}`, fault: step.fault };
  const body = { secret: secrets.get(link.id) };
  const { task, status, body: answer } = await service.manage(sending, '', 'POST', path, body);
  tell(`${words} → ${status ?? 'no response'}`);
  operations.set(`exchange of a link ${status}`, (operations.get(`exchange of a link ${status}`) ?? 0) + 1);
  if (isCalm && (status === undefined || status >= 500))
    violations.push({ checker: 'without faults, the service answers', step: step.id, words: `${words}: ${status}` });
  if (status === undefined || status >= 500) return;
  const record = recordOf(context, link);
  const target = { account: String(record['account_id']), repository: String(record['repository_id']) };
  observations.push({
    kind: 'link exchange',
    step: step.id,
    words,
    ask: (_, dataSet) => {
      const wanted = { operation: 'read', target, object: link.prefix } as const;
      return { ...wanted, caller: callerOf(link, dataSet, wanted), input: {} };
    },
    startedAt: task.startedAt,
    endedAt: kernel.now,
    // The service answers every refusal with 404. The model has only one refusal, 403.
    status: status < 300 ? status : 403,
    boundSeconds: 0,
  });
  if (status >= 300) return;
  const repository = itemsOf(context, 'repository').find(({ uid }) => uid === record['repository_uid']);
  const prefix = bucketPrefixOf(repository ?? {});
  credentials.push(readerOf(`a reader of the link ${nameOf(link)} (step ${step.id})`, link, answer, prefix));
}

/** Returns the credentials of a link. `prefix` is the beginning of the repository's keys in the bucket. */
export function readerOf(
  name: string,
  link: Pick<Link, 'id' | 'prefix'>,
  answer: NonNullable<Credential['signing']> & { expires_at: string },
  prefix: string,
): Credential {
  const { access_key_id, secret_access_key, session_token, expires_at } = answer;
  const shown = prefix + link.prefix;
  return {
    name,
    signing: { access_key_id, secret_access_key, ...(session_token && { session_token }) },
    expiresAt: Date.parse(expires_at),
    link: link.id,
    callerIn: (_, dataSet, wanted) => callerOf(link, dataSet, wanted),
    shows: (stored) => (shown.endsWith('/') ? stored.startsWith(shown) : stored === shown),
  };
}

/**
 * Returns the model's caller for a reader of a link: a session of the link's creator that only reads. The creator must
 * still be able to create links there. Outside its repository, and after its end, a link is an invalid credential.
 */
function callerOf({ id, prefix }: Pick<Link, 'id' | 'prefix'>, dataSet: DataSet, wanted: WantedData): Caller {
  const { operation, target, object, version } = wanted;
  const link = dataSet.links.find((one) => one.id === id);
  const creator = findAccount(dataSet, link?.creator);
  const repository = findRepository(dataSet, target.account, target.repository);
  const isFolder = prefix === '' || prefix.endsWith('/');
  // A list of a link to one file is refused, because it would show whether other keys begin with the same text.
  const isShown = isFolder ? object.startsWith(prefix) : operation !== 'list' && object === prefix;
  const isThere = link !== undefined && !link.ended && link.repository === repository?.uid && version === undefined;
  if (!isThere || !isShown || creator?.identity === undefined) return { kind: 'invalid' };
  const caller = { kind: 'user', identity: creator.identity } as const;
  const mayShare = answerManagement({ dataSet, caller, operation: `POST ${at}`, target, input: {} }) === 'allowed';
  if (!mayShare) return { kind: 'invalid' };
  return { kind: 'session', account: creator.id, uid: creator.uid, role: 'ReadOnly', expired: false };
}

const nameOf = ({ id, prefix }: Link) => `${id.slice(0, 8)} (prefix "${prefix}")`;

/** Returns all links of the history, by ID. */
function linksOf({ history }: Pick<StepContext, 'history'>): Map<string, Link> {
  return new Map(history.versions.flatMap(({ dataSet }) => dataSet.links.map((link) => [link.id, link] as const)));
}

/** Returns the first stored record of a link. */
function recordOf(context: StepContext, { id }: Link): Item {
  return itemsOf(context, 'link').find(({ link_id }) => link_id === id) ?? {};
}

/** Returns all states that items of a kind have had. */
function itemsOf({ kernel, itemsAtStart }: StepContext, entity: string): Item[] {
  const changed = kernel.table.changes.map(({ after = {} }) => after);
  return [...itemsAtStart, ...changed].filter((item) => item['entity'] === entity);
}

/** Uses the credentials of a link, mostly in the link's own repository. */
const use = (kind: 'read' | 'list' | 'poll') => async (context: StepContext) => {
  const { pick, dataSet } = context;
  const credential = pick(context.credentials.filter(({ shows }) => shows !== undefined).slice(-4));
  const link = linksOf(context).get(credential?.link ?? '');
  const shared = dataSet.repositories.filter(({ uid }) => uid === link?.repository);
  const repository = pick([
    ...shared,
    ...shared,
    ...shared,
    ...dataSet.repositories,
    { account: 'tides', id: 'closed' },
  ]);
  const edge = pick([...Array(edgeCount).keys()]) ?? 0;
  if (credential === undefined || repository === undefined) return;
  const prefix = pick([link?.prefix ?? '', '', 'a/', 'a']) ?? '';
  const key = pick([...objectKeys, 'object', 'a/b']) ?? 'object';
  const own = link?.prefix === 'a/' ? 'a/b' : 'object';
  if (kind === 'poll') await poll(context, { credential, repository, edge, key: own });
  else if (kind === 'list') await list(context, { credential, repository, prefix, edge });
  else await request(context, { credential, repository, isWrite: false, edge, key });
};

export const links: Capability = {
  name: 'links',
  share: 0.3,
  actions: {
    'create link': { weight: 14, run: create },
    'revoke link': { weight: 9, run: revoke },
    'disable for a moment': { weight: 4, run: pause },
    'exchange link': { weight: 16, run: exchange },
    'read by a link': { weight: 24, run: use('read') },
    'poll by a link': { weight: 4, run: use('poll') },
    'list by a link': { weight: 6, run: use('list') },
  },
  stored: (items) =>
    items.flatMap(({ entity, link_id, prefix }) => (entity === 'link' ? [`link ${link_id} ${prefix}`] : [])),
  modeled: (dataSet) => dataSet.links.map(({ id, prefix }) => `link ${id} ${prefix}`),
};
