import { createRequire } from 'node:module';
import { parseAst } from 'vitest/node';

// The package's entry point starts processes and native programs if it finds any. This file contains only the checker.
const recheck = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck');

export interface Expression {
  source: string;
  flags: string;
}

type Node = Readonly<Record<string, unknown>> & { type: string; start: number; end: number };

/** Returns the regular expression literals of a program, and the source text of every `RegExp(…)` call. */
export function expressionsIn(text: string): { literals: Expression[]; built: string[] } {
  const found: ReturnType<typeof expressionsIn> = { literals: [], built: [] };
  const open: unknown[] = [parseAst(text, { lang: 'ts' })];
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
 * Returns an attack on an expression that backtracks in polynomial or exponential time, or `undefined` for a safe one.
 * The automaton proves safety. It fails for lookbehind and for large expressions, which the fuzzer attacks instead. The
 * seed is fixed, and the fuzzer counts characters instead of time, so the speed of the machine does not matter.
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
 * Returns true for most expressions: no unbounded quantifier, or a single one that repeats one character after an
 * anchored start.
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
