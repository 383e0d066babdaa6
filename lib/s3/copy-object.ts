import type { Decision } from '../domain/data/decision.ts';
import { ServiceError } from '../domain/errors.ts';
import { parseCopySource } from './address.ts';
import { checkExpectedOwner, headersForRelay } from './headers.ts';
import { copied, copyResultElements } from './multipart.ts';
import { type ObjectRequest, openObject, relay } from './object-request.ts';
import { relayedBody } from './payload.ts';
import { openRepository } from './repository-storage.ts';
import { storageCopySource } from './storage-request.ts';
import { xmlDocument } from './xml.ts';

/**
 * CopyObject and UploadPartCopy. The source is read as this caller: storage would copy from wherever the connection's
 * credentials may read, in this bucket and in others.
 */
export async function copyObject(asked: ObjectRequest): Promise<Decision> {
  const { access, caller, ageMaxSeconds, query } = asked;
  const source = parseCopySource(asked.copySource ?? '');
  checkExpectedOwner('x-amz-source-expected-bucket-owner', asked.expectedSourceOwner, source.account_id);
  const { storage, key } = await openObject(asked);
  const from = await openRepository(access, caller.principal, 'read', source, ageMaxSeconds);
  if (from.data_connection_id !== storage.data_connection_id) {
    throw new ServiceError(
      'not_implemented',
      'Copying between repositories on different storage is not offered; download the object and upload it.',
    );
  }
  const rootName = asked.operation.name === 'UploadPartCopy' ? 'CopyPartResult' : 'CopyObjectResult';
  return relay(asked, {
    storage,
    method: 'PUT',
    key,
    query,
    headers: { ...headersForRelay(asked.headers), 'x-amz-copy-source': storageCopySource(from, source.key) },
    body: relayedBody(asked.request, caller.signature),
    confirmsEncryption: true,
    rootName,
    rewrite: (root) => xmlDocument(rootName, copied(root, copyResultElements)),
  });
}
