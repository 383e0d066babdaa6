import type { Schemas } from '../api/client.ts';
import { Minute } from '../components/time.tsx';
import { checkWords } from '../platform/connection-test.tsx';
import { isFailing } from './health.ts';

type Connection = Schemas['DataConnection'];

export const storagePath = (account_id: string) => `/accounts/${account_id}/storage`;
export const connectPath = (account_id: string) => `${storagePath(account_id)}/connect`;
export const connectionPath = (account_id: string, id: string) => `${storagePath(account_id)}/connections/${id}`;

const authenticationLabels = {
  s3_web_identity_role: 'AWS role, no stored secret',
  s3_assume_role: 'AWS role with an external ID',
  s3_access_key: 'Access key',
} as const;

/** Describes how the service authenticates at the storage. */
export function describeAccess({ authentication_type: type }: Pick<Connection, 'authentication_type'>): string {
  return type === undefined ? 'Public bucket' : authenticationLabels[type];
}

type Health = NonNullable<Connection['health']>;

interface ConnectionStateProps extends Pick<Connection, 'state' | 'health'> {
  isUsed: boolean;
}

/** Shows the state of a connection. A connection that a repository uses counts as working until it fails. */
export function ConnectionState({ state, health, isUsed }: ConnectionStateProps) {
  if (state === 'draft') return <span class="badge over">draft</span>;
  if (isFailing({ health })) return <span class="badge over">failing</span>;
  return isUsed ? <span class="badge live">working</span> : <span class="badge">not used yet</span>;
}

/** Returns since when a failing connection fails, for lists. */
export function failingSince({ health }: Pick<Connection, 'health'>) {
  return health !== undefined && isFailing({ health }) && <Since {...health} />;
}

function Since({ failing_since, failed_at }: Health) {
  return (
    <>
      since <Minute time={Date.parse(failing_since ?? failed_at)} />
    </>
  );
}

/** Shows the last failure of the storage with its remedy, and when the storage last worked again after a failure. */
export function StorageHealth({ health }: Pick<Connection, 'health'>) {
  if (health === undefined) return null;
  const { failed_at, worked_at, step, message } = health;
  return (
    <section class={isFailing({ health }) ? 'notice problem' : 'notice'}>
      <p>
        {isFailing({ health }) ? (
          <>
            The storage has failed <Since {...health} />.{' '}
          </>
        ) : (
          'The storage works again. '
        )}
        Last failure: {checkWords[step].toLowerCase()}, <Minute time={Date.parse(failed_at)} />.
        {worked_at !== undefined && (
          <>
            {' '}
            Last recovery: <Minute time={Date.parse(worked_at)} />.
          </>
        )}
      </p>
      {isFailing({ health }) && <p>{message} Then test the connection.</p>}
    </section>
  );
}

interface Tasks {
  isByRole: boolean;
  isReadOnly: boolean;
}

/**
 * Returns the titles of the steps from connecting a bucket to creating a repository. A role or read-only storage adds a
 * step for the storage's owner.
 */
export function stepTitles({ isByRole, isReadOnly }: Tasks) {
  return {
    storage: 'Choose the storage',
    ...(isByRole && { role: 'Create the role in AWS' }),
    ...(isReadOnly && { marker: 'Show that the storage is yours' }),
    test: 'Test the connection',
    repository: 'Create a repository',
  };
}
