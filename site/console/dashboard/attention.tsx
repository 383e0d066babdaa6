import { formatDay } from '../../../lib/pages/site/format.ts';
import { api, dataOf } from '../api/client.ts';
import { Bounded } from '../components/bounded.tsx';
import { Loaded, type Loading, LoadingNote, useLoading } from '../components/loaded.tsx';
import { createdKeysPath } from '../machines/created-keys-path.ts';
import { hrefOf } from '../router.ts';
import { isFailing } from '../storage/health.ts';
import { pathOf, type Repositories, titleOf } from './repositories.tsx';
import type { AccountRights } from './scope.ts';

/** A problem in the user's accounts that the user may need to solve. */
interface Matter {
  /** The path of the view in which the user can solve the problem. */
  path: string;
  /** The name of the resource with the problem. */
  name: string;
  words: string;
}

const shownAtFirst = 5;
const keysEndWithinMs = 14 * 24 * 3600 * 1000;
const eventsOfDays = 14;
/** The maximum number of failed versions that are read for each account. */
const versionsRead = 5;

interface AttentionProps {
  rights: Loading<readonly AccountRights[]>;
  repositories: Loading<Repositories>;
  /** The account ID of the user. */
  me: string;
}

/** Lists disabled resources, failed versions, and keys that expire soon. */
export function Attention({ rights, repositories, me }: AttentionProps) {
  const state = rights.state.value;
  const accounts = state.kind === 'ready' ? state.value : [];
  const loading = useLoading(
    async () => (await Promise.all(accounts.map((each) => mattersOf(each, me)))).flat(),
    accounts.map(({ account_id }) => account_id),
  );
  const listed = repositories.state.value;
  const disabled = (listed.kind === 'ready' ? listed.value.rows : [])
    .filter((each) => each.disabled)
    .map((each): Matter => {
      const words = each.delete_at === undefined ? 'is disabled' : `will be deleted on ${formatDay(each.delete_at)}`;
      return { path: `${pathOf(each)}/settings/danger-zone`, name: titleOf(each), words };
    });
  return (
    <section class="block">
      <h2>Needs attention</h2>
      {state.kind === 'loading' && <LoadingNote />}
      {state.kind === 'failed' && <Loaded loading={rights}>{() => null}</Loaded>}
      {state.kind === 'ready' && (
        <Loaded loading={loading}>
          {(found) => {
            const all = [...disabled, ...found];
            if (all.length === 0) return <p class="soft">Nothing needs your attention.</p>;
            return (
              <Bounded items={all} max={shownAtFirst} of="matters">
                {(shown) => (
                  <ul class="people">
                    {shown.map(({ path, name, words }) => (
                      <li key={path + name}>
                        <a href={hrefOf(path)}>{name}</a> {words}
                      </li>
                    ))}
                  </ul>
                )}
              </Bounded>
            );
          }}
        </Loaded>
      )}
    </section>
  );
}

/** Loads the problems in one account that the user may see. */
async function mattersOf({ account_id, name, may }: AccountRights, me: string): Promise<Matter[]> {
  const params = { path: { account_id } };
  const when = <Value,>(isAllowed: boolean, load: () => Promise<Value[]>) => (isAllowed ? load() : Promise.resolve([]));
  const found = await Promise.all([
    // Omit the user's own account, because a banner above all views already says that it is disabled.
    when(may('getAccount') && account_id !== me, async () => {
      const account = await dataOf(api.GET('/accounts/{account_id}', { params }));
      if (!account.disabled) return [];
      return [{ path: `/accounts/${account_id}/settings/danger-zone`, name, words: 'is disabled' }];
    }),
    when(may('listAccountDataConnections'), async () => {
      const connections = await dataOf(api.GET('/accounts/{account_id}/data-connections', { params }));
      return connections.filter(isFailing).map((each) => ({
        path: `/accounts/${account_id}/storage/connections/${each.data_connection_id}`,
        name: each.name,
        words: `has failed since ${formatDay(each.health?.failing_since ?? each.health?.failed_at)}`,
      }));
    }),
    when(may('listMadeKeys'), async () => {
      const query = { created_by: me, limit: 100 };
      const keys = await dataOf(api.GET('/accounts/{account_id}/keys', { params: { ...params, query } }));
      const endsSoon = (at: string | null) => at !== null && Date.parse(at) - Date.now() < keysEndWithinMs;
      return keys
        .filter(({ state, expires_at }) => state === 'active' && endsSoon(expires_at))
        .map((key) => ({
          path: createdKeysPath(account_id, me),
          name: `The key “${key.name}”`,
          words: `ends on ${formatDay(key.expires_at ?? undefined)}`,
        }));
    }),
    when(may('listFileDeletions'), async () => {
      const query = { limit: 20 };
      const deletions = await dataOf(
        api.GET('/accounts/{account_id}/file-deletions', { params: { ...params, query } }),
      );
      return deletions
        .filter(({ state, problem }) => state === 'running' && problem !== undefined)
        .map(({ repository_id, problem }) => ({
          path: `/accounts/${account_id}`,
          name: `The deletion of the files of ${repository_id}`,
          words: `does not proceed. ${problem?.message}`,
        }));
    }),
    when(may('listAuditEvents'), () => failedVersions(account_id)),
  ]);
  return found.flat();
}

/** Finds the versions whose freeze failed in the last days. Omits a version that was deleted or frozen since. */
async function failedVersions(account_id: string): Promise<Matter[]> {
  const from = new Date(Date.now() - eventsOfDays * 24 * 3600 * 1000).toISOString().slice(0, 10);
  const query = { kind: 'version.failed' as const, from, limit: versionsRead };
  const events = await dataOf(
    api.GET('/accounts/{account_id}/audit-events', { params: { path: { account_id }, query } }),
  );
  const names = new Map(events.map(({ subject }) => [`${subject['repository_id']}/${subject['name']}`, subject]));
  const versions = await Promise.all(
    [...names.values()].map(async ({ repository_id = '', name: version_name = '' }) => {
      const path = { account_id, repository_id, version_name };
      const found = dataOf(
        api.GET('/repositories/{account_id}/{repository_id}/versions/{version_name}', { params: { path } }),
      );
      // Ignore errors, because the repository may have been deleted or transferred.
      const version = await found.catch(() => undefined);
      return version?.state === 'failed' ? [{ repository_id, version_name }] : [];
    }),
  );
  return versions.flat().map(({ repository_id, version_name }) => ({
    path: `/repositories/${account_id}/${repository_id}/versions/${version_name}`,
    name: `The version ${version_name} of ${repository_id}`,
    words: 'failed',
  }));
}
