import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { roleLabels } from '../views/roles.ts';

type Event = Schemas['AuditEvent'];
/**
 * Display names by resource ID: labels of keys, names of members, and repositories of workflows. Also contains the name
 * of each loaded list.
 */
export type Names = ReadonlyMap<string, string>;

/**
 * The maximum number of lists that the audit trail view reads for names, one page of each. A resource that is not on
 * these pages is shown by its ID.
 */
const sourcesMax = 20;
const query = { limit: 1000 };

type Named = readonly (readonly [id: string, name: string])[];

/** Loads display names for the resources of the events from the API's lists. */
export function useNames(account_id: string, events: readonly Event[]): Names {
  const names = useSignal<Names>(new Map());
  const requested = useRef(new Set<string>());
  useEffect(() => {
    for (const { subject } of events) {
      for (const [key, load] of sourcesOf(account_id, subject)) {
        if (requested.current.has(key) || requested.current.size >= sourcesMax) continue;
        requested.current.add(key);
        // The user may lack the permission for this list, or its resource may be deleted. The view then shows only IDs.
        void load().then(
          (found) => {
            names.value = new Map([...names.value, ...found, [key, '']]);
          },
          () => undefined,
        );
      }
    }
  }, [account_id, events]);
  return names.value;
}

type Source = readonly [key: string, load: () => Promise<Named>];

function sourcesOf(account_id: string, subject: Event['subject']): readonly Source[] {
  const { repository_id, service_account_id, membership_id, access_key_id, key_id, workflow_id } = subject;
  const sources: Source[] = [];
  if (membership_id !== undefined) {
    sources.push([`members of ${repository_id ?? ''}`, () => memberships(account_id, repository_id)]);
  }
  if (access_key_id !== undefined) {
    sources.push([`API keys of ${repository_id ?? ''}`, () => apiKeys(account_id, repository_id)]);
  }
  if (service_account_id !== undefined && key_id !== undefined) {
    sources.push([`keys of ${service_account_id}`, () => serviceAccountKeys(service_account_id)]);
  }
  if (service_account_id !== undefined && workflow_id !== undefined) {
    sources.push([`workflows of ${service_account_id}`, () => workflows(service_account_id)]);
  }
  return sources;
}

async function memberships(account_id: string, repository_id: string | undefined): Promise<Named> {
  const found = await dataOf(
    repository_id === undefined
      ? api.GET('/accounts/{account_id}/members', { params: { path: { account_id }, query } })
      : api.GET('/repositories/{account_id}/{repository_id}/members', {
          params: { path: { account_id, repository_id }, query },
        }),
  );
  return found.map((each) => [
    each.membership_id,
    `${each.account_name || each.account_id}, ${roleLabels[each.role].name.toLowerCase()}`,
  ]);
}

async function apiKeys(account_id: string, repository_id: string | undefined): Promise<Named> {
  const found = await dataOf(
    repository_id === undefined
      ? api.GET('/accounts/{account_id}/api-keys', { params: { path: { account_id }, query } })
      : api.GET('/repositories/{account_id}/{repository_id}/api-keys', {
          params: { path: { account_id, repository_id }, query },
        }),
  );
  return found.map(({ access_key_id, name }) => [access_key_id, name]);
}

async function serviceAccountKeys(service_account_id: string): Promise<Named> {
  const params = { path: { service_account_id }, query };
  const found = await dataOf(api.GET('/service-accounts/{service_account_id}/keys', { params }));
  return found.map(({ key_id, label }) => [key_id, label]);
}

async function workflows(service_account_id: string): Promise<Named> {
  const params = { path: { service_account_id }, query };
  const found = await dataOf(api.GET('/service-accounts/{service_account_id}/trusted-workflows', { params }));
  return found.map(({ workflow_id, subject }) => [workflow_id, subject]);
}
