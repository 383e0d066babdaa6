import { describe, expect, it } from 'vitest';
import { prefixTemplateSchema } from '../../lib/domain/data/data-connections.ts';
import { repositoryPathSchema, scopeSchema, serviceAccountIdSchema } from '../../lib/domain/identifiers.ts';
import { script } from '../../lib/pages/reference/script.ts';
import { attackOn, type Expression, expressionsIn } from './regular-expressions.ts';
import { codeOf, sourceFiles } from './source-files.ts';

/** Programs in string literals of our sources. */
const programs = new Map([['lib/pages/reference/script.ts', [script]]]);

/** Expressions that backtrack, with the maximum length of their input. */
const exceptions = new Map([
  ['lib/pages/reference/text.tsx', 'examples of our own API document, in which every quote has an end'],
  ['lib/assets/logo.ts', 'a file of the deployment of at most 64 KiB, read at synth and at the start'],
]);

/** Expressions that are built from text, by file, with their value at run time. */
const built = new Map<string, { calls: number; expressions: readonly Expression[] }>([
  ['lib/domain/data/data-connections.ts', { calls: 1, expressions: expressionsOf(prefixTemplateSchema) }],
  [
    'lib/domain/identifiers.ts',
    { calls: 3, expressions: [serviceAccountIdSchema, repositoryPathSchema, scopeSchema].flatMap(expressionsOf) },
  ],
  ['lib/local/seed-data.ts', { calls: 1, expressions: [/<AccessKeyId>([^<]+)</] }],
  [
    'lib/sigv4/canonical.ts',
    { calls: 2, expressions: [/^[A-Za-z0-9\-._~/]*$/, /%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~/]/gu] },
  ],
  ['lib/pages/reference/script.ts', { calls: 1, expressions: [/^\/accounts\/[^/]+\/repositories\/[^/]+$/] }],
]);

describe('regular expressions', () => {
  const files = ['lib/**', 'functions/**', 'site/**', 'bin/**'].flatMap(sourceFiles);
  const texts = [
    ...files.map((file) => [file.path, file.text] as const),
    ...[...programs].flatMap(([path, sources]) => sources.map((source) => [path, source] as const)),
  ];
  const all = texts.map(([path, text]) => ({ path, ...expressionsIn(path, text) }));

  it('take linear time for any text, except those with a stated reason', { timeout: 300_000 }, () => {
    const places = new Map<string, { expression: Expression; paths: Set<string> }>();
    const add = (path: string, expression: Expression) => {
      const name = `/${expression.source}/${expression.flags}`;
      const before = places.get(name) ?? { expression, paths: new Set() };
      places.set(name, before);
      before.paths.add(path);
    };
    for (const { path, literals } of all) for (const literal of literals) add(path, literal);
    for (const [path, { expressions }] of built) for (const expression of expressions) add(path, expression);
    const found = [...places].flatMap(([name, { expression, paths }]) => {
      const attack = attackOn(expression);
      return attack === undefined ? [] : [...paths].map((path) => ({ path, name, attack }));
    });
    expect(found.filter(({ path }) => !exceptions.has(path))).toEqual([]);
    expect(found.map(({ path }) => path).sort()).toEqual([...exceptions.keys()].sort());
    expect(places.size).toBeGreaterThan(250);
  });

  it('that are built from text are in the list', () => {
    const counts = new Map<string, number>();
    for (const { path, built } of all) {
      if (built.length > 0) counts.set(path, (counts.get(path) ?? 0) + built.length);
    }
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries([...built].map(([path, { calls }]) => [path, calls])),
    );
    const others = files.filter((file) => /\bRegExp\b(?!\(|\[|[;,)\]| [;=|&])/.test(codeOf(file)));
    expect(others.map(({ path }) => path)).toEqual([]);
  });
});

describe('the check finds', () => {
  it.each<[string, Expression, RegExp]>([
    ['a tail that is searched from each character', /[^\n]*$/, /2nd degree/],
    ['white space on both sides of nothing', /^\s*(?:a)?\s*$/, /2nd degree/],
    ['nested repetition', /^(?:a+)+$/, /exponential/],
    ['two ways to read the same', /^(?:a|a)*$/, /exponential/],
    ['repetition that the automaton does not know', /(?<!b)a+a+$/, /2nd|3rd degree/],
  ])('%s', (_, expression, complexity) => {
    expect(attackOn(expression)).toMatch(complexity);
  });

  it('an expression in a program, and a call that builds one', () => {
    const program = 'const a = /b+$/g; const c = new RegExp(`${a}*`); // /d/\nconst e = "/f/";';
    expect(expressionsIn('program.ts', program)).toEqual({
      literals: [{ source: 'b+$', flags: 'g' }],
      built: ['new RegExp(`${a}*`)'],
    });
  });
});

/** Returns the expressions with which a schema checks strings. */
function expressionsOf(schema: { _zod: { def: object } }): Expression[] {
  const { checks = [] } = schema._zod.def as { checks?: { _zod: { def: { pattern?: RegExp } } }[] };
  const found = checks.flatMap((check) => check._zod.def.pattern ?? []);
  expect(found).not.toEqual([]);
  return found;
}
