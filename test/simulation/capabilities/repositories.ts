import type { DataSet, Repository } from '../../model/data-set.ts';
import { type Capability, type ManagementStep, manage, type StepContext, without } from '../capability.ts';
import { endLinks } from './accounts.ts';

const newIds = ['currents', 'closed-2'] as const;

function repositoryIn(dataSet: DataSet, id: string) {
  return dataSet.repositories.find((one) => one.account === 'tides' && one.id === id);
}

function create(context: StepContext) {
  const id = context.pick([...newIds, 'closed'] as const) ?? 'currents';
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
      meta: { title: id, description: '', tags: '' },
    },
    isCreate: true,
    apply: (dataSet) => {
      const all = { account: 'tides', disabledBy: undefined, state: 'listed', connection: 'store' } as const;
      dataSet.repositories.push({ ...all, id, uid, mode });
    },
  });
}

/** Ends all rights in a deleted or transferred repository. */
export function endRightsIn(dataSet: DataSet, uid: string | undefined): void {
  dataSet.grants = dataSet.grants.filter(({ repository }) => repository !== uid);
  for (const membership of dataSet.memberships)
    if (uid !== undefined && membership.repository?.uid === uid) membership.state = 'revoked';
}

/** An action on an existing repository. */
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

const at = '/repositories/{account_id}/{repository_id}';

const actions = {
  'create repository': { weight: 4, run: async (context: StepContext) => void (await create(context)) },
  'disable repository': {
    weight: 3,
    run: change('disables', (id) => ({
      operation: `POST ${at}/disable`,
      path: `/repositories/tides/${id}/disable`,
      apply: (dataSet) => {
        const found = repositoryIn(dataSet, id);
        if (found === undefined) return;
        found.disabledBy ??= 'owner';
        endLinks(dataSet, ({ repository }) => repository === found.uid);
      },
    })),
  },
  'enable repository': {
    weight: 3,
    run: change('enables', (id) => ({
      operation: `POST ${at}/enable`,
      path: `/repositories/tides/${id}/enable`,
      apply: (dataSet) => {
        const found = repositoryIn(dataSet, id);
        if (found !== undefined) found.disabledBy = undefined;
      },
    })),
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
          const found = repositoryIn(dataSet, id);
          dataSet.repositories = without(dataSet.repositories, found);
          endRightsIn(dataSet, found?.uid);
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
