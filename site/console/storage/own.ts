import { answerOf, api, type Schemas } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import type { Version } from '../components/stale.tsx';
import { texts } from '../texts.ts';
import { type OwnDraft, ownDraftOf } from './own-draft.ts';
import type { PlacedRepository } from './usage.ts';

/** A connection as the console shows it: with the ARN of its role, and without its secret. */
export type OwnConnection = Omit<Schemas['DataConnectionWithCredentials'], 'authentication'> & {
  role_arn: string | undefined;
};

/** A connection of an account, with what its forms need. */
export interface OwnProps {
  account_id: string;
  connection: OwnConnection;
  was: Version<OwnDraft>;
  read: () => Promise<Version<OwnDraft>>;
  reload: () => Promise<void>;
  repositories: readonly PlacedRepository[];
}

export interface Loaded {
  connection: OwnConnection;
  etag: string | undefined;
}

/** Loads a connection of this account. Throws `Problem` for a connection of another account or of the platform. */
export async function loadOwn(account_id: string, data_connection_id: string): Promise<Loaded> {
  const params = { path: { data_connection_id } };
  const { data, etag } = await answerOf(api.GET('/data-connections/{data_connection_id}', { params }));
  const { authentication, ...connection } = data;
  if (connection.owner_account_id !== account_id) {
    throw new Problem(404, 'not_found', texts.problems['access_denied'] ?? texts.failed);
  }
  const role_arn = authentication !== undefined && 'role_arn' in authentication ? authentication.role_arn : undefined;
  return { connection: { ...connection, role_arn }, etag };
}

export function versionOf({ connection, etag }: Loaded): Version<OwnDraft> {
  return { values: ownDraftOf(connection), etag };
}
