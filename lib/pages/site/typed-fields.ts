import { limits } from '../../domain/limits.ts';
import { withoutScheme } from './links.ts';

// The functions of this file convert a pasted text to the form that the API accepts. If a function does not recognize
// the text, it returns the text unchanged, and the API then checks it.

/** Adds `https://` to a URL that the user typed without a scheme. */
export function webUrlOf(typed: string): string {
  const text = typed.trim();
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}[\p{L}\p{N}-]+(?::\d+)?(?:[/?#]\S*)?$/u.test(text)
    ? `https://${text}`
    : text;
}

/** Returns the DOI in the URL of a DOI resolver, or in a text with the prefix `doi:`. */
export function doiOf(typed: string): string {
  const text = typed.trim();
  const [, url] = /^(?:https?:\/\/)?(?:(?:dx|www)\.)?doi\.org\/(10\.\S+)$/i.exec(text) ?? [];
  if (url !== undefined) return decoded(url);
  return /^doi:\s*(10\.\S+)$/i.exec(text)?.[1] ?? text;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/**
 * Returns the SPDX ID for a license's common name or URL. Returns a name without a version unchanged, because it may
 * mean several licenses. Also returns the URL of a ported license (adapted to one country) unchanged, because it is a
 * different license.
 */
export function licenseOf(typed: string): string {
  const text = typed.trim();
  const [, kind, version] =
    /^https?:\/\/(?:www\.)?creativecommons\.org\/licenses\/([a-z-]+)\/(\d\.\d)(?:\/(?:(?:deed|legalcode)[\w.-]*)?)?$/i.exec(
      text,
    ) ??
    /^(?:cc|creative commons)[\s-]+((?:by|attribution)(?:[\s-]+(?:nc|nd|sa))*)[\s-]+(?:v(?:ersion)?\s?)?(\d\.\d)(?:\s+international)?$/i.exec(
      text,
    ) ??
    [];
  if (kind !== undefined && version !== undefined) {
    const parts = kind
      .toUpperCase()
      .replace('ATTRIBUTION', 'BY')
      .split(/[\s-]+/);
    return `CC-${parts.join('-')}-${version}`;
  }
  const [, spdx] = /^https?:\/\/spdx\.org\/licenses\/([\w.+-]+?)(?:\.html)?$/i.exec(text) ?? [];
  return spdx ?? commonNames.find(([form]) => form.test(text))?.[1] ?? text;
}

const commonNames: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:https?:\/\/(?:www\.)?creativecommons\.org\/publicdomain\/zero\/1\.0\/?.*|cc[\s-]?(?:0|zero)(?:[\s-]+v?1\.0)?)$/i,
    'CC0-1.0',
  ],
  [/^apache(?:[\s-]+(?:license|licence))?,?[\s-]+(?:v(?:ersion)?\s?)?2(?:\.0)?$/i, 'Apache-2.0'],
  [/^(?:the )?mit(?: licen[cs]e)$/i, 'MIT'],
  [/^odbl(?:[\s-]+v?1\.0)?$/i, 'ODbL-1.0'],
];

/** Normalizes a base prefix: adds a slash at its end if there is none, and removes slashes at its start. */
export function basePrefixOf(typed: string): string {
  const inside = typed.trim().replace(/^\/+|(?<!\/)\/+$/g, '');
  return inside === '' ? '' : `${inside}/`;
}

/**
 * Returns the account in a URL, and the repository if the URL contains one. Accepts URLs of public pages, of console
 * views, and of data. Returns undefined for any other URL.
 *
 * @param bases URLs of the site and of the data host, without a final slash; a pasted URL may lack the scheme
 */
export function targetInUrl(pasted: string, bases: readonly string[]) {
  const starts = ['s3:/', ...bases, ...bases.map(withoutScheme)];
  const start = starts.find((each) => pasted.toLowerCase().startsWith(`${each.toLowerCase()}/`));
  if (start === undefined) return undefined;
  const path = pasted.slice(start.length);
  const [view = '', kind] = /^\/-\/console\/(accounts|repositories)(?=\/)/.exec(path) ?? [];
  const names = /^\/([a-z0-9][a-z0-9-]*)(?:\/([a-z0-9][a-z0-9-]*))?(?=[/?#]|$)/.exec(path.slice(view.length));
  const [, account_id, repository_id] = names ?? [];
  if (account_id === undefined) return undefined;
  return { account_id, repository_id: kind === 'accounts' ? undefined : repository_id };
}

/**
 * Proposes an account or repository ID for a title, according to the rules for IDs. Returns an empty string for a title
 * without usable characters.
 */
export function proposedId(title: string): string {
  const id = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, limits.identifierLengthMax)
    .replace(/-$/, '');
  return id.length < limits.identifierLengthMin ? '' : id;
}
