import { currentSignIn, loadOwn, saveOwn } from './stored.ts';

/** The data that the account menu shows. */
export interface MenuAccount {
  account_id: string;
  /** The display name. Empty if the account has none. */
  name: string;
  /** At most `organizationsMax` organizations in which the user is a member. */
  organizations: { account_id: string; name: string }[];
  /** True when the user has more organizations than the menu shows. */
  hasMore: boolean;
  isAdministrator: boolean;
  /**
   * The accounts, and the repositories as `<account>/<repository>`, that the user may change. Contains only the first
   * page of the user's memberships.
   */
  writable: string[];
}

const organizationsMax = 5;

interface Membership {
  state: string;
  membership_account_id: string;
  membership_account_name?: string | null | undefined;
  repository_id?: string | undefined;
  role: string;
}

interface Session {
  account: { account_id: string; profile: { name?: string | null | undefined } } | null;
  memberships: readonly Membership[];
  /** The cursor of the next page of memberships. */
  next?: string | undefined;
}

/**
 * Returns the data of the account menu from the session and the permissions. Returns null for a user without an
 * account.
 */
export function menuAccountOf({ account, memberships, next }: Session, isAdministrator: boolean): MenuAccount | null {
  if (account === null) return null;
  const member = memberships.filter(({ state }) => state === 'member');
  const organizations = member.filter(({ repository_id }) => repository_id === undefined);
  const writable = member
    .filter(({ role }) => role !== 'read_data')
    .map(({ membership_account_id: of, repository_id }) =>
      repository_id === undefined ? of : `${of}/${repository_id}`,
    );
  return {
    account_id: account.account_id,
    name: account.profile.name ?? '',
    organizations: organizations.slice(0, organizationsMax).map((each) => ({
      account_id: each.membership_account_id,
      name: each.membership_account_name ?? '',
    })),
    hasMore: organizations.length > organizationsMax || next !== undefined,
    isAdministrator,
    writable: [account.account_id, ...writable],
  };
}

interface Remembered {
  /** The ID of the sign-in to which the menu's data belongs. */
  sign_in: string;
  /** The time at which the data was read, in milliseconds since the Unix epoch. */
  read_at: number;
  account: MenuAccount | null;
}

/** The age from which a public page reads the menu's data again when the user opens the menu. */
const rememberedMsMax = 5 * 60 * 1000;

/**
 * Returns the menu's data that an earlier page of the current sign-in has stored, so that this page needs no request.
 * Returns undefined without stored data.
 */
export function rememberedAccount(): { account: MenuAccount | null; isStale: boolean } | undefined {
  try {
    const { sign_in, read_at, account } = JSON.parse(loadOwn() ?? '{}') as Partial<Remembered>;
    if (account === undefined || sign_in !== currentSignIn()?.id) return undefined;
    return { account, isStale: Date.now() - (read_at ?? 0) > rememberedMsMax };
  } catch {
    return undefined;
  }
}

export function rememberAccount(account: MenuAccount | null): void {
  const sign_in = currentSignIn()?.id;
  if (sign_in === undefined) return;
  saveOwn(JSON.stringify({ sign_in, read_at: Date.now(), account } satisfies Remembered));
}
