import { ObjectStoreError } from './errors.ts';
import { childrenOf, findText, malformedXml, parseXml } from './xml/parse-xml.ts';
import { renderXml, s3Namespace } from './xml/write-xml.ts';

export type Tags = [name: string, value: string][];

const tagsMax = 10;
const nameLengthMax = 128;
const valueLengthMax = 256;
const tagCharacters = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/** Parses the header `x-amz-tagging`. It is form-encoded, so a plus is a space. */
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

export function parseTagXml(text: string): Tags {
  const [tagSet] = childrenOf(parseXml(text, 'Tagging'), 'TagSet');
  if (tagSet === undefined) throw malformedXml();
  return checkTags(
    childrenOf(tagSet, 'Tag').map((tag) => {
      const name = findText(tag, 'Key');
      const value = findText(tag, 'Value');
      if (name === undefined || value === undefined) throw malformedXml();
      return [name, value];
    }),
  );
}

export function renderTagXml(tags: Readonly<Tags>): string {
  const children = tags.map(([name, value]) => {
    return [
      'Tag',
      [
        ['Key', name],
        ['Value', value],
      ],
    ] as const;
  });
  return renderXml('Tagging', [['TagSet', children]], s3Namespace);
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
