import type { ListedObject } from '../domain/data/inventory.ts';
import { afterReservedKeys, isReservedKey } from '../domain/data/reserved-keys.ts';
import { limits } from '../domain/limits.ts';
import { parseXml, type XmlElement, xmlChildren, xmlText } from '../domain/xml.ts';
import { type SendJobRequest, storageTimeOf } from './job-requests.ts';
import { presentParameters } from './lists/list-input.ts';
import { nameReader } from './lists/list-page.ts';
import type { RepositoryStorage } from './repository-storage.ts';

/** Thrown if the storage sends a list that breaks the rules of S3. The service cannot use such a list. */
export class InvalidList extends Error {
  override name = 'InvalidList';
}

interface ObjectPage {
  objects: readonly ListedObject[];
  /** The key after which the next page begins. Undefined on the last page. */
  next: string | undefined;
}

/**
 * Returns one page of the objects of a repository after a key, in the order of their keys. Throws InvalidList unless
 * the keys are below the prefix of the repository and in ascending order. Code that reads all pages therefore reaches
 * the end with any storage, and counts no key twice.
 */
export async function listObjectPage(
  send: SendJobRequest,
  storage: RepositoryStorage,
  after: string | undefined,
): Promise<ObjectPage> {
  const { prefix } = storage;
  const query = presentParameters({
    prefix,
    'encoding-type': 'url',
    'max-keys': String(limits.listPageMax),
    marker: after === undefined ? undefined : prefix + after,
  });
  const { body } = await send('list the files', storage, { method: 'GET', query });
  const root = parseXml(body.toString('utf8').trim(), 'ListBucketResult', limits.storageXmlElementsMax);
  const readName = nameReader(root, (key) => key);
  const objects = xmlChildren(root, 'Contents').map((element) => readObject(element, readName, prefix));
  if (objects.length > limits.listPageMax) throw new InvalidList('a page has too many keys');
  let last = after;
  for (const { key } of objects) {
    if (last !== undefined && compareKeys(last, key) >= 0) throw new InvalidList('the keys are not in ascending order');
    last = key;
  }
  const isTruncated = xmlText(root, 'IsTruncated')?.trim() === 'true';
  if (isTruncated && (last === undefined || objects.length === 0)) {
    throw new InvalidList('the list continues without a key');
  }
  return { objects, next: isTruncated ? last : undefined };
}

/**
 * Returns the position after the keys that are reserved for the service, if the list has reached them. Otherwise,
 * returns the position unchanged.
 */
export function skipReserved(next: string | undefined): string | undefined {
  const isReserved = next !== undefined && isReservedKey(next) && compareKeys(next, afterReservedKeys) < 0;
  return isReserved ? afterReservedKeys : next;
}

function readObject(
  element: XmlElement,
  readName: (text: string | undefined) => string | undefined,
  prefix: string,
): ListedObject {
  const name = readName(xmlText(element, 'Key'));
  if (!name?.startsWith(prefix)) throw new InvalidList('a key is outside the repository');
  if (Buffer.byteLength(name) > limits.objectKeyBytesMax) throw new InvalidList('a key is too long');
  const size = Number(xmlText(element, 'Size'));
  if (!Number.isSafeInteger(size) || size < 0) throw new InvalidList('a key has no size');
  return { key: name.slice(prefix.length), size, modified: storageTimeOf(xmlText(element, 'LastModified')) };
}

function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
