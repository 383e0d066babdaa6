import { versionOfOlder } from '../../domain/versions.ts';
import { versionsOfRecords } from '../versions.ts';
import { attributesOf, type Migration } from './migration.ts';

/**
 * Gives what an older release wrote the version that it counts as without one. That release raises none, and drops it where
 * it replaces a whole item; so until this is finished tags vouch for the fields too.
 */
export const versions: Migration = {
  ...versionsOfRecords,
  entities: ['account', 'service_account', 'repository', 'data_connection'],
  changes: (item) => (item['version'] === undefined ? attributesOf(item, { version: versionOfOlder }) : []),
};
