import { readEdgeConfig } from '../../edge/config.ts';
import { StorageHealthReports } from '../../edge/storage-health.ts';
import { StorageHealthStore } from '../../store/storage-health.ts';
import { createHomeRegionTable } from './home-region.ts';
import { edgeLog } from './log.ts';

/** Creates the reports about failures of storage, which go to the home region. */
export function createStorageReports(table = createHomeRegionTable(readEdgeConfig())): StorageHealthReports {
  const report = (failure: unknown) => edgeLog({ request_id: 'storage health', failure });
  return new StorageHealthReports(new StorageHealthStore(table), Date.now, report);
}
