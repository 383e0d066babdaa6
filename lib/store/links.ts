import type { AuditEvent } from '../domain/changes/audit.ts';
import { type LinkRecord, linkRecord } from '../domain/data/links.ts';
import { type RepositoryRecord, repositoryRecord } from '../domain/data/repositories.ts';
import { revokeLink } from '../domain/data/revoked-links.ts';
import { conflict, ServiceError } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import type { ListPage, ListPageRequest } from '../domain/list-pages.ts';
import { unusableLink } from '../domain/secrets/link-secrets.ts';
import { dayMs, parseTimestamp, toTimestamp } from '../domain/time.ts';
import { auditWrite } from './audit.ts';
import { encode } from './codec.ts';
import { enabledChecks } from './invitations/open-invitations.ts';
import { concurrentLink, countOpenLink, uncountOpenLink } from './invitations/open-links.ts';
import { inList, keys, lists, scopeOf } from './keys.ts';
import { retryOn, TableStore } from './table.ts';
import { countInWindow, put, remove, update, windowOf } from './writes.ts';

const overtaken = conflict('Another link was revoked at the same time; try again');
const noSuchLink = new ServiceError('not_found', 'No such link; list the links there are');

/** Stores links to private data. Links that were revoked recently are in the record of the repository. */
export class LinkStore extends TableStore {
  /**
   * Creates a link to private data. Refuses (409) at the limit of open links, and for a disabled account or repository.
   */
  async create(link: LinkRecord, event: AuditEvent, now: number): Promise<void> {
    const { account_id, repository_id, repository_uid: uid, link_id: id, expires_at } = link;
    const counted = openLinksOf(link);
    const create = async () => {
      const read = await this.table.get(counted.key);
      await this.table.transact([
        countOpenLink(counted, read, { id, ends_at: parseTimestamp(expires_at) }, now),
        put(encodeLink(link), { exists: false }),
        ...enabledChecks({ account_id, repository: { account_id, repository_id, uid } }, 'you share its data'),
        auditWrite(event),
      ]);
    };
    await retryOn(concurrentLink, limits.changeTriesMax, create, (attempt) => this.table.pause(attempt));
  }

  async find(linkId: string): Promise<LinkRecord | undefined> {
    return this.table.find(linkRecord, keys.link(linkId));
  }

  /** Lists the links to a repository's private data, oldest first. Revoked links are not listed. */
  async list({ uid }: Pick<RepositoryRecord, 'uid'>, page: ListPageRequest): Promise<ListPage<LinkRecord>> {
    return this.table.list(linkRecord, 'lists', lists.links(uid), page);
  }

  /**
   * Deletes a link to private data. The same transaction adds the link to the revoked links of its repository, so that
   * the data proxy refuses its credentials. Throws `not_found` for a link of another repository.
   */
  async revoke(linkId: string, repository: RepositoryRecord, event: AuditEvent, now: number): Promise<void> {
    const link = await this.find(linkId);
    if (link?.repository_uid !== repository.uid) throw noSuchLink;
    const { account_id, repository_id, uid } = repository;
    const key = keys.repository(account_id, repository_id);
    let current = repository;
    const revoke = async () => {
      const { revoked_links: listed } = current;
      const { revoked_links, endsAll } = revokeLink(listed ?? [], linkId, now);
      const change = { set: { revoked_links }, ...(endsAll ? { add: { times_links_ended: 1 } } : {}) };
      await this.table.transact([
        remove(keys.link(linkId), { exists: true }, noSuchLink),
        uncountOpenLink(openLinksOf(link), linkId),
        update(key, change, { equals: { uid, revoked_links: listed } }, overtaken),
        auditWrite(event),
      ]);
    };
    await retryOn(overtaken, limits.changeTriesMax, revoke, async (attempt) => {
      await this.table.pause(attempt);
      const read = await this.table.find(repositoryRecord, key);
      if (read?.uid !== uid) throw noSuchLink;
      current = read;
    });
  }

  /**
   * Counts an exchange of a link for credentials, and records the time. Throws `throttled` above the limit of a link
   * per minute. The stream consumer adds the first exchange to the audit trail, because anyone may call this function.
   */
  async recordUse({ link_id }: Pick<LinkRecord, 'link_id'>, now: number): Promise<void> {
    const time = toTimestamp(now);
    const { linkCredentialsPerMinuteMax: max } = limits;
    await this.table.transact([
      countInWindow({
        key: keys.linkUses(link_id, windowOf(time, 'minute')),
        entity: 'link_uses_tally',
        counter: 'uses',
        max,
        window: 'minute',
        time,
        sentence: () => `At most ${max} readers open one link in a minute; wait a moment`,
      }),
      // This write fails if the link was revoked at the same time, so that a revoked link never gives credentials.
      update(keys.link(link_id), { set: { last_used_at: time } }, { exists: true }, unusableLink()),
    ]);
  }
}

function openLinksOf(link: Pick<LinkRecord, 'account_id' | 'repository_id' | 'repository_uid'>) {
  const { openLinksMax: max } = limits;
  return {
    key: keys.openLinks(link.repository_uid),
    entity: 'open_links',
    max,
    atLimit: `${scopeOf(link)} has at most ${max} open links; revoke one, or wait until one expires`,
  };
}

function encodeLink(link: LinkRecord) {
  const { link_id, repository_uid, created_at, expires_at } = link;
  return encode('link', link, {
    key: keys.link(link_id),
    list: inList(lists.links(repository_uid), created_at, link_id),
    deleteAfter: parseTimestamp(expires_at) + limits.linkRetentionDays * dayMs,
  });
}
