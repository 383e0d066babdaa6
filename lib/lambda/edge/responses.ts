import { readEdgeConfig } from '../../edge/config.ts';
import type { ResponseServices } from '../../edge/shape-response-handler.ts';
import { createStorageCheck } from '../../edge/storage-check.ts';
import type { StorageHealthReports } from '../../edge/storage-health.ts';
import { edgeLog } from './log.ts';

/**
 * Creates the services of the deployed origin-response function. The function reads no secrets. It writes to the table
 * only to report a fault of storage.
 */
export function createDeployedResponses(): ResponseServices {
  const { open_data_cache_seconds: openDataCacheSeconds, site } = readEdgeConfig();
  const checkStorage = createStorageCheck(Date.now, { answered: reportLate });
  return { checkStorage, clock: Date.now, openDataCacheSeconds, log: edgeLog, site };
}

let reports: Promise<Pick<StorageHealthReports, 'answered'>> | undefined;

/** Reports a fault of storage. Loads the client of the table only at the first fault. */
function reportLate(...answered: Parameters<StorageHealthReports['answered']>): void {
  reports ??= import('./storage-reports.ts').then(({ createStorageReports }) => createStorageReports());
  reports
    .then((loaded) => loaded.answered(...answered))
    .catch((failure) => edgeLog({ request_id: 'storage health', failure }));
}
