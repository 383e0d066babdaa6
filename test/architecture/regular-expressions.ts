import { createRequire } from 'node:module';
import { parseAst } from 'vitest/node';

// The package's entry point may start processes and native programs. This file contains only the checker.
const recheck = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck');

export interface Expression {
  source: string;
  flags: string;
}

type Node = Readonly<Record<string, unknown>> & { type: string; start: number; end: number };

/**
 * Lists the regular expression literals of a program, and the source text of every `RegExp(…)` call. `path` tells TSX
 * from TypeScript.
 */
export function expressionsIn(path: string, text: string): { literals: Expression[]; built: string[] } {
  const found: ReturnType<typeof expressionsIn> = { literals: [], built: [] };
  const open: unknown[] = [parseAst(text, { lang: path.endsWith('.tsx') ? 'tsx' : 'ts' })];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    open.push(...Object.values(node));
    const { type, regex, callee, start, end } = node as Partial<Node>;
    if (type === 'Literal' && regex !== undefined) {
      const { pattern, flags } = regex as { pattern: string; flags: string };
      found.literals.push({ source: pattern, flags });
    }
    const isCall = type === 'NewExpression' || type === 'CallExpression';
    if (isCall && (callee as Partial<Node>)['name'] === 'RegExp') found.built.push(text.slice(start, end));
  }
  return found;
}

/**
 * Returns the attack of an expression that backtracks in polynomial or exponential time, `undefined` for a safe one.
 * The automaton proves safety; it gives up on lookbehind and on large expressions, which are then attacked by fuzzing.
 * The seed is fixed and fuzzing counts characters instead of time, so that a busy machine changes no result.
 */
export function attackOn({ source, flags }: Expression): string | undefined {
  if (isPlainlyLinear(source, flags)) return undefined;
  const byAutomaton = recheck.checkSync(source, flags, { checker: 'automaton', timeout: automatonMs });
  const result = byAutomaton.status === 'unknown' ? recheck.checkSync(source, flags, fuzzing) : byAutomaton;
  if (result.status === 'safe') return undefined;
  return result.status === 'vulnerable'
    ? `${result.complexity.summary}: ${result.attack.pattern}`
    : `undecided: ${result.error.kind}`;
}

/**
 * Returns true for expressions that take linear time by their form, which most do. They have no unbounded quantifier,
 * or a single one that repeats one character after an anchored beginning.
 */
function isPlainlyLinear(source: string, flags: string): boolean {
  const shape = source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');
  const [quantifier, ...others] = shape.match(/.(?:[*+]|\{\d+,\})/g) ?? [];
  if (quantifier === undefined) return true;
  return others.length === 0 && !quantifier.startsWith(')') && /^\^[^|]*$/.test(shape) && !flags.includes('m');
}

const automatonMs = 1000;
const fuzzing = {
  checker: 'fuzz',
  timeout: 60_000,
  randomSeed: 1,
  maxIteration: 3,
  attackTimeout: null,
  incubationTimeout: null,
} as const;
