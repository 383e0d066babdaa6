import { createHash } from 'node:crypto';
import type { BufferedResponse, EdgeRequest, HeaderFields } from '../domain/data/decision.ts';
import { cacheHeader, openMark } from '../domain/data/open-data-cache.ts';
import { versionNameSchema } from '../domain/data/repository-versions.ts';
import { isIdentifier } from '../domain/identifiers.ts';
import type { ShownSite } from '../domain/site.ts';
import { tokensOf } from '../domain/site-tokens.ts';
import { escapeXml } from '../domain/xml.ts';
import type { S3Resource } from '../s3/resource.ts';
import { parseAmzDate } from '../sigv4/presented-signature.ts';

/** The site's name, color, and URL, for an error page. `url` is absent if the deployment has no pages. */
export type LinkSite = Pick<ShownSite, 'name' | 'accent'> & Partial<Pick<ShownSite, 'url'>>;

/**
 * A header that marks a request to storage if a user opened the URL in a browser. Its value is the URL of the
 * repository's page, or `none`. The signature does not cover the header.
 */
export const userHeader = 'x-sluice-user';
const noPage = 'none';

/**
 * Returns true if a user opens the URL as a page in a browser. Scripts and other programs do not send `Sec-Fetch-Mode:
 * navigate`, and browsers do not let scripts set it. `Accept` alone is not enough, because Java's HTTP client also
 * sends `text/html`.
 *
 * Returns false for cacheable requests, because `Accept` is not part of CloudFront's cache key.
 */
export function isUserAtLink({ method, headers }: Pick<EdgeRequest, 'method' | 'headers'>): boolean {
  if (method !== 'GET' || headers[cacheHeader] === openMark || headers['authorization'] !== undefined) return false;
  return headers['sec-fetch-mode'] === 'navigate' && /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers['accept'] ?? '');
}

/** Returns the value of `userHeader`: the URL of the page of the repository or of its version, or `none`. */
export function repositoryPageOf(resource: S3Resource | undefined, site: LinkSite): string {
  const { account_id = '', version } = resource ?? {};
  const { repository_id = '' } = version ?? resource ?? {};
  if (site.url === undefined || !isIdentifier(account_id) || !isIdentifier(repository_id)) return noPage;
  const hasVersion = version !== undefined && versionNameSchema.safeParse(version.name).success;
  return `${site.url}/${account_id}/${repository_id}${hasVersion ? `?version=${version.name}` : ''}`;
}

interface Shown {
  site: LinkSite;
  /** The URL of the page of the repository, or `none`. */
  page: string;
  /** The query of the user's request. */
  rawQuery: string;
  now: number;
}

/**
 * Renders an S3 error as an HTML page for a user, with the same status and headers. The page has no script. It shows
 * nothing from the URL except the expiry of a presigned link.
 */
export function asPage<Answer extends Omit<BufferedResponse, 'body'> & { body?: string | undefined }>(
  answer: Answer,
  { site, page, rawQuery, now }: Shown,
): Answer {
  if (answer.status < 400 || answer.headers['content-type'] !== 'application/xml') return answer;
  const code = /<Code>(\w+)<\/Code>/.exec(answer.body ?? '')?.[1] ?? '';
  const { title, sentences, withoutPage = false } = describeError(answer.status, code, rawQuery, now);
  const style = `${tokensOf(site)}${rules}`;
  const hasLink = page !== noPage && !withoutPage;
  const requestId = answer.headers['x-amz-request-id'] ?? '';
  const anchor = `<a href="${escapeXml(page)}">its page</a>`;
  const link = `<p>If you have access to the repository, find its files on ${anchor}.</p>`;
  // Use a template string for the page. The library for the site's pages would add 18 KB and 3 ms to a cold start of
  // two functions.
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeXml(`${title} · ${site.name}`)}</title>
<style>${style}</style></head>
<body><header>${escapeXml(site.name)}</header><main><h1>${escapeXml(title)}</h1>
${sentences.map((sentence) => `<p>${escapeXml(sentence)}</p>\n`).join('')}
${hasLink ? link : ''}
<p class="soft">${escapeXml(`${code} · request ${requestId}`)}</p></main></body></html>
`;
  return { ...answer, headers: { ...answer.headers, ...headersOf(style) }, body };
}

function headersOf(style: string): HeaderFields {
  const hash = createHash('sha256').update(style).digest('base64');
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `sandbox; default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    // Send no referrer to other hosts, because the URL may contain a signature.
    'referrer-policy': 'no-referrer',
  };
}

const cannotBeUsed = 'This link cannot be used';
const askSender = 'Ask the sender for a new link.';

interface Words {
  title: string;
  sentences: readonly string[];
  /**
   * True if the error page must not link to the repository's page, because only the sender of the link can help. The
   * recipient usually has no access to that page.
   */
  withoutPage?: boolean;
}

/** Returns the title and text of an error page. They describe the problem and the next step. */
function describeError(status: number, code: string, rawQuery: string, now: number): Words {
  const parameters = new URLSearchParams(rawQuery);
  const isSigned = [...parameters.keys()].some((name) => /^x-amz-/i.test(name));
  const isWhole = /^[0-9a-f]{64}$/.test(parameters.get('X-Amz-Signature') ?? '');
  if (parameters.has('AWSAccessKeyId') && parameters.has('Signature')) {
    // Advise the sender to create another kind of link, because a new link with an old signature version would fail as
    // well.
    const sentence = 'It has an old signature (Signature Version 2), which the service does not accept.';
    return { title: cannotBeUsed, sentences: [sentence, 'Ask the sender for a link with Signature Version 4.'] };
  }
  if ((isSigned && !isWhole) || cutCodes.has(code)) {
    return {
      title: 'This link is incomplete',
      sentences: [
        'A part of it was lost or changed, for example at a line break.',
        'Copy all of it, from the first to the last character, and open it again.',
        'If that does not help, ask the sender to send the whole link again.',
      ],
      withoutPage: true,
    };
  }
  if (status >= 500 && status !== 501) {
    const sentences = ['The storage of the file does not respond as expected. Try again in a minute.'];
    return { title: 'The file cannot be read now', sentences };
  }
  const end = endOf(parameters);
  if (code === 'ExpiredToken' || (status === 403 && end !== undefined && end < now)) {
    // Do not show the expiry in the link: it may still be in the future, because the link's credentials can expire
    // earlier.
    const sentence =
      end !== undefined && end < now ? `It worked until ${minuteOf(end)}.` : 'Its credentials have expired.';
    return { title: 'This link has expired', sentences: [sentence, askSender] };
  }
  if (status === 404) {
    return { title: 'File not found', sentences: ['The file was moved or deleted, or the link is wrong.', askSender] };
  }
  if (status === 403) {
    return {
      title: 'This link does not open the file',
      sentences: ['The creator of the link has lost access to the file, or the file is not public.', askSender],
    };
  }
  return { title: cannotBeUsed, sentences: ['The service does not accept it.', askSender] };
}

const cutCodes: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'InvalidAccessKeyId',
  'InvalidToken',
  'SignatureDoesNotMatch',
]);

/** Returns the expiry of a presigned link from its parameters, or undefined if they are invalid. */
function endOf(parameters: URLSearchParams): number | undefined {
  const expires = parameters.get('X-Amz-Expires') ?? '';
  const from = parseAmzDate(parameters.get('X-Amz-Date') ?? '');
  return from === undefined || !/^\d{1,6}$/.test(expires) ? undefined : from + Number(expires) * 1000;
}

/** Formats a time as `23 Nov 2026 10:05 UTC`. */
function minuteOf(time: number): string {
  return `${new Date(time).toUTCString().slice(5, 22)} UTC`;
}

const rules = `
body{margin:0;background:var(--paper);color:var(--ink);font:var(--text);overflow-wrap:break-word}
header{padding:.75rem var(--gap);border-bottom:1px solid var(--line);font-weight:650;font-size:1.1rem}
main{max-width:40rem;margin:0 auto;padding:clamp(1.5rem,6vw,4rem) var(--gap)}
h1{font-size:clamp(1.6rem,4.4vw,2.3rem);line-height:1.22;letter-spacing:-.012em;margin:0 0 1rem;text-wrap:balance}
p{margin:0 0 1rem;text-wrap:pretty}a{color:var(--link)}.soft{color:var(--soft);font-size:.9rem;margin-top:2.5rem}`;
