import { expect, it } from 'vitest';
import { lintComments, lintMarkdown } from './prose/lint.ts';

const linesOf = (findings: { line: number }[]) => findings.map(({ line }) => line);

it.each([
  ['a docstring of one line', '/** Of the index what a search loads. */', [1]],
  ['a docstring of several lines', '/**\n * Whoever asks.\n */\nlet a = 1;', [2, 2]],
  ['a line comment', '  // Where it is cached\n  // Of all continuations, none counts', [1]],
  ['a comment after code', 'let a = 1; // So that it works', [1]],
  ['a comment of TSX', '{/* What the page shows */}', [1]],
  ['an invented noun', '// Returns the facts of a request, in two lanes', [1, 1]],
  ['a noun of the region', '// Reads from home\n// Reads from the home region, /home/data or a home page', [1]],
  ['each comment of a line of its own', '// Returns it\nlet a = 1;\n// That which is left', [3]],
] as const)('finds %s', (_case, text, lines) => {
  expect(linesOf(lintComments(text))).toEqual(lines);
});

it.each([
  ['a verb first', '/** Returns the entry. */'],
  ['a longer word', '// Office hours, whatever comes, sofa'],
  ['code in a comment', '// Reads `facts` and `lanes`'],
  ['a string with a URL', "fetch('https://example.org/home');"],
  ['ordinary words', '// Makes an end of a keep-alive connection after the closing tag, to two decimal places'],
])('accepts %s', (_case, text) => {
  expect(lintComments(text)).toEqual([]);
});

it('finds invented nouns in the sentences of Markdown, not in its code', async () => {
  const text = '# Closings\n\nThe lane reads facts.\n\n```sh\ncat facts\n```\n\nSee `facts` and [this](./facts.md).\n';
  expect(linesOf(await lintMarkdown(text))).toEqual([1, 3, 3]);
});
