import { Avatar } from '../../../lib/pages/site/avatar.tsx';
import { counted, formatBytes, formatCount, formatDay } from '../../../lib/pages/site/format.ts';
import { api, dataOf, type Inventory as Files } from '../api/client.ts';
import { type EventGroup, groupEvents } from '../audit-trail/descriptions.ts';
import { useNames } from '../audit-trail/names.ts';
import { Sentence } from '../audit-trail/sentence.tsx';
import { Button } from '../components/button.tsx';
import { Properties } from '../components/list.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { useAction } from '../components/once.ts';
import { Minute } from '../components/time.tsx';
import { readReadme } from '../readme/readme-data.ts';
import { Rendered } from '../readme/rendered.tsx';
import { hrefOf } from '../router.ts';
import { loadRights, type RepositoryScope } from '../scopes.ts';
import { roleLabels } from '../views/roles.ts';

interface BlockProps {
  scope: RepositoryScope;
}

const pathOf = ({ account_id, repository_id }: RepositoryScope) => ({ account_id, repository_id });
const viewOf = ({ account_id, repository_id }: RepositoryScope) => `/repositories/${account_id}/${repository_id}`;
const keysOf = ({ account_id, repository_id }: RepositoryScope) => [account_id, repository_id];

/** Shows the README of a repository. For an empty repository, shows the first steps. */
export function Readme({ scope, isWriter }: BlockProps & { isWriter: boolean }) {
  const { repository } = scope;
  const loading = useLoading(() => readReadme(pathOf(scope), new AbortController().signal), keysOf(scope));
  const isOpen = repository.data_mode === 'open' && !repository.disabled;
  return (
    <section class="block">
      <h3>README</h3>
      <Loaded loading={loading}>
        {({ readme, top, source }) => (
          <>
            {top.files.length + top.folders.length === 0 && <FirstSteps scope={scope} isWriter={isWriter} />}
            {readme !== undefined && (
              <Rendered text={readme.text} repository={pathOf(scope)} source={source} isOpen={isOpen} />
            )}
            {isWriter && top.files.length + top.folders.length > 0 && (
              <p>
                <a class="button second" href={hrefOf(`${viewOf(scope)}/readme`)}>
                  {readme === undefined ? 'Create a README' : 'Edit the README'}
                </a>
              </p>
            )}
            {readme === undefined && !isWriter && <p class="soft">There is no README.</p>}
          </>
        )}
      </Loaded>
    </section>
  );
}

function FirstSteps({ scope, isWriter }: BlockProps & { isWriter: boolean }) {
  if (!isWriter) return <p class="empty">This repository is empty.</p>;
  return (
    <div class="empty">
      <p>This repository is empty. Begin with one of these steps:</p>
      <p class="actions">
        <a class="button" href={hrefOf(`${viewOf(scope)}/files`)}>
          Upload files
        </a>
        <a class="button second" href={hrefOf(`${viewOf(scope)}/readme`)}>
          Create a README
        </a>
        <a class="button second" href={hrefOf(`/accounts/${scope.account_id}/service-accounts`)}>
          Connect CI
        </a>
      </p>
    </div>
  );
}

/** Shows the number, the size, and the formats of the files, with the time of the count. */
export function Inventory({ scope }: BlockProps) {
  const params = { path: pathOf(scope) };
  const loading = useLoading(
    () => dataOf(api.GET('/repositories/{account_id}/{repository_id}/inventory', { params })),
    keysOf(scope),
  );
  const { act, busy } = useAction(loading.reload);
  const count = () => dataOf(api.POST('/repositories/{account_id}/{repository_id}/inventory', { params }));
  return (
    <section class="card">
      <h3>Files</h3>
      <Loaded loading={loading}>
        {(inventory) => (
          <>
            <Counts inventory={inventory} />
            {scope.may('requestInventory') && (
              <Button
                kind="small"
                label="Count now"
                {...busy}
                onClick={() => void act(count, 'The count has begun.')}
              />
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Counts({ inventory }: { inventory: Files }) {
  const { state, files, bytes = 0, is_complete, newest_change, formats = [], counted_at, progress } = inventory;
  return (
    <>
      {state === 'running' && <p role="status">Counting: {counted(progress?.files ?? 0, 'file')} so far.</p>}
      {state === 'failed' && <p>The last count failed.</p>}
      {state === 'none' && <p class="soft">The files are not counted yet.</p>}
      {files !== undefined && (
        <Properties
          rows={[
            ['Files', `${is_complete === false ? 'more than ' : ''}${formatCount(files)}`],
            ['Size', formatBytes(bytes)],
            newest_change !== undefined && ['Last change', formatDay(newest_change)],
            formats.length > 0 && [
              'Formats',
              formats
                .slice(0, 5)
                .map(({ format }) => format || 'other')
                .join(', '),
            ],
            counted_at !== undefined && ['Counted', <Minute time={Date.parse(counted_at)} />],
          ]}
        />
      )}
    </>
  );
}

const peopleMax = 8;

/** Shows the first members of a repository. */
export function People({ scope }: BlockProps) {
  const params = { path: pathOf(scope), query: { limit: peopleMax } };
  const loading = useLoading(
    () => dataOf(api.GET('/repositories/{account_id}/{repository_id}/members', { params })),
    keysOf(scope),
  );
  return (
    <section class="card">
      <h3>
        <a href={hrefOf(`${viewOf(scope)}/people`)}>People</a>
      </h3>
      <Loaded loading={loading}>
        {(members) => {
          const shown = members.filter(({ state }) => state === 'member');
          if (shown.length === 0) return <p class="soft">Only members of the account have a role here.</p>;
          return (
            <ul class="people">
              {shown.map(({ membership_id, account_id, role }) => (
                <li key={membership_id}>
                  <Avatar of={{ account_id }} size="small" /> {account_id}{' '}
                  <span class="soft">{roleLabels[role].name}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}

/** Shows the service accounts with keys that may write to a repository. */
export function Machines({ scope }: BlockProps) {
  const params = { path: pathOf(scope) };
  const loading = useLoading(
    () => dataOf(api.GET('/repositories/{account_id}/{repository_id}/settings', { params })),
    keysOf(scope),
  );
  return (
    <section class="card">
      <h3>Machines that write with a key</h3>
      <Loaded loading={loading}>
        {({ writing_keys, has_more }) => {
          const ids = [...new Set(writing_keys.flatMap(({ service_account_id }) => service_account_id ?? []))];
          if (ids.length === 0) return <p class="soft">None.</p>;
          return (
            <ul class="people">
              {ids.map((id) => (
                <li key={id}>
                  <a href={hrefOf(`/accounts/${id.replace('--', '/service-accounts/')}`)}>{id}</a>
                </li>
              ))}
              {has_more && <li class="soft">and more</li>}
            </ul>
          );
        }}
      </Loaded>
    </section>
  );
}

const eventsMax = 5;

/** Shows the newest audit events of a repository among the newest ones of its account. */
export function Activity({ scope }: BlockProps) {
  const { account_id, repository_id } = scope;
  const params = { path: { account_id }, query: { limit: 100 } };
  const loading = useLoading(async () => {
    // Reading audit events is a permission for the account, so the repository's permissions do not contain it.
    const { may } = await loadRights(account_id);
    if (!may('listAuditEvents')) return undefined;
    return dataOf(api.GET('/accounts/{account_id}/audit-events', { params }));
  }, keysOf(scope));
  const state = loading.state.value;
  if (state.kind === 'ready' && state.value === undefined) return null;
  return (
    <section class="card">
      <h3>
        <a href={hrefOf(`/accounts/${account_id}/audit-trail`)}>Recent activity</a>
      </h3>
      <Loaded loading={loading}>
        {(events = []) => {
          const own = events.filter(
            ({ kind, subject }) => subject['repository_id'] === repository_id && kind !== 'data_credentials.issued',
          );
          if (own.length === 0) return <p class="soft">No recent change.</p>;
          return <Events events={groupEvents(own).slice(0, eventsMax)} account_id={account_id} />;
        }}
      </Loaded>
    </section>
  );
}

function Events({ events, account_id }: { events: readonly EventGroup[]; account_id: string }) {
  const names = useNames(account_id, events);
  return (
    <ul class="people">
      {events.map((event) => (
        <li key={event.event_id}>
          <Sentence event={event} account_id={account_id} names={names} />
          <div class="soft">
            {event.repeats && `${event.repeats.count} times, `}
            <Minute time={Date.parse(event.time)} />
          </div>
        </li>
      ))}
    </ul>
  );
}
