import type { Decision, HeaderFields } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { xmlDocument } from '../../domain/xml.ts';
import { encodeStrictly } from '../../sigv4/canonical.ts';
import { checkExpectedOwner, headersForRelay } from '../headers.ts';
import { relayedBody } from '../payload.ts';
import { openRepository, type RepositoryStorage } from '../repository-storage.ts';
import { parseCopySource } from '../resource.ts';
import { plainEtag } from '../response.ts';
import { LoggedStorageError } from '../storage-errors/shown-errors.ts';
import { storageCopySource } from '../storage-request.ts';
import { findInVersion, refuseMissing, type VersionedObject } from '../versions/open-version.ts';
import { copied, copyResultElements } from './multipart.ts';
import { type ObjectRequest, openObject, relay } from './object-request.ts';

const sourceHeader = 'x-amz-copy-source';

/**
 * Implements CopyObject and UploadPartCopy. Checks that the caller may read the source. Storage itself would copy from
 * any bucket that the connection's credentials can read, and from other repositories.
 */
export async function copyObject(request: ObjectRequest): Promise<Decision> {
  const { caller, query } = request;
  const source = parseCopySource(request.copySource ?? '');
  checkExpectedOwner('x-amz-source-expected-bucket-owner', request.expectedSourceOwner, source.account_id);
  const { storage, key } = await openObject(request);
  const from = await openSource(request, source);
  if (from.storage.data_connection_id !== storage.data_connection_id) {
    throw new ServiceError(
      'not_implemented',
      'Copying between repositories on different storage is not supported; download the object and upload it.',
    );
  }
  const rootName = request.operation.name === 'UploadPartCopy' ? 'CopyPartResult' : 'CopyObjectResult';
  return relay(request, {
    storage,
    method: 'PUT',
    key,
    query,
    headers: { ...headersForRelay(request.headers), ...from.headers },
    ...(from.onError && { onError: from.onError }),
    body: relayedBody(request.edgeRequest, caller.signature),
    confirmsEncryption: true,
    rootName,
    rewrite: (root) => xmlDocument(rootName, copied(root, copyResultElements)),
  });
}

interface OpenSource {
  storage: RepositoryStorage;
  headers: HeaderFields;
  onError?: (code: string | undefined) => undefined;
}

type CopySource = ReturnType<typeof parseCopySource>;

async function openSource(request: ObjectRequest, source: CopySource): Promise<OpenSource> {
  const { access, caller, ageMaxSeconds } = request;
  const { version } = source;
  if (version !== undefined) return sourceInVersion(request, await findInVersion(request, { ...source, version }));
  const storage = await openRepository(access, caller.principal, 'read', source, ageMaxSeconds);
  return { storage, headers: { 'x-amz-copy-source': storageCopySource(storage, source.key) } };
}

/**
 * Changes a copy request so that its source is an object of a repository version. The request gets a condition for the
 * recorded ETag. This condition replaces the client's own condition for the ETag, so the function checks the client's
 * condition first.
 */
function sourceInVersion({ headers }: ObjectRequest, { storage, key, entry }: VersionedObject): OpenSource {
  const condition = headers[`${sourceHeader}-if-match`];
  const accepted = condition?.split(',').map(plainEtag);
  if (accepted !== undefined && !accepted.includes('*') && !accepted.includes(entry.etag)) {
    throw new ServiceError('stale', 'A condition of the request is not met.');
  }
  const hasCondition = Object.keys(headers).some((name) => name.startsWith(`${sourceHeader}-if-`));
  return {
    storage,
    headers: {
      [sourceHeader]: `${storageCopySource(storage, key)}?versionId=${encodeStrictly(entry.version_id)}`,
      [`${sourceHeader}-if-match`]: `"${entry.etag}"`,
    },
    onError: (code) => {
      // If the request has a second condition, the storage does not report which condition failed.
      if (code === 'PreconditionFailed' && !hasCondition) throw new LoggedStorageError('versionObjectChanged');
      return refuseMissing(code);
    },
  };
}
