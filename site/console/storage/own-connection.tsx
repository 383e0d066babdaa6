import { CopyButton } from '../components/copy.tsx';
import { Guide, type GuideStep } from '../components/guide.tsx';
import { Properties } from '../components/list.tsx';
import { type Loading, Loaded as Ready, useLoading } from '../components/loaded.tsx';
import { listedModes, usageLabels } from '../platform/connection-form.tsx';
import { type Testing, useTesting } from '../platform/connection-test.tsx';
import { hrefOf } from '../router.ts';
import type { AccountViewProps } from '../routes.ts';
import { ConnectionState, describeAccess, StorageHealth, stepTitles } from './connection-parts.tsx';
import { Credentials, OwnEndings, OwnSettings } from './manage.tsx';
import { type Loaded, loadOwn, type OwnConnection, type OwnProps, versionOf } from './own.ts';
import { OwnTest } from './own-test.tsx';
import { MarkerTask, RoleTasks } from './owner-tasks.tsx';
import { describeLocation } from './providers.ts';
import { CreateRepository, RepositoriesOn } from './repositories-on.tsx';
import { loadUsage, type Usage } from './usage.ts';

/** Shows one connection of an account: the next step of a draft, its use, its tests, and its changes. */
export function View({ account: { account_id, may }, parameters: { name: id = '' } }: AccountViewProps) {
  const loading = useLoading(() => loadOwn(account_id, id), [account_id, id]);
  const usage = useLoading(() => loadUsage(account_id), [account_id]);
  const testing = useTesting(id);
  const mayManage = may('createAccountDataConnection');
  return (
    <Ready loading={loading}>
      {(shown) => <Own {...shown} {...{ account_id, mayManage, loading, usage, testing }} />}
    </Ready>
  );
}

interface OwnViewProps extends Loaded {
  account_id: string;
  mayManage: boolean;
  loading: Loading<Loaded>;
  usage: Loading<Usage>;
  testing: Testing;
}

function Own({ account_id, connection, etag, mayManage, loading, usage, testing }: OwnViewProps) {
  const { data_connection_id: id, state } = connection;
  const isDraft = state === 'draft';
  const counted = usage.state.value;
  const repositories = counted.kind === 'ready' ? counted.value.repositoriesOn(id) : [];
  const own: OwnProps = {
    account_id,
    connection,
    was: versionOf({ connection, etag }),
    read: async () => versionOf(await loadOwn(account_id, id)),
    reload: loading.reload,
    repositories,
  };
  const test = <OwnTest connection={connection} etag={etag} testing={testing} loading={loading} />;
  const isGuided = mayManage && (isDraft || (counted.kind === 'ready' && repositories.length === 0));
  return (
    <>
      <Title
        connection={connection}
        account_id={account_id}
        isUsed={counted.kind !== 'ready' || repositories.length > 0}
      />
      {isDraft && repositories.length > 0 && (
        <p class="notice problem">
          Its role has changed. Requests to its repositories are refused until the test passes.
        </p>
      )}
      {mayManage && connection.disabled_by !== undefined && (
        <p class="notice problem">
          An administrator made this storage read-only. Ask an administrator to enable it again.
        </p>
      )}
      {mayManage && <StorageHealth {...connection} />}
      {isGuided && <Guide label="Connect storage" steps={stepsOf(own, test)} />}
      <section class="block">
        <h3>Connection</h3>
        <Facts connection={connection} />
        {!isDraft && mayManage && <RoleDetails {...connection} />}
      </section>
      {mayManage && !isGuided && (
        <section class="block">
          <h3>Test</h3>
          {test}
        </section>
      )}
      {!isGuided && (
        <section class="block">
          <h3>Repositories</h3>
          <RepositoriesOn usage={usage} id={id} />
          {mayManage && <CreateRepository account_id={account_id} id={id} />}
        </section>
      )}
      {mayManage && <OwnSettings {...own} />}
      {mayManage && <Credentials {...own} />}
      <OwnEndings {...own} mayManage={mayManage} usage={usage} />
    </>
  );
}

interface TitleProps {
  connection: OwnConnection;
  account_id: string;
  isUsed: boolean;
}

function Title({ connection, account_id, isUsed }: TitleProps) {
  const { data_connection_id: id, name, read_only } = connection;
  return (
    <>
      <div class="machine-id">
        <h3>{name}</h3>
        <ConnectionState {...connection} isUsed={isUsed} />
        {read_only && <span class="badge">read-only</span>}
      </div>
      <p class="soft">
        <code>{id}</code> <CopyButton text={id} label="the ID" /> ·{' '}
        <a href={hrefOf(`/accounts/${account_id}/audit-trail`)}>Activity of the account</a>
      </p>
    </>
  );
}

/**
 * Returns the steps from the bucket to the first repository. The page cannot detect whether the user has done the tasks
 * in the storage itself.
 */
function stepsOf({ account_id, connection, repositories }: OwnProps, test: GuideStep['children']): GuideStep[] {
  const { data_connection_id: id, identity, role_arn, marker_key, read_only, state } = connection;
  const isDraft = state === 'draft';
  const titles = stepTitles({ isByRole: identity !== undefined, isReadOnly: read_only });
  const task = isDraft ? 'open' : 'done';
  const steps: GuideStep[] = [{ title: titles.storage, state: 'done' }];
  if (titles.role !== undefined) {
    const tasks = isDraft && identity !== undefined && <RoleTasks identity={identity} roleArn={role_arn ?? ''} />;
    steps.push({ title: titles.role, state: task, children: tasks });
  }
  if (titles.marker !== undefined) {
    const tasks = marker_key !== undefined && <MarkerTask connection={connection} markerKey={marker_key} />;
    steps.push({ title: titles.marker, state: task, children: tasks });
  }
  steps.push({ title: titles.test, state: task, children: test });
  if (repositories.length === 0) {
    const create = <CreateRepository account_id={account_id} id={id} isFirst />;
    steps.push({ title: titles.repository, state: isDraft ? 'later' : 'open', children: create });
  }
  return steps;
}

function Facts({ connection }: { connection: OwnConnection }) {
  const { details, read_only, allowed_data_modes, role_arn } = connection;
  return (
    <Properties
      rows={[
        ['Storage', describeLocation(details)],
        ['Bucket and base prefix', <code>{`${details.bucket}/${details.base_prefix}`}</code>],
        ['Access', describeAccess(connection)],
        role_arn !== undefined && ['Role', <code>{role_arn}</code>],
        ['Use', `${usageLabels(read_only ? 'yes' : 'no')}: ${listedModes(allowed_data_modes)}`],
      ]}
    />
  );
}

/** Shows the policies of the role, for an owner who has to create the role again. */
function RoleDetails({ identity, role_arn = '' }: Pick<OwnConnection, 'identity' | 'role_arn'>) {
  if (identity === undefined) return null;
  return (
    <details>
      <summary>The role and its policies in AWS</summary>
      <RoleTasks identity={identity} roleArn={role_arn} />
    </details>
  );
}
