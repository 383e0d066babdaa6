import { handler as buildSearchIndex } from '../../functions/table/build-search-index.ts';
import type { IndexBuilderServices } from '../search/build-index.ts';
import { runningAs } from './running-function.ts';

/** Same period as the schedule of a deployment. */
const everyMs = 5 * 60_000;

/** Builds the search index at once, and every five minutes when it is due. */
export function startIndexBuilder(
  services: IndexBuilderServices,
  report: (source: string) => (failure: unknown) => void,
): AsyncDisposable {
  const name = 'build-search-index';
  const run = runningAs(name, buildSearchIndex.withServices(services));
  const build = (): Promise<void> => run(undefined).catch(report(name));
  let building = build();
  const timer = setInterval(() => {
    building = build();
  }, everyMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await building;
    },
  };
}
