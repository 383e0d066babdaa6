import { shownName } from '../../../lib/pages/site/format.ts';
import type { Schemas } from '../api/client.ts';
import { type Column, Lines } from '../components/list.tsx';
import { Minute } from '../components/time.tsx';
import { hrefOf } from '../router.ts';

type Account = Schemas['SiteAccount'];
type Disabled = Pick<Account, 'disabled_by' | 'disabled_at' | 'disabled_reason'>;

const accountTypes: Readonly<Record<Account['account_type'], string>> = {
  user: 'User',
  organization: 'Organization',
  service: 'Platform login',
};

/** Shows the account with a link to its first view, its ID, and its type. */
export const accountColumn: Column<Account> = {
  title: 'Account',
  cell: ({ account_id, account_type, profile }) => (
    <Lines
      of={[
        <a href={hrefOf(`/accounts/${account_id}${account_type === 'service' ? '/api-keys' : ''}`)}>
          <bdi>{shownName(profile.name || account_id)}</bdi>
        </a>,
        [profile.name && account_id, accountTypes[account_type]].filter(Boolean).join(' · '),
      ]}
    />
  ),
};

/** The columns that show why and since when a resource is disabled, and who disabled it. */
export const disabledColumns: readonly Column<Disabled>[] = [
  {
    title: 'Disabled by',
    isLabeled: true,
    cell: ({ disabled_by }) => (disabled_by === 'owner' ? 'An owner or a maintainer' : 'An administrator'),
  },
  {
    title: 'Since',
    class: 'when',
    isLabeled: true,
    cell: ({ disabled_at }) => <Minute time={Date.parse(disabled_at ?? '')} />,
  },
  { title: 'Reason', isLabeled: true, cell: ({ disabled_reason }) => <bdi>{disabled_reason ?? 'None given'}</bdi> },
];

/** Returns the column with the link to the view in which an administrator disables or enables the resource. */
export function endingColumn<Of extends { disabled: boolean }>(pathOf: (of: Of) => string | undefined): Column<Of> {
  return {
    title: 'Action',
    cell: (each) => {
      const path = pathOf(each);
      return path && <a href={hrefOf(`${path}/settings/danger-zone`)}>{each.disabled ? 'Enable …' : 'Disable …'}</a>;
    },
  };
}

/**
 * Returns the path of the view in which an administrator can disable or enable the account. Returns undefined for an
 * organization that only its own members can disable and enable.
 */
export function endingPath({ account_id, account_type, disabled_by }: Account): string | undefined {
  return account_type === 'organization' && disabled_by !== 'admin' ? undefined : `/accounts/${account_id}`;
}
