import { answerOf, api, type Schemas } from '../api/client.ts';
import { disabledField, type Stored, type Version } from '../components/stale.tsx';

/** The service account of a view and the user's permissions for it. */
export interface MachineScope {
  id: string;
  owner: string;
  account: Schemas['ServiceAccountView'];
  etag: string | undefined;
  may: (permission: Schemas['Permission']) => boolean;
  reload: () => Promise<void>;
}

export async function loadMachine(id: string, reload: () => Promise<void>): Promise<MachineScope> {
  const params = { path: { service_account_id: id } };
  const { data: account, etag } = await answerOf(api.GET('/service-accounts/{service_account_id}', { params }));
  const all = new Set(account.permissions);
  return { id, owner: account.owner_account_id, account, etag, may: (permission) => all.has(permission), reload };
}

type MachineValues = Pick<
  Schemas['ServiceAccount'],
  'description' | 'disabled' | 'end_sessions_on_revocation' | 'federated_only'
>;

const onOrOff = (isOn: boolean) => (isOn ? 'on' : 'off');

export const settingLabels = {
  end_sessions_on_revocation: 'End sessions on revocation',
  federated_only: 'Federated-only writes',
} as const;

const fields = [
  { name: 'description', label: 'Description' },
  { name: 'end_sessions_on_revocation', label: settingLabels.end_sessions_on_revocation, words: onOrOff },
  { name: 'federated_only', label: settingLabels.federated_only, words: onOrOff },
  disabledField,
];

function versionOf({ account, etag }: Pick<MachineScope, 'account' | 'etag'>): Version<MachineValues> {
  const { description, disabled, end_sessions_on_revocation, federated_only } = account;
  return { values: { description, disabled, end_sessions_on_revocation, federated_only }, etag };
}

export function storedMachine(scope: MachineScope): Stored<MachineValues> {
  const { id, reload } = scope;
  return { fields, was: versionOf(scope), read: async () => versionOf(await loadMachine(id, reload)), reload };
}
