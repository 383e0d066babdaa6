import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { made } from '../../functions/users.ts';
import { send } from '../../lib/local/http-client.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { sendAnonymous } from '../../service/signed-requests.ts';
import { untilTold } from '../../service/until-told.ts';
import { watchRequests } from '../../service/watched-requests.ts';

export const account = 'tide-institute';
export const hit = 'Hit from cloudfront';
export const miss = 'Miss from cloudfront';

/**
 * Starts a service for the tests of this file that caches open data for one minute. A test can make its table fail, and
 * reports revocations to the caches by hand.
 */
export async function serviceOverTable() {
  const table = { name: `test-${randomUUID()}`, isDown: false };
  const service = await startSeededService({
    tableName: table.name,
    openDataCacheSeconds: 60,
    instrument: watchRequests(() => {
      if (table.isDown) throw new Error('the table is down');
    }).instrument,
  });
  afterAll(() => {
    table.isDown = false;
    return service.close();
  });
  service.invalidations.close();
  const owner = await service.user('ada');
  let isStreamRunning = true;
  const stopStream = () => {
    isStreamRunning = false;
    return service.stream.close();
  };
  /** Changes a repository of the seeded organization, and waits until the change feed, if it runs, has the change. */
  const told = <T>(repository_id: string, change: () => Promise<T>): Promise<T> =>
    isStreamRunning ? untilTold(service, table.name, `REPOSITORY#${account}/${repository_id}`, change) : change();
  /** Creates an open repository. Returns the path of an object. */
  const openRepository = async (repository_id: string, data_connection_id: string): Promise<string> => {
    const meta = { title: `Title of ${repository_id}`, description: 'D', tags: 't' };
    const created = { repository_id, data_mode: 'open', meta, data_connection_id };
    await told(repository_id, () => made(owner('POST', `/repositories/${account}`, created)));
    service.advance(15);
    return `/${account}/${repository_id}/a.csv`;
  };
  /** Makes a repository private. Returns the time of the change. */
  const close = async (repository_id: string): Promise<number> => {
    await made(owner('PUT', `/repositories/${account}/${repository_id}/data-mode`, { data_mode: 'private' }));
    return service.services.clock();
  };
  return { service, table, owner, told, stopStream, openRepository, close };
}

type Headers = Record<string, string>;

/** Returns functions that read data anonymously, with the complete response or a summary. */
export function readersOf(service: SeededService) {
  const read = (path: string, headers: Headers = {}, method = 'GET') => sendAnonymous(service, method, path, headers);
  const seen = async (path: string, headers: Headers = {}) => {
    const answer = await read(path, headers);
    return [answer.status, answer.body.toString(), answer.headers['x-cache']];
  };
  return { read, seen };
}

/** Returns functions that request pages as a browser does. */
export function pagesOf(service: SeededService) {
  const port = Number(new URL(service.apiUrl).port);
  const ask = (path: string, headers: Headers = {}, method = 'GET') => send(port, { method, path, headers });
  const seen = async (path: string, headers: Headers = {}) => {
    const answer = await ask(path, headers);
    return [answer.status, answer.headers['x-cache']];
  };
  const forget = (): void => {
    service.pageCache.invalidate(['/*']);
    service.advance(6);
  };
  return { ask, seen, forget };
}
