import { parseXml, xmlChildren, xmlText } from '../../domain/xml.ts';
import { malformedXml, ObjectStoreError } from './errors.ts';
import type { Call, StoreResponse } from './operation.ts';
import { receiveText } from './payload.ts';
import { loadObject, versionHeader } from './versions.ts';
import { xmlResponse } from './xml.ts';

type Tags = [name: string, value: string][];

const tagsMax = 10;
const nameLengthMax = 128;
const valueLengthMax = 256;
const tagCharacters = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/** Parses the header `x-amz-tagging`. It is encoded like a form, so a plus sign means a space. */
export function parseTagQuery(header: string | undefined): Tags {
  const tags = [...new URLSearchParams(header ?? '')];
  const names = new Set(tags.map(([name]) => name));
  if (!isPercentEncoded(header ?? '') || names.has('') || names.size < tags.length) {
    throw new ObjectStoreError(
      'InvalidArgument',
      'The tags in x-amz-tagging must be encoded like the query of a URL, and no name may be there twice.',
    );
  }
  return checkTags(tags);
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function parseTagXml(text: string): Tags {
  const [tagSet] = xmlChildren(parseXml(text, 'Tagging'), 'TagSet');
  if (tagSet === undefined) throw malformedXml();
  return checkTags(
    xmlChildren(tagSet, 'Tag').map((tag) => {
      const name = xmlText(tag, 'Key');
      const value = xmlText(tag, 'Value');
      if (name === undefined || value === undefined) throw malformedXml();
      return [name, value];
    }),
  );
}

function checkTags(tags: Tags): Tags {
  if (tags.length > tagsMax) throw invalidTag(`Object tags cannot be greater than ${tagsMax}`);
  if (new Set(tags.map(([name]) => name)).size < tags.length) {
    throw invalidTag('Cannot provide multiple Tags with the same key');
  }
  for (const [name, value] of tags) {
    if (name.length === 0 || name.length > nameLengthMax || !tagCharacters.test(name)) {
      throw invalidTag('The TagKey you have provided is invalid');
    }
    if (value.length > valueLengthMax || !tagCharacters.test(value)) {
      throw invalidTag('The TagValue you have provided is invalid');
    }
  }
  return tags;
}

function invalidTag(message: string): ObjectStoreError {
  return new ObjectStoreError('InvalidTag', message);
}

const documentBytesMax = 64 * 1024;

export function getObjectTagging(call: Call): StoreResponse {
  const record = loadObject(call);
  const fields = { TagSet: { Tag: record.tags.map(([Key, Value]) => ({ Key, Value })) } };
  return xmlResponse('Tagging', fields, versionHeader(call.bucket, record));
}

export async function putObjectTagging(call: Call): Promise<StoreResponse> {
  const { text } = await receiveText(call.body, documentBytesMax);
  return { status: 200, headers: setTags(call, parseTagXml(text)) };
}

export function deleteObjectTagging(call: Call): StoreResponse {
  return { status: 204, headers: setTags(call, []) };
}

function setTags(call: Call, tags: Tags): Record<string, string> {
  const record = loadObject(call);
  call.bucket.setTags(record, tags);
  return versionHeader(call.bucket, record);
}
