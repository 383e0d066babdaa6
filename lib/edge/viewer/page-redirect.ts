import { escapedKey, fitsIntoPath } from '../../domain/data/page-path.ts';
import { identifierPattern } from '../../domain/identifier-pattern.ts';
import { carriesServiceAccountKey } from '../../domain/service-accounts/key-in-url.ts';
import type { OwnResponse, ViewerRequest } from './events.ts';

/**
 * Redirects a browser from the URL of data to the page that shows the data. It checks only the syntax of the URL, so
 * the redirect does not reveal what exists.
 */
export function redirectToPage(
  request: ViewerRequest,
  hostLabel: string | undefined,
  siteUrl: string | undefined,
): OwnResponse | undefined {
  const headers = request.headers;
  if (siteUrl === undefined || request.method !== 'GET' || headers['authorization']) return undefined;
  if (!/^\s*text\/html\s*(?:[;,]|$)/i.test(headers['accept']?.value ?? '')) return undefined;
  if (Object.keys(request.querystring).length > 0 || carriesServiceAccountKey(request.uri)) return undefined;
  const parts = request.uri.split('/').slice(1);
  if (hostLabel !== undefined) {
    parts.unshift(hostLabel.toLowerCase());
    // At the root path of a virtual host, the browser gets the page of the account.
    if (parts.length === 2 && parts[1] === '') parts.pop();
  }
  const isFolder = parts[parts.length - 1] === '';
  if (isFolder) parts.pop();
  const version = /^(.+?)(?:@|%40)([a-z0-9][a-z0-9._-]{0,62})$/.exec(parts[1] ?? '');
  if (version !== null) parts[1] = version[1] ?? '';
  if (parts.length === 0 || (parts.length > 2 && !isFolder) || !parts.slice(0, 2).every(isName)) return undefined;
  const parameters = version === null ? [] : [`version=${version[2]}`];
  let path = parts.slice(0, 2).join('/');
  if (parts.length > 2) {
    try {
      const folder = decodeURIComponent(`${parts.slice(2).join('/')}/`);
      if (fitsIntoPath(folder)) path += `/${escapedKey(folder)}`;
      else parameters.push(`path=${encodeURIComponent(folder)}`);
    } catch {
      return undefined;
    }
  }
  const query = parameters.length === 0 ? '' : `?${parameters.join('&')}`;
  const location = `${siteUrl}/${path}${query}`;
  return {
    statusCode: 303,
    statusDescription: 'See Other',
    headers: { location: { value: location }, 'cache-control': { value: 'no-store' }, vary: { value: 'accept' } },
  };
}

function isName(text: string): boolean {
  return text.length >= 3 && text.length <= 40 && identifierPattern.test(text);
}
