import MarkdownIt from 'markdown-it';
import type { Place } from './links.ts';
import { dataUrl, repositoryPath } from './links.ts';

interface Where {
  place: Place;
  /** The folder that the text lies in: empty, or ending in a slash. */
  folder: string;
  dataProxyUrl: string;
}

/**
 * HTML of a text of somebody else. HTML in it is shown as text; links lead to http, https, mailto or into the same
 * repository, and pictures come from there alone: one of another host would tell that host who reads.
 */
export function renderMarkdown(source: string, { place, folder, dataProxyUrl }: Where): string {
  const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false });
  markdown.validateLink = (link) => isWebLink(link) || pathIn(folder, link) !== undefined || link.startsWith('#');
  const { rules } = markdown.renderer;
  const proceed: NonNullable<(typeof rules)['link_open']> = (tokens, index, options, _env, self) =>
    self.renderToken(tokens, index, options);
  rules['link_open'] = (tokens, index, options, env, self) => {
    const token = tokens[index];
    const href = String(token?.attrGet('href') ?? '');
    const path = isWebLink(href) || href.startsWith('#') ? undefined : pathIn(folder, href);
    if (path === undefined) token?.attrSet('rel', 'nofollow ugc noopener');
    else token?.attrSet('href', repositoryPath(place, path));
    return proceed(tokens, index, options, env, self);
  };
  rules['image'] = (tokens, index) => {
    const token = tokens[index];
    const source = String(token?.attrGet('src') ?? '');
    const words = markdown.utils.escapeHtml(token?.content ?? '');
    const path = isWebLink(source) ? undefined : pathIn(folder, source);
    if (path !== undefined) {
      return `<img src="${markdown.utils.escapeHtml(dataUrl(dataProxyUrl, place, path))}" alt="${words}" loading="lazy">`;
    }
    const url = markdown.utils.escapeHtml(source);
    return `<a href="${url}" rel="nofollow ugc noopener">${words || url}</a>`;
  };
  // The page's own title is the first heading.
  for (const rule of ['heading_open', 'heading_close']) {
    rules[rule] = (tokens, index, options, env, self) => {
      const token = tokens[index];
      if (token !== undefined) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 1)}`;
      return proceed(tokens, index, options, env, self);
    };
  }
  return markdown.render(source);
}

function isWebLink(link: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(link);
}

/** The key that a relative link means; undefined for one that leads out of the repository, or is of another kind. */
export function pathIn(folder: string, link: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('//') || link.startsWith('\\')) return undefined;
  const [path = ''] = link.split(/[?#]/);
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const parts: string[] = decoded.startsWith('/') ? [] : folder.split('/').filter((part) => part !== '');
  const isFolder = decoded.endsWith('/');
  for (const part of decoded.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else parts.push(part);
  }
  if (parts.length === 0) return undefined;
  return parts.join('/') + (isFolder ? '/' : '');
}
