import type { Decision } from '../../domain/data/decision.ts';
import { ServiceError } from '../../domain/errors.ts';
import { xmlDocument } from '../../domain/xml.ts';
import { checkExpectedOwner, headersForRelay } from '../headers.ts';
import { relayedBody } from '../payload.ts';
import { openRepository } from '../repository-storage.ts';
import { parseCopySource } from '../resource.ts';
import { storageCopySource } from '../storage-request.ts';
import { copied, copyResultElements } from './multipart.ts';
import { type ObjectRequest, openObject, relay } from './object-request.ts';

/**
 * Implements CopyObject and UploadPartCopy. Checks that the caller may read the source. Storage would copy from any
 * bucket that the connection's credentials can read, even from other repositories.
 */
export async function copyObject(request: ObjectRequest): Promise<Decision> {
  const { access, caller, ageMaxSeconds, query } = request;
  const source = parseCopySource(request.copySource ?? '');
  checkExpectedOwner('x-amz-source-expected-bucket-owner', request.expectedSourceOwner, source.account_id);
  const { storage, key } = await openObject(request);
  const from = await openRepository(access, caller.principal, 'read', source, ageMaxSeconds);
  if (from.data_connection_id !== storage.data_connection_id) {
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
    headers: { ...headersForRelay(request.headers), 'x-amz-copy-source': storageCopySource(from, source.key) },
    body: relayedBody(request.edgeRequest, caller.signature),
    confirmsEncryption: true,
    rootName,
    rewrite: (root) => xmlDocument(rootName, copied(root, copyResultElements)),
  });
}
