import { readFileSync } from 'node:fs';

/** The URL of the data proxy in the examples of docs/clients. */
const documentedUrl = 'http://127.0.0.1:8788';

/** What a page shows under a heading in one language: its blocks in their order, as somebody pastes them, for the proxy at another URL. */
export function documentedExample(page: string, heading: string, language: string, dataUrl = documentedUrl): string {
  // Code apart from the rest: its comments look like headings.
  const blocks = readFileSync(`docs/clients/${page}`, 'utf8').split(/^(```\w*\n.*?^```$)/ms);
  let under = '';
  let code = '';
  for (const block of blocks) {
    if (!block.startsWith('```')) under = [...block.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? under;
    else if (under === heading && block.startsWith(`\`\`\`${language}\n`)) code += block.slice(language.length + 4, -3);
  }
  if (code === '') throw new Error(`${page} has no example in ${language} under "${heading}"`);
  return code.replaceAll(documentedUrl, dataUrl);
}

/** What the lines that print say behind them that they print. */
export function documentedOutput(code: string): string {
  return [...code.matchAll(/\)(?: {2}#|; \/\/) (.*)$/gm)].map(([, printed]) => `${printed}\n`).join('');
}
