import { hash } from 'node:crypto';
import type { Decision } from '../../domain/data/decision.ts';
import { accessDenied, namingMissingCredentials } from '../denied.ts';
import { errorContext, renderError } from '../errors.ts';
import { openRepository, type RepositoryStorage, undefinedIfDenied } from '../repository-storage.ts';
import { storageRequest } from '../storage-request.ts';
import type { ObjectRequest } from './object-request.ts';

/**
 * Reads a version of an object. The current version needs the right to read. Earlier versions may have been deleted on
 * purpose, so they need the right to write. Only storage knows the current version, so other callers cost one more
 * HEAD.
 */
export async function readVersion(
  request: ObjectRequest,
  forward: (storage: RepositoryStorage, key: string) => Decision,
): Promise<Decision> {
  const { edgeRequest, query, now, account_id, repository_id, key } = request;
  if (key === undefined) throw accessDenied();
  const open = (action: 'read' | 'write') =>
    openRepository(
      request.access,
      request.caller.principal,
      action,
      { account_id, repository_id },
      request.ageMaxSeconds,
    );
  const writable = await open('write').catch(undefinedIfDenied);
  if (writable !== undefined) return forward(writable, key);
  const storage = await open('read');
  const head = { method: 'HEAD', key, query: [], headers: {}, payloadHash: hash('sha256', '', 'hex') };
  return {
    kind: 'relay',
    request: storageRequest(storage, head, now),
    body: new Uint8Array(),
    next: ({ status, headers }) => {
      const isCurrent = status === 200 && headers['x-amz-version-id'] === query.get('versionId');
      return isCurrent ? forward(storage, key) : undefined;
    },
    rewrite: () => renderError(namingMissingCredentials(accessDenied(), edgeRequest), errorContext(edgeRequest)),
  };
}
