import { type Capability, manage, type StepContext } from '../capability.ts';
import { endRightsIn } from './repositories.ts';

const accounts = ['tides', 'ben'] as const;

async function offer(context: StepContext): Promise<void> {
  const repository = context.pick(context.dataSet.repositories);
  const to = accounts.find((account) => account !== repository?.account);
  const owner = repository?.account === 'ben' ? 'ben' : 'ada';
  const identity = context.pick([owner, owner, owner, 'cyd']) ?? owner;
  if (repository === undefined || to === undefined) return;
  const { account, id } = repository;
  await manage(context, {
    words: `${identity} offers ${account}/${id} to ${to}`,
    identity,
    operation: 'POST /repositories/{account_id}/{repository_id}/transfers',
    target: { account, repository: id },
    path: `/repositories/${account}/${id}/transfers`,
    body: { to },
    isCreate: true,
    apply: (dataSet, written) => {
      dataSet.transfers.push({ id: String(written('transfer')?.['transfer_id']), from: account, to });
    },
  });
}

/** Accepts or declines a transfer offer. Some of these offers were answered before. */
const answer = (verb: 'accept' | 'decline') => async (context: StepContext) => {
  const { kernel, step } = context;
  const transfer = context.pick(context.dataSet.transfers.slice(-2));
  if (transfer === undefined) return;
  const { id, from, to } = transfer;
  const receiver = to === 'ben' ? 'ben' : 'ada';
  const identity = context.pick([receiver, receiver, receiver, 'cyd']) ?? receiver;
  const offered = kernel.table.changes.find(
    ({ after }) => after?.['entity'] === 'transfer' && after['transfer_id'] === id,
  );
  const repositoryId = String(offered?.after?.['repository_id']);
  await manage(context, {
    words: `${identity} ${verb}s the offer of ${from}/${repositoryId} to ${to}`,
    identity,
    operation: `POST /transfers/{transfer_id}/${verb}`,
    target: { transfer: id },
    path: `/transfers/${id}/${verb}`,
    apply: (dataSet) => {
      const repository = dataSet.repositories.find((one) => one.account === from && one.id === repositoryId);
      if (verb === 'decline' || repository === undefined) return;
      endRightsIn(dataSet, repository.uid);
      Object.assign(repository, { account: to, uid: `${repositoryId}#${step.id}` });
    },
  });
};

/** Transfers of repositories between the organization and the user ben, in both directions. */
export const transfers: Capability = {
  name: 'transfers',
  share: 0.2,
  actions: {
    'offer a repository': { weight: 12, run: offer },
    'accept an offer': { weight: 16, run: answer('accept') },
    'decline an offer': { weight: 2, run: answer('decline') },
  },
};
