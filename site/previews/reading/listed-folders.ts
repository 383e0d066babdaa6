import { parseXml, xmlChildren, xmlText } from '../../../lib/domain/xml.ts';

/** The folders directly below another folder. */
export interface ListedFolders {
  names: string[];
  /** True if the folder contains more folders than these. */
  hasMore: boolean;
}

/** Parses the response of ListObjectsV2 with the encoding type `url`. */
export function foldersOf(text: string, prefix: string): ListedFolders {
  const root = parseXml(text);
  const names = xmlChildren(root, 'CommonPrefixes').map((listed) =>
    decodeURIComponent(xmlText(listed, 'Prefix') ?? '').slice(prefix.length, -1),
  );
  return { names, hasMore: xmlText(root, 'IsTruncated') === 'true' };
}
