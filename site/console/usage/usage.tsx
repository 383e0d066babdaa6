import { useState } from 'preact/hooks';
import { formatBytes, formatCount } from '../../../lib/pages/site/format.ts';
import { DataTable } from '../../../lib/pages/site/tables.tsx';
import {
  clientsOf,
  countriesOf,
  type ShownUsage,
  sumOf,
  UsageChart,
  usagePath,
} from '../../../lib/pages/site/usage.tsx';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { CopyButton } from '../components/copy.tsx';
import { Loaded, useLoading } from '../components/loaded.tsx';
import { useAction } from '../components/once.ts';
import type { AccountViewProps, RepositoryViewProps } from '../routes.ts';
import type { RepositoryScope } from '../scopes.ts';

type By = ShownUsage['by'];

/** Shows the usage of a repository, of an account, or of the service. */
export function View({ repository, account }: Partial<RepositoryViewProps & AccountViewProps>) {
  if (repository !== undefined) return <RepositoryUsage scope={repository} />;
  return account === undefined ? <ServiceUsage /> : <AccountUsage account_id={account.account_id} />;
}

/** Shows how a repository was read, and lets its owners hide the numbers. */
function RepositoryUsage({ scope }: { scope: RepositoryScope }) {
  const { account_id, repository_id, repository } = scope;
  const path = { account_id, repository_id };
  const isPublic = repository.data_mode === 'open' && !repository.disabled;
  return (
    <>
      <Usage
        keys={[account_id, repository_id]}
        load={(by) =>
          dataOf(api.GET('/repositories/{account_id}/{repository_id}/usage', { params: { path, query: { by } } }))
        }
      />
      <Files path={path} />
      <section class="block">
        <h2>For reports</h2>
        <p>The COUNTER report has the requests of each month, as funders and DataCite use them.</p>
        <Downloads path={path} />
      </section>
      {isPublic && <Badge path={path} />}
      {isPublic && scope.may('updateRepositorySettings') && <Publicity scope={scope} />}
    </>
  );
}

/** Shows how all repositories of an account were read. */
function AccountUsage({ account_id }: { account_id: string }) {
  const path = { account_id };
  return (
    <Usage
      keys={[account_id]}
      load={(by) => dataOf(api.GET('/accounts/{account_id}/usage', { params: { path, query: { by } } }))}
    />
  );
}

/** Shows how all repositories of the service were read. */
function ServiceUsage() {
  return <Usage keys={[]} load={(by) => dataOf(api.GET('/usage', { params: { query: { by } } }))} />;
}

function Usage({ keys, load }: { keys: readonly string[]; load: (by: By) => Promise<ShownUsage> }) {
  const [by, setBy] = useState<By>('day');
  const loading = useLoading(() => load(by), [...keys, by]);
  const option = (value: By, label: string) => (
    <Button kind="small" label={label} aria-pressed={by === value} onClick={() => setBy(value)} />
  );
  return (
    <>
      <p class="actions">
        {option('day', 'Last 30 days')} {option('month', 'Last 12 months')}
      </p>
      <Loaded loading={loading}>{(usage) => <Numbers usage={usage} />}</Loaded>
    </>
  );
}

function Numbers({ usage }: { usage: ShownUsage }) {
  if (usage.periods.length === 0) {
    return (
      <p class="empty">
        Nobody has read files in this time. Numbers appear within minutes of a download on one machine, and within hours
        on AWS.
      </p>
    );
  }
  return (
    <>
      <p class="actions">
        {[
          [formatCount(sumOf(usage, 'downloads')), 'downloads'],
          [formatBytes(sumOf(usage, 'bytes')), 'read'],
          [formatCount(sumOf(usage, 'requests')), 'requests'],
        ].map(([value, label]) => (
          <span key={label}>
            <strong>{value}</strong> {label}
          </span>
        ))}
      </p>
      <UsageChart usage={usage} />
      <Shares title="Read with" rows={clientsOf(usage)} />
      <Shares title="Countries" rows={countriesOf(usage)} />
    </>
  );
}

function Shares({ title, rows }: { title: string; rows: readonly { name: string; downloads: number }[] }) {
  if (rows.length === 0) return null;
  return (
    <section class="block">
      <h2>{title}</h2>
      <DataTable
        label={title}
        table={{
          columns: [{ name: title }, { name: 'Downloads', isNumber: true }],
          rows: rows.map(({ name, downloads }) => [name, formatCount(downloads)]),
        }}
      />
    </section>
  );
}

interface RepositoryPath {
  path: { account_id: string; repository_id: string };
}

/** Shows the most downloaded files of this month. */
function Files({ path }: RepositoryPath) {
  const loading = useLoading(
    () => dataOf(api.GET('/repositories/{account_id}/{repository_id}/usage/files', { params: { path } })),
    Object.values(path),
  );
  return (
    <Loaded loading={loading}>
      {({ period, files }) =>
        files.length > 0 && (
          <section class="block">
            <h2>Most downloaded files of {period}</h2>
            <DataTable
              label="Most downloaded files"
              table={{
                columns: [
                  { name: 'File' },
                  ...['Downloads', 'Requests', 'Bytes'].map((name) => ({ name, isNumber: true })),
                ],
                rows: files.map((file) => [
                  file.path,
                  formatCount(file.downloads),
                  formatCount(file.requests),
                  formatBytes(file.bytes),
                ]),
              }}
            />
          </section>
        )
      }
    </Loaded>
  );
}

/**
 * Offers the numbers as files. For a private repository, the request needs the access token, so a plain link would not
 * work.
 */
function Downloads({ path }: RepositoryPath) {
  const { act, busy } = useAction(async () => undefined);
  const params = { path };
  const csv = async () => {
    const query = { by: 'month' } as const;
    const table = await dataOf(
      api.GET('/repositories/{account_id}/{repository_id}/usage.csv', { params: { path, query }, parseAs: 'text' }),
    );
    saveAs(`${path.repository_id}-usage.csv`, 'text/csv', table);
  };
  const report = async () => {
    const found = await dataOf(api.GET('/repositories/{account_id}/{repository_id}/usage/counter', { params }));
    saveAs(`${path.repository_id}-counter.json`, 'application/json', JSON.stringify(found, undefined, 2));
  };
  return (
    <p class="actions">
      <Button label="Download CSV" {...busy} onClick={() => void act(csv)} />
      <Button label="Download COUNTER report" {...busy} onClick={() => void act(report)} />
    </p>
  );
}

function saveAs(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

function Badge({ path }: RepositoryPath) {
  const url = `${location.origin}${usagePath(path)}/badge.svg`;
  const page = `${location.origin}/${path.account_id}/${path.repository_id}`;
  const markdown = `[![Downloads](${url})](${page})`;
  return (
    <section class="block">
      <h2>Badge</h2>
      <p>
        <img src={url} alt="Downloads in the last 30 days" height="20" />
      </p>
      <p>
        <code>{markdown}</code> <CopyButton text={markdown} label="the badge" />
      </p>
    </section>
  );
}

/** Shows who sees the numbers of an open repository, and lets its owners change this. */
function Publicity({ scope }: { scope: RepositoryScope }) {
  const { account_id, repository_id } = scope;
  const params = { path: { account_id, repository_id } };
  const loading = useLoading(
    () => dataOf(api.GET('/repositories/{account_id}/{repository_id}/settings', { params })),
    [account_id, repository_id],
  );
  const { act, busy } = useAction(loading.reload);
  const change = (hides_usage: boolean) =>
    dataOf(api.PATCH('/repositories/{account_id}/{repository_id}/settings', { params, body: { hides_usage } }));
  return (
    <section class="block">
      <h2>Who sees these numbers</h2>
      <Loaded loading={loading}>
        {({ hides_usage }) => (
          <>
            <p>
              {hides_usage ? 'Only managers of this repository see them.' : 'Everybody sees them on the public page.'}
            </p>
            <Button
              label={hides_usage ? 'Show them to everybody' : 'Hide them from the public'}
              {...busy}
              onClick={() => void act(() => change(!hides_usage), 'Saved')}
            />
          </>
        )}
      </Loaded>
    </section>
  );
}
