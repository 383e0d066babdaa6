import { type DataSet, findRepository, type Repository } from '../../model/data-set.ts';
import { type Capability, type ManagementStep, manage, type StepContext, without } from '../capability.ts';
import { endLinks } from './accounts.ts';

const at = '/repositories/{account_id}/{repository_id}';
const newIds = ['currents', 'closed-2'] as const;

const repositoryIn = (dataSet: DataSet, id: string) => findRepository(dataSet, 'tides', id);

/**
 * Creates a repository of the organization. If objects of a deleted repository are at its path, they become part of it.
 */
export function create(context: StepContext, id = context.pick([...newIds, 'closed']) ?? 'currents') {
  const mode = context.pick(['open', 'private'] as const) ?? 'open';
  const uid = `${id}#${context.step.id}`;
  return manage(context, {
    words: `ada creates the ${mode} repository tides/${id}`,
    identity: 'ada',
    operation: 'POST /repositories/{account_id}',
    target: { account: 'tides' },
    input: { connection: 'store' },
    path: '/repositories/tides',
    body: {
      repository_id: id,
      data_mode: mode,
      data_connection_id: 'store',
      adopt_objects: mode === 'open',
      meta: { title: id, description: '', tags: '' },
    },
    isCreate: true,
    apply: (dataSet) => {
      const all = { account: 'tides', disabledBy: undefined, state: 'listed', connection: 'store' } as const;
      dataSet.repositories.push({ ...all, id, uid, mode });
    },
  });
}

export function deleteFrom(dataSet: DataSet, account: string, id: string): void {
  const found = findRepository(dataSet, account, id);
  dataSet.repositories = without(dataSet.repositories, found);
  endRightsIn(dataSet, found?.uid);
}

/** Ends all rights in a deleted or transferred repository. */
export function endRightsIn(dataSet: DataSet, uid: string | undefined): void {
  dataSet.grants = dataSet.grants.filter(({ repository }) => repository !== uid);
  for (const membership of dataSet.memberships)
    if (uid !== undefined && membership.repository?.uid === uid) membership.state = 'revoked';
}

/** Returns the request that disables a repository. */
export function disabling(account: string, id: string): Omit<ManagementStep, 'words' | 'identity' | 'target'> {
  return {
    operation: `POST ${at}/disable`,
    path: `/repositories/${account}/${id}/disable`,
    apply: (dataSet) => {
      const found = findRepository(dataSet, account, id);
      if (found === undefined) return;
      found.disabledBy ??= 'owner';
      endLinks(dataSet, ({ repository }) => repository === found.uid);
    },
  };
}

/** Returns the request that enables a repository. */
export function enabling(account: string, id: string): Omit<ManagementStep, 'words' | 'identity' | 'target'> {
  return {
    operation: `POST ${at}/enable`,
    path: `/repositories/${account}/${id}/enable`,
    apply: (dataSet) => {
      const found = findRepository(dataSet, account, id);
      if (found !== undefined) found.disabledBy = undefined;
    },
  };
}

/** A step of the simulation that acts on an existing repository. */
function change(
  verb: string,
  request: (
    id: string,
    context: StepContext,
  ) => Omit<ManagementStep, 'words' | 'identity' | 'target'> & { what?: string },
  prefers: (repository: Repository) => boolean = () => true,
) {
  return async (context: StepContext) => {
    const all = context.dataSet.repositories.filter(({ account }) => account === 'tides');
    const preferred = all.filter(prefers);
    const repository = context.pick(preferred.length > 0 ? preferred : all);
    const identity = context.pick(['ada', 'ada', 'ada', 'ben'] as const) ?? 'ada';
    if (repository === undefined) return;
    const { what = '', ...given } = request(repository.id, context);
    const words = `${identity} ${verb} the repository tides/${repository.id}${what}`;
    await manage(context, { ...given, words, identity, target: { account: 'tides', repository: repository.id } });
  };
}

const actions = {
  'create repository': { weight: 4, run: async (context: StepContext) => void (await create(context)) },
  'disable repository': { weight: 3, run: change('disables', (id) => disabling('tides', id)) },
  'enable repository': {
    weight: 3,
    run: change('enables', (id) => enabling('tides', id)),
  },
  'delete repository': {
    weight: 8,
    run: change(
      'deletes',
      (id) => ({
        operation: `POST ${at}/delete`,
        path: `/repositories/tides/${id}/delete`,
        body: { confirm: `tides/${id}` },
        apply: (dataSet) => {
          deleteFrom(dataSet, 'tides', id);
        },
      }),
      ({ disabledBy }) => disabledBy !== undefined,
    ),
  },
  'change data mode': {
    weight: 3,
    run: change('changes', (id, context) => {
      const mode = context.pick(['open', 'private'] as const) ?? 'open';
      return {
        what: ` to ${mode}`,
        operation: `PUT ${at}/data-mode`,
        path: `/repositories/tides/${id}/data-mode`,
        body: { data_mode: mode },
        apply: (dataSet) => {
          const found = repositoryIn(dataSet, id);
          if (found !== undefined) found.mode = mode;
        },
      };
    }),
  },
  'set federated only': {
    weight: 2,
    run: change('sets', (id, context) => {
      const federated_only = context.pick([true, false] as const) ?? true;
      return {
        what: ` to federated_only ${federated_only}`,
        operation: `PATCH ${at}/settings`,
        path: `/repositories/tides/${id}/settings`,
        body: { federated_only },
        apply: (dataSet) => {
          const found = repositoryIn(dataSet, id);
          if (found !== undefined) found.federatedOnly = federated_only;
        },
      };
    }),
  },
};

export const repositories: Capability = {
  name: 'repositories',
  actions,
  stored: (items) =>
    items.flatMap(({ entity, account_id, repository_id, data_mode, disabled, federated_only = false }) =>
      entity === 'repository'
        ? [`repository ${account_id}/${repository_id} ${data_mode} ${disabled} ${federated_only}`]
        : [],
    ),
  modeled: (dataSet) =>
    dataSet.repositories.map(
      ({ account, id, mode, disabledBy, federatedOnly = false }) =>
        `repository ${account}/${id} ${mode} ${disabledBy !== undefined} ${federatedOnly}`,
    ),
};
