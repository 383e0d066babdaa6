import { registry } from '../../../lib/operations/registry.ts';
import type { Client } from '../../service/test-service.ts';
import { connection, createOrganization, made, repository } from '../users.ts';

/** Reads of each resource, and changes by every operation that accepts `If-Match`. */

export interface Thing {
  /** The path of a GET that returns the resource. */
  shown: string;
  change(headers?: Record<string, string>): ReturnType<Client>;
}

type Prepare = (id: string) => Promise<Thing>;

export const changing = registry.filter(({ kind }) => kind === 'change');
export const showing = registry.filter(({ etag }) => etag !== undefined);

const meta = { title: 'T', description: 'D', tags: 'a,b' };

/**
 * Creates a separate resource for each operation. `by` is an administrator with the account `owner`, which has the
 * connection `store-one`.
 */
export function thingsOf(by: Client, owner: string): Readonly<Record<string, Prepare>> {
  const organization = async (id: string) => {
    await createOrganization(by, id);
    return `/accounts/${id}`;
  };
  const disabledOrganization = async (id: string) => {
    const shown = await organization(id);
    await made(by('POST', `${shown}/disable`));
    return shown;
  };
  const newRepository = async (id: string) => {
    await made(by('POST', `/repositories/${owner}`, repository(id)));
    return `/repositories/${owner}/${id}`;
  };
  const disabledRepository = async (id: string) => {
    const shown = await newRepository(id);
    await made(by('POST', `${shown}/disable`));
    return shown;
  };
  const deletedRepository = async (id: string) => {
    const shown = await newRepository(id);
    await made(by('POST', `${shown}/versions`, { name: 'v1' }));
    await made(by('POST', `${shown}/disable`));
    await made(by('POST', `${shown}/delete`, { confirm: `${owner}/${id}`, withdraw_versions: true }));
    return shown;
  };
  const serviceAccount = async (name: string) => {
    await made(by('POST', `/accounts/${owner}/service-accounts`, { name }));
    return `/service-accounts/${owner}--${name}`;
  };
  const newConnection = async (id: string) => {
    await made(by('POST', '/data-connections', stored(id)));
    return `/data-connections/${id}`;
  };
  const stored = (id: string, changes: object = {}) =>
    connection(id, { details: { ...connection(id).details, base_prefix: `_${id}/` }, ...changes });
  const changedBy =
    (
      prepare: (id: string) => Promise<string>,
      method: string,
      path: (shown: string) => string,
      body?: (id: string) => unknown,
    ): Prepare =>
    async (id) => {
      const shown = await prepare(id);
      return { shown, change: (headers) => by(method, path(shown), body?.(id), headers) };
    };
  const itself = (shown: string) => shown;
  const below = (end: string) => (shown: string) => `${shown}/${end}`;

  return {
    'update-profile': changedBy(organization, 'PUT', below('profile'), () => ({ bio: 'Changed' })),
    'update-account-flags': changedBy(organization, 'PUT', below('flags'), () => ['create_repositories']),
    'disable-account': changedBy(organization, 'POST', below('disable')),
    'enable-account': changedBy(disabledOrganization, 'POST', below('enable')),
    'delete-account': changedBy(disabledOrganization, 'POST', below('delete'), (id) => ({ confirm: id })),
    'update-repository': changedBy(newRepository, 'PUT', itself, () => ({ meta, state: 'listed' })),
    'update-repository-settings': changedBy(newRepository, 'PATCH', below('settings'), () => ({
      federated_only: true,
    })),
    'feature-repository': changedBy(newRepository, 'PUT', below('featured'), () => ({ order: 1 })),
    'disable-repository': changedBy(newRepository, 'POST', below('disable')),
    'enable-repository': changedBy(disabledRepository, 'POST', below('enable')),
    'restore-repository': changedBy(deletedRepository, 'POST', below('restore')),
    'change-data-mode': changedBy(newRepository, 'PUT', below('data-mode'), () => ({ data_mode: 'private' })),
    'delete-repository': changedBy(disabledRepository, 'POST', below('delete'), (id) => ({
      confirm: `${owner}/${id}`,
    })),
    'update-service-account': changedBy(serviceAccount, 'PATCH', itself, () => ({ description: 'Changed' })),
    'update-service-account-settings': changedBy(serviceAccount, 'PATCH', below('settings'), () => ({
      federated_only: true,
    })),
    'disable-service-account': changedBy(serviceAccount, 'POST', below('disable')),
    'enable-service-account': changedBy(
      async (name) => {
        const shown = await serviceAccount(name);
        await made(by('POST', `${shown}/disable`));
        return shown;
      },
      'POST',
      below('enable'),
    ),
    'delete-service-account': changedBy(serviceAccount, 'DELETE', itself),
    'update-data-connection': changedBy(newConnection, 'PUT', itself, (id) => stored(id, { name: 'Renamed' })),
    'disable-data-connection': changedBy(newConnection, 'DELETE', itself),
    'enable-data-connection': changedBy(
      async (id) => {
        const shown = await newConnection(id);
        await made(by('DELETE', shown));
        return shown;
      },
      'POST',
      below('enable'),
    ),
    'delete-data-connection': changedBy(newConnection, 'POST', below('delete'), (id) => ({ confirm: id })),
  };
}

export async function tagOf(client: Client, path: string): Promise<string> {
  return (await made(client('GET', path))).headers.get('etag') ?? 'none';
}
