import { randomUUID } from 'node:crypto';
import { seedNames } from '../../../lib/local/seed.ts';
import { made } from '../../functions/people.ts';
import { send } from '../../lib/local/http-client.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { sendAnonymous } from '../../service/signed-requests.ts';
import type { Client } from '../../service/test-service.ts';
import { untilTold } from '../../service/until-told.ts';

interface Table {
  name: string;
  isDown: boolean;
}

export function newTable(): Table {
  return { name: `test-${randomUUID()}`, isDown: false };
}

/**
 * Starts a service that caches open data for one minute. A test can make its table fail, and reports revocations to the
 * caches by hand.
 */
export async function startOverTable(table: Table): Promise<SeededService> {
  const service = await startSeededService({
    tableName: table.name,
    openDataCacheSeconds: 60,
    instrument: (client) =>
      client.middlewareStack.add(
        (next) => (input) => (table.isDown ? Promise.reject(new Error('the table is down')) : next(input)),
        { step: 'initialize' },
      ),
  });
  service.invalidations.close();
  return service;
}

/**
 * Returns functions that change a repository of the seeded organization, and wait until the change feed has the change.
 */
export function tellerOf(service: () => SeededService, table: Table) {
  return <T>(repository_id: string, change: () => Promise<T>): Promise<T> =>
    untilTold(service(), table.name, `REPOSITORY#${seedNames.organization_id}/${repository_id}`, change);
}

/** Returns a function that creates an open repository on a test's storage. It resolves with the path of an object. */
export function openerOf(service: () => SeededService, owner: () => Client, table: Table) {
  const told = tellerOf(service, table);
  const account = seedNames.organization_id;
  return async (repository_id: string): Promise<string> => {
    const meta = { title: 'T', description: 'D', tags: 't' };
    const created = { repository_id, data_mode: 'open', meta, data_connection_id: 'ours' };
    await told(repository_id, () => made(owner()('POST', `/repositories/${account}`, created)));
    service().advance(15);
    return `/${account}/${repository_id}/a.csv`;
  };
}

/** Returns functions that read data anonymously, with the complete response or a summary. */
export function readersOf(service: () => SeededService) {
  const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    sendAnonymous(service(), method, path, headers);
  return {
    read,
    seen: async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const answer = await read(path, headers, method);
      return [answer.status, answer.body.toString(), answer.headers['x-cache']];
    },
  };
}

/** Returns functions that request pages as a browser does. */
export function pagesOf(service: () => SeededService) {
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    send(Number(new URL(service().apiUrl).port), { method, path, headers });
  return {
    ask,
    seen: async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const answer = await ask(path, headers, method);
      return [answer.status, answer.headers['x-cache']];
    },
    forget: (): void => {
      service().pageCache.invalidate(['/*']);
      service().advance(6);
    },
  };
}
