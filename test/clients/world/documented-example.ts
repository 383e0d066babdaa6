import { readFileSync } from 'node:fs';

/** The URLs of the local service in the examples of docs/clients. */
const documentedUrls = {
  apiUrl: 'http://127.0.0.1:8787',
  dataUrl: 'http://127.0.0.1:8788',
  identityUrl: 'http://127.0.0.1:8789',
};

export interface DocumentedBlock {
  heading: string;
  language: string;
  code: string;
}

/** Every block of code that a page shows, in its order, as somebody pastes them. */
export function documentedBlocks(page: string): DocumentedBlock[] {
  // Code apart from the rest: its comments look like headings.
  const parts = readFileSync(`docs/clients/${page}`, 'utf8').split(/^(```\w*\n.*?^```$)/ms);
  let heading = '';
  return parts.flatMap((part) => {
    if (!part.startsWith('```')) heading = [...part.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? heading;
    const [opening, language = ''] = /^```(\w*)\n/.exec(part) ?? [];
    return opening === undefined ? [] : [{ heading, language, code: part.slice(opening.length, -3) }];
  });
}

/** What a page shows under a heading in one language, for the proxy at another URL. */
export function documentedExample(
  page: string,
  heading: string,
  language: string,
  dataUrl = documentedUrls.dataUrl,
): string {
  const code = documentedBlocks(page)
    .filter((block) => block.heading === heading && block.language === language)
    .map((block) => block.code)
    .join('');
  if (code === '') throw new Error(`${page} has no example in ${language} under "${heading}"`);
  return code.replaceAll(documentedUrls.dataUrl, dataUrl);
}

/** Code of a page for a service at other URLs, also where it has host and port alone. */
export function atUrls(code: string, urls: typeof documentedUrls): string {
  return Object.entries(urls).reduce((text, [name, url]) => {
    const documented = new URL(documentedUrls[name as keyof typeof documentedUrls]).host;
    return text.replaceAll(documented, new URL(url).host);
  }, code);
}

/** What the lines that print say behind them that they print. */
export function documentedOutput(code: string): string {
  return [...code.matchAll(/\)(?: {2}#|; \/\/) (.*)$/gm)].map(([, printed]) => `${printed}\n`).join('');
}
