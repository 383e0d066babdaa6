import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { TextlintKernel, type TextlintKernelRule } from '@textlint/kernel';
// @ts-expect-error The package has no types.
import terminology from 'textlint-rule-terminology';
import terms from './terms.json' with { type: 'json' };

/** A word or a first word that docs/contributing/style.md forbids. */
export interface Finding {
  line: number;
  message: string;
}

// Node and Vitest import the default export of a CommonJS package differently, but `require` is the same.
const { default: markdown } = createRequire(import.meta.url)('@textlint/textlint-plugin-markdown');

const opener =
  /^(?:Of|What|Whoever|Whom|Where|That|As|So|Those|Who|Nothing|Nobody|Everything|All that|Whether)(?=[ ,]|$)/;
/**
 * The patterns of terms.json as whole words. `invalidations-behind` is a name and `/home/` a path, so neither matches.
 */
const wholeWords = terms.map(([pattern = '', instead = '']) => [`(?<![-\\w/$])(?:${pattern})(?![-\\w/])`, instead]);

/** Checks comments of TypeScript and JavaScript: their first words, and their nouns outside `code`. */
export function lintComments(text: string): Finding[] {
  const findings: Finding[] = [];
  let isOpen = false;
  let isContinued = false;
  for (const [index, source] of text.split('\n').entries()) {
    const add = (message: string) => findings.push({ line: index + 1, message });
    const [, begin, said = ''] = /(?:^|\s|\{)(\/\*\*?|\/\/)(?:\s+(.*))?$/.exec(isOpen ? '' : source) ?? [];
    const comment = isOpen ? source.replace(/^\s*\*?\s*/, '') : begin === undefined ? '' : said;
    const isLine = begin === '//' && /^\s*\/\//.test(source);
    const first = comment.replace(/\*\/.*$/, '').trim();
    if (!isContinued && first !== '') {
      const [word] = opener.exec(first) ?? [];
      if (word !== undefined) add(`A comment begins with "${word}": begin with a verb or a noun`);
    }
    const prose = first.replace(/`[^`]*`/g, '');
    for (const [pattern = '', instead] of wholeWords)
      for (const [found] of prose.matchAll(new RegExp(pattern, 'gi'))) add(`"${found}": use "${instead}"`);
    if (begin !== undefined && begin !== '//') isOpen = true;
    isContinued = (isOpen && (isContinued || first !== '')) || (isLine && (isContinued || first !== ''));
    if (isOpen && source.includes('*/')) isOpen = isContinued = false;
  }
  return findings;
}

const rules: TextlintKernelRule[] = [
  { ruleId: 'terminology', rule: terminology, options: { defaultTerms: false, terms: wholeWords } },
];

/** Checks sentences of Markdown. Code blocks, `code`, and the URLs of links are excluded. */
export async function lintMarkdown(text: string): Promise<Finding[]> {
  const plugins = [{ pluginId: 'markdown', plugin: markdown }];
  // A decision quotes the title of its test, which may contain any words.
  const prose = text.replace(/^- \*\*Test:\*\*.*$/gm, '');
  const { messages } = await new TextlintKernel().lintText(prose, { ext: '.md', plugins, rules });
  return messages.map(({ loc, message }) => ({ line: loc.start.line, message }));
}

const ignored = [
  '**/node_modules/**',
  'docs/.site/**',
  'docs/.vitepress/**',
  'site/generated/**',
  'dist/**',
  '.clients/**',
];
const sources = ['*.md', 'docs/**/*.md', '{lib,functions,site,bin,bench,test}/**/*.{ts,tsx,js,md}', '*.ts'];

/** Returns `lib/http` for `lib/http/deeper/file.ts`, and `.` for a file in the root folder. */
const folderOf = (file: string) => path.dirname(file).split(path.sep).slice(0, 2).join('/');

const allowedFile = `${import.meta.dirname}/allowed.txt`;

/**
 * Reads "<folder> <number>" in each line. Git merges the lines of two branches (.gitattributes), so the smallest number
 * of a folder counts. A folder without findings stays in the file with 0.
 */
function readAllowed(): Map<string, number> {
  const allowed = new Map<string, number>();
  for (const line of readFileSync(allowedFile, 'utf8').split('\n').filter(Boolean)) {
    const [folder = '', count] = line.split(' ');
    allowed.set(folder, Math.min(Number(count), allowed.get(folder) ?? Number.POSITIVE_INFINITY));
  }
  return allowed;
}

/**
 * `npm run prose`, a part of `npm run lint`, fails when a folder has more findings than allowed.txt permits. `--lower`
 * writes smaller numbers, never larger ones. With a folder as argument, it lists the folder's findings.
 */
async function main(args: string[]) {
  const allowed = readAllowed();
  const found = new Map([...allowed.keys()].map((folder): [string, string[]] => [folder, []]));
  for (const file of globSync(sources, { exclude: ignored }).sort()) {
    const text = readFileSync(file, 'utf8');
    const findings = file.endsWith('.md') ? await lintMarkdown(text) : lintComments(text);
    const lines = findings.map(({ line, message }) => `${file}:${line} ${message}`);
    if (lines.length > 0) found.set(folderOf(file), [...(found.get(folderOf(file)) ?? []), ...lines]);
  }
  const folders = [...found].map(([folder, lines]) => ({ folder, lines, max: allowed.get(folder) ?? 0 }));
  if (args.includes('--lower')) {
    const lowered = folders.map(({ folder, lines, max }) => `${folder} ${Math.min(lines.length, max)}\n`);
    writeFileSync(allowedFile, lowered.sort().join(''));
    return;
  }
  for (const { lines } of folders.filter(({ folder }) => args.includes(folder))) console.log(lines.join('\n'));
  for (const { folder, lines, max } of folders.filter(({ lines, max }) => lines.length > max)) {
    const next =
      max === 0
        ? `Reword them. A renamed folder takes its line in allowed.txt along.\n${lines.join('\n')}`
        : `List them with: npm run prose ${folder}`;
    console.error(`${folder}: ${lines.length} findings against docs/contributing/style.md, ${max} allowed. ${next}`);
    process.exitCode = 1;
  }
}

if (import.meta.main) await main(process.argv.slice(2));
