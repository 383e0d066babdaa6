import MarkdownIt, { type Env, type MarkdownIt as Markdown, type Token } from 'markdown-it';
import type { RepositoryPath } from '../../domain/data/open-data.ts';
import { keyOfPath } from '../../domain/data/page-path.ts';
import { limits } from '../../domain/limits.ts';
import { utf8Bytes } from '../../domain/utf8-bytes.ts';
import { dataUrl, repositoryPath } from './links.ts';

export interface MarkdownSetting {
  repository: RepositoryPath;
  /** The folder of the Markdown file. It is empty, or it ends with a slash. */
  folder: string;
  dataProxyUrl: string;
  /**
   * Returns the URL of the page of a file or folder. Returns undefined if the reader cannot open the page; the text
   * then has no link. By default, each path of the repository has a page.
   */
  hrefOf?: ((path: string) => string | undefined) | undefined;
  /** True when readers need credentials for images. Images then have the attribute `data-key` instead of a URL. */
  needsCredentials?: boolean;
}

/**
 * Renders untrusted Markdown. HTML in the text is shown as text. Links may lead to http, https, mailto, and into the
 * same repository. Images must come from the repository, because any other host would learn the reader's IP address.
 *
 * @returns undefined for a text that exceeds a limit in `limits`. Rendering then stops, because a short text can expand
 * to hundreds of MB, for example a long link definition with many references
 */
export function renderMarkdown(source: string, setting: MarkdownSetting): string | undefined {
  return renderMarkdownWithHeadings(source, setting)?.markup;
}

/** A heading of a text, for a table of contents. */
export interface Heading {
  /** The ID of the heading's HTML element. */
  id: string;
  text: string;
  /** The level of the heading on the page. The highest level is 2. */
  level: number;
}

/** Renders Markdown like `renderMarkdown`, and returns the headings of the text in addition. */
export function renderMarkdownWithHeadings(
  source: string,
  setting: MarkdownSetting,
): { markup: string; headings: Heading[] } | undefined {
  if (source.length > limits.markdownCharactersMax) return undefined;
  const budget = new Budget();
  const headings: Heading[] = [];
  const markdown = parserFor(setting, budget, headings);
  try {
    const env: Env = {};
    const markup = renderTokens(markdown, markdown.parse(source, env), env, budget);
    return { markup, headings };
  } catch (error) {
    if (error instanceof BudgetExceeded) return undefined;
    throw error;
  }
}

class BudgetExceeded extends Error {}

/** Counts the cost of rendering one Markdown text. Throws when the text exceeds a limit. */
class Budget {
  #tokens: number = limits.markdownTokensMax;
  #bytes: number = limits.renderedTextBytesMax;

  takeTokens(count: number): void {
    this.#tokens -= count;
    if (this.#tokens < 0) throw new BudgetExceeded();
  }

  takeOutput(piece: string): void {
    this.#bytes -= utf8Bytes(piece);
    if (this.#bytes < 0) throw new BudgetExceeded();
  }
}

function parserFor(
  { repository, folder, dataProxyUrl, hrefOf, needsCredentials }: MarkdownSetting,
  budget: Budget,
  headings: Heading[],
): Markdown {
  const markdown = new MarkdownIt({ html: false, linkify: true, typographer: false, maxNesting: nestingMax });
  limitParser(markdown, budget);
  const pathOf = pathsIn(folder);
  markdown.validateLink = (link) => {
    // The parser creates the tokens of automatic links without a parser state, so the counter in the state misses these
    // tokens. Count them here.
    budget.takeTokens(tokensOfLink);
    if (link.length > limits.webUrlLengthMax) return false;
    return isWebLink(link) || pathOf(link) !== undefined || link.startsWith('#');
  };
  const { rules } = markdown.renderer;
  rules['link_open'] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    const href = String(token?.attrGet('href') ?? '');
    const path = isWebLink(href) || href.startsWith('#') ? undefined : pathOf(href);
    if (href.startsWith('#')) token?.attrSet('href', `#${headingId(keyOfPath(href.slice(1)) ?? '')}`);
    else if (path === undefined) token?.attrSet('rel', 'nofollow ugc noopener');
    else {
      const url = hrefOf === undefined ? repositoryPath(repository, path) : hrefOf(path);
      if (url !== undefined) token?.attrSet('href', url);
      else if (token !== undefined) token.attrs = null;
    }
    return self.renderToken(tokens, index, options);
  };
  rules['image'] = (tokens, index) => {
    const token = tokens[index];
    const source = String(token?.attrGet('src') ?? '');
    const words = markdown.utils.escapeHtml(token?.content ?? '');
    const path = isWebLink(source) ? undefined : pathOf(source);
    if (path !== undefined) {
      const [name, value] = needsCredentials ? ['data-key', path] : ['src', dataUrl(dataProxyUrl, repository, path)];
      return `<img ${name}="${markdown.utils.escapeHtml(value)}" alt="${words}" loading="lazy">`;
    }
    const url = markdown.utils.escapeHtml(source);
    return `<a href="${url}" rel="nofollow ugc noopener">${words || url}</a>`;
  };
  const ids = new Map<string, number>();
  const uniqueId = (id: string) => {
    const earlier = ids.get(id) ?? 0;
    ids.set(id, earlier + 1);
    return earlier === 0 ? id : `${id}-${earlier}`;
  };
  markdown.core.ruler.push('tasks', ({ tokens, Token }) => {
    for (const [index, { children }] of tokens.entries()) {
      const text = children?.[0];
      const isInItem = tokens[index - 1]?.type === 'paragraph_open' && tokens[index - 2]?.type === 'list_item_open';
      if (!isInItem || text?.type !== 'text' || !/^\[[ xX]\]\s/.test(text.content)) continue;
      const task = new Token('task', '', 0);
      task.content = text.content.slice(1, 2);
      text.content = text.content.slice(3);
      children?.unshift(task);
    }
  });
  rules['task'] = (tokens, index) => {
    const isDone = tokens[index]?.content !== ' ';
    return `<input type="checkbox" disabled${isDone ? ' checked' : ''} aria-label="${isDone ? 'Done' : 'To do'}">`;
  };
  // The title of the page is the first-level heading, so headings of the Markdown text begin one level lower.
  for (const rule of ['heading_open', 'heading_close']) {
    rules[rule] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      if (token === undefined) return '';
      const level = Math.min(6, Number(token.tag.slice(1)) + 1);
      token.tag = `h${level}`;
      if (rule === 'heading_open') {
        const text = textIn(tokens[index + 1]);
        const id = uniqueId(headingId(text));
        token.attrSet('id', id);
        headings.push({ id, text, level });
      }
      return self.renderToken(tokens, index, options);
    };
  }
  return markdown;
}

const headingCharactersMax = 100;

/** Returns the plain text of a heading. */
function textIn(token: Token | undefined): string {
  const text = (token?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');
  return text.slice(0, headingCharactersMax);
}

/**
 * Returns the ID of a heading. It has the words that GitHub uses in links to headings, and a prefix that no other ID of
 * the page has.
 */
function headingId(text: string): string {
  const words = text
    .slice(0, headingCharactersMax)
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
  return `section-${words}`;
}

/**
 * The maximum depth of lists, quotes, and emphasis. The parser reads the text of a level again for each deeper level.
 */
const nestingMax = 20;
const tokensOfLink = 4;

/** Limits the time and the memory that parsing a text needs. */
function limitParser(markdown: Markdown, budget: Budget): void {
  const { block, inline } = markdown;
  block.State = class extends block.State {
    override push(...given: Parameters<InstanceType<typeof block.State>['push']>) {
      budget.takeTokens(1);
      return super.push(...given);
    }
  };
  inline.State = class extends inline.State {
    override push(...given: Parameters<InstanceType<typeof inline.State>['push']>) {
      budget.takeTokens(1);
      return super.push(...given);
    }
  };
  const tokenize = block.tokenize.bind(block);
  block.tokenize = (state, startLine, endLine) => {
    // A line without ">" can belong to every quote that contains it, so the parser reads the line once for each of
    // these quotes. Count each of these reads.
    if (state.parentType === 'blockquote') budget.takeTokens(endLine - startLine);
    tokenize(state, startLine, endLine);
  };
  const skipToken = inline.skipToken.bind(inline);
  inline.skipToken = (state) => {
    // For each bracket, the parser looks for the end of a link and tries every rule at every position. Count each
    // position that it tries.
    if (state.cache[state.pos] === undefined) budget.takeTokens(1);
    skipToken(state);
  };
  const parseInline = inline.parse.bind(inline);
  let isParsing = false;
  inline.parse = (text, parser, env, tokens) => {
    // The parser calls this function again for the alternative text of an image, at each level of nesting. Skip these
    // calls, because this renderer shows the alternative text unparsed.
    if (isParsing) return;
    // In a long paragraph, brackets without an end would take quadratic time. Show the paragraph as plain text.
    if (text.length > limits.markdownParagraphCharactersMax) {
      const token = new inline.State(text, parser, env, tokens).push('text', '', 0);
      token.content = text;
      return;
    }
    isParsing = true;
    parseInline(text, parser, env, tokens);
    isParsing = false;
  };
}

/** Renders the tokens like `markdown.renderer.render`, but counts each token. */
function renderTokens(markdown: Markdown, tokens: readonly Token[], env: Env, budget: Budget): string {
  const { renderer, options } = markdown;
  const all = [...tokens];
  let rendered = '';
  for (const [index, token] of all.entries()) {
    if (token.type === 'inline') {
      rendered += renderTokens(markdown, token.children ?? [], env, budget);
      continue;
    }
    const rule = renderer.rules[token.type];
    const piece = rule?.(all, index, options, env, renderer) ?? renderer.renderToken(all, index, options);
    budget.takeOutput(piece);
    rendered += piece;
  }
  return rendered;
}

function isWebLink(link: string): boolean {
  return /^(?:https?:\/\/|mailto:)/i.test(link);
}

/**
 * Returns the key to which a relative link leads. Returns undefined for a link that leaves the repository, and for a
 * link that is not relative.
 */
export function pathIn(folder: string, link: string): string | undefined {
  return pathsIn(folder)(link);
}

/**
 * Returns a function for all links of one text. It splits the folder only once, because a text can have thousands of
 * links and a folder hundreds of segments.
 */
function pathsIn(folder: string): (link: string) => string | undefined {
  const folderParts = folder.split('/').filter((part) => part !== '');
  const folders = ['', ...folderParts.map((_, at) => `${folderParts.slice(0, at + 1).join('/')}/`)];
  return (link) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith('//') || link.startsWith('\\')) return undefined;
    const [path = ''] = link.split(/[?#]/, 1);
    let decoded: string;
    try {
      decoded = decodeURIComponent(path);
    } catch {
      return undefined;
    }
    let depth = decoded.startsWith('/') ? 0 : folderParts.length;
    const parts: string[] = [];
    for (const part of decoded.split('/')) {
      if (part === '' || part === '.') continue;
      if (part !== '..') parts.push(part);
      else if (parts.pop() === undefined) {
        if (depth === 0) return undefined;
        depth -= 1;
      }
    }
    const inFolder = folders[depth] ?? '';
    if (parts.length > 0) return inFolder + parts.join('/') + (decoded.endsWith('/') ? '/' : '');
    if (inFolder === '') return undefined;
    return decoded.endsWith('/') ? inFolder : inFolder.slice(0, -1);
  };
}
