import { answerOf, api, type Schemas } from '../api/client.ts';
import { disabledField, type ShownField, type Stored, type Version } from '../components/stale.tsx';
import { flagNames } from './account-flags.ts';

type Account = Schemas['Account'];
type ProfileField = 'name' | 'bio' | 'location' | 'url';

export const profileFields = [
  { name: 'name', label: 'Name', maxLength: 128 },
  { name: 'bio', label: 'About', maxLength: 1024, kind: 'long' },
  { name: 'location', label: 'Location', maxLength: 128 },
  { name: 'url', label: 'Homepage', maxLength: 2048, kind: 'url' },
] as const satisfies readonly (ShownField & { name: ProfileField; maxLength: number; kind?: 'long' | 'url' })[];

const knownFlags = [
  'admin',
  'create_organizations',
  'create_data_connections',
  'create_repositories',
] as const satisfies readonly Schemas['AccountFlag'][];
type Flag = (typeof knownFlags)[number];

export type AccountValues = Record<ProfileField, string> & Record<Flag, boolean> & { disabled: boolean };

/**
 * A separate field for each flag. With one field for all flags, granting one flag could restore another flag that an
 * administrator removed in the meantime.
 */
const flagFields = knownFlags.map((name) => ({
  name,
  label: flagNames[name],
  words: (isSet: boolean) => (isSet ? 'yes' : 'no'),
}));

const accountFields: readonly ShownField[] = [...profileFields, ...flagFields, disabledField];

export function accountVersion(
  { profile, flags: set, disabled }: Account,
  etag: string | undefined,
): Version<AccountValues> {
  const { name, bio, location, url } = profile;
  const texts = { name: name ?? '', bio: bio ?? '', location: location ?? '', url: url ?? '' };
  const flags = Object.fromEntries(knownFlags.map((flag) => [flag, set.includes(flag)])) as Record<Flag, boolean>;
  return { values: { ...texts, ...flags, disabled }, etag };
}

export async function readAccount(account_id: string): Promise<Version<AccountValues>> {
  const { data, etag } = await answerOf(api.GET('/accounts/{account_id}', { params: { path: { account_id } } }));
  return accountVersion(data, etag);
}

export function storedAccount(
  account_id: string,
  was: Version<AccountValues>,
  reload: () => Promise<unknown>,
): Stored<AccountValues> {
  return { fields: accountFields, was, read: () => readAccount(account_id), reload };
}
