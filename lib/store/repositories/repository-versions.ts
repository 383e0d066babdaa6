import type { AuditEvent } from '../../domain/changes/audit.ts';
import { type RepositoryVersionRecord, repositoryVersionRecord } from '../../domain/data/repository-versions.ts';
import { ServiceError } from '../../domain/errors.ts';
import { limits } from '../../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../../domain/list-pages.ts';
import { auditWrite } from '../audit.ts';
import { encode } from '../codec.ts';
import { inList, keys, lists } from '../keys.ts';
import { TableStore } from '../table.ts';
import { put, update } from '../writes.ts';

export class RepositoryVersionStore extends TableStore {
  /** Creates a version. Throws `version_name_taken` if the repository ever had a version of this name. */
  async create(version: RepositoryVersionRecord, event: AuditEvent): Promise<void> {
    const { versions_uid, name, created_at, version_uid } = version;
    await this.table.transact([
      put(
        encode('repository_version', version, {
          key: keys.repositoryVersion(versions_uid, name),
          list: inList(lists.versions(versions_uid), created_at, version_uid),
        }),
        { exists: false },
        new ServiceError(
          'version_name_taken',
          `The repository has a version ${name} already, and names are never reused; choose another name`,
        ),
      ),
      update(
        keys.repositoryVersionCount(versions_uid),
        { set: { entity: 'repository_version_count' }, add: { version_count: 1 } },
        { absentOrLessThan: { version_count: limits.versionsMax } },
        new ServiceError('limit_reached', `A repository has at most ${limits.versionsMax} versions`),
      ),
      auditWrite(event),
    ]);
  }

  async find(versionsUid: string, name: string): Promise<RepositoryVersionRecord | undefined> {
    return this.table.find(repositoryVersionRecord, keys.repositoryVersion(versionsUid, name));
  }

  /** Lists the versions of a repository in every state, oldest first. */
  async list(versionsUid: string, page: ListPageRequest): Promise<ListPage<RepositoryVersionRecord>> {
    return this.table.list(repositoryVersionRecord, 'lists', lists.versions(versionsUid), page);
  }
}
