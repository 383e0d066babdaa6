import { randomUUID } from 'node:crypto';
import { seedNames } from '../../../lib/local/seed.ts';
import { send } from '../../lib/local/http-client.ts';
import { type SeededService, startSeededService } from '../../service/seeded-service.ts';
import { untilTold } from '../../service/until-told.ts';

interface Table {
  name: string;
  isDown: boolean;
}

export function newTable(): Table {
  return { name: `test-${randomUUID()}`, isDown: false };
}

/** A service that keeps open data for a minute, whose table can be down, and whose caches are told of closings by hand. */
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
  service.closings.close();
  return service;
}

/** What changes a repository of the seeded organization, and waits until instances can hear of it. */
export function tellerOf(service: () => SeededService, table: Table) {
  return <T>(repository_id: string, change: () => Promise<T>): Promise<T> =>
    untilTold(service(), table.name, `REPOSITORY#${seedNames.organization_id}/${repository_id}`, change);
}

/** What a browser asks of the pages. */
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
