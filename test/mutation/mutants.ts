import { parseAst } from 'vitest/node';

/** One small change of a source file. */
export interface Mutant {
  file: string;
  /** The innermost named function or constant around the change. */
  within: string;
  line: number;
  /** The changed lines, trimmed, before and after the change. They name the mutant in the list of survivors. */
  before: string;
  after: string;
  /** The whole mutated file. */
  text: string;
  start: number;
  end: number;
  /** The replacement of the source between `start` and `end`. */
  by: string;
  /** The expression or statement that a switch can replace as a whole. Undefined if a switch would change more. */
  scope: { start: number; end: number; isStatement: boolean } | undefined;
}

type Node = Readonly<Record<string, unknown>> & { type: string; start: number; end: number };

// Use a map, because a plain object also has `toString` and other inherited names.
const swapped = new Map(
  Object.entries({
    ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
    ...{ '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '&&': '||', '||': '&&' },
    ...{ every: 'some', some: 'every', startsWith: 'endsWith', endsWith: 'startsWith', min: 'max', max: 'min' },
  }),
);

/** Finds the smallest expression or statement around a change that can become `(switch ? mutated : original)`. */
function scopeOf(ancestors: readonly Node[], changed: { start: number; end: number }): Mutant['scope'] {
  const inside = ancestors.at(-1);
  // The mutant may replace a whole part of the expression, such as the condition of an if statement.
  const part = Object.values(inside ?? {}).find(
    (child): child is Node =>
      typeof child === 'object' &&
      child !== null &&
      'start' in child &&
      child.start === changed.start &&
      'end' in child &&
      child.end === changed.end,
  );
  let index = ancestors.length - 1;
  let node = inside;
  const isPart = inside !== undefined && part !== undefined && /^(If|Return|Conditional|Arrow)/.test(inside.type);
  if (isPart) node = part;
  else {
    // A method call is switched as a whole, because a switch between object and method would lose `this`.
    for (let parent = ancestors[index - 1]; parent !== undefined; parent = ancestors[index - 1]) {
      const isLink =
        parent['callee'] === node ||
        parent['object'] === node ||
        parent['tag'] === node ||
        parent.type === 'ChainExpression' ||
        /^TSNonNull/.test(parent.type);
      if (!isLink) break;
      index -= 1;
      node = parent;
    }
  }
  if (node === undefined) return undefined;
  const isStatement = node.type === 'ExpressionStatement' || node.type === 'ThrowStatement';
  const isExpression = /Expression$|^(Literal|TemplateLiteral|Identifier|ChainExpression)$/.test(node.type);
  const parent = isPart ? inside : ancestors[index - 1];
  const isOperand = !/^(Export|Import|TaggedTemplate|TS(?!As|Satisfies|NonNull))/.test(parent?.type ?? '');
  if (!isStatement && !(isExpression && isOperand)) return undefined;
  return { start: node.start, end: node.end, isStatement };
}

/**
 * Returns the source with all mutants that have a scope. `globalThis.mutation.isActive(id)` chooses one of them at run
 * time, so that one load of a module serves all its mutants.
 */
export function withSwitches(text: string, mutants: readonly (Mutant & { id: number })[]): string {
  const scopes = new Map<string, { start: number; end: number; isStatement: boolean; mutants: typeof mutants }>();
  for (const mutant of mutants) {
    if (mutant.scope === undefined) continue;
    const name = `${mutant.scope.start}-${mutant.scope.end}`;
    scopes.set(name, { ...mutant.scope, mutants: [...(scopes.get(name)?.mutants ?? []), mutant] });
  }
  // Outer scopes come first, so that each scope is rendered inside the scopes around it.
  const ordered = [...scopes.values()].sort((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  const render = (start: number, end: number): string => {
    let rendered = '';
    let at = start;
    for (let scope = ordered[next]; scope !== undefined && scope.end <= end; scope = ordered[next]) {
      next += 1;
      rendered += text.slice(at, scope.start);
      const { isStatement } = scope;
      const original = render(scope.start, scope.end);
      rendered += scope.mutants.reduce(
        (rest, { id, start: from, end: to, by }) => {
          const mutated = text.slice(scope.start, from) + by + text.slice(to, scope.end);
          const isActive = `globalThis.mutation.isActive(${id})`;
          return isStatement
            ? `{ if (${isActive}) { ${mutated} } else ${rest} }`
            : `(${isActive} ? (${mutated}) : ${rest})`;
        },
        isStatement ? `{ ${original} }` : `(${original})`,
      );
      at = scope.end;
    }
    return rendered + text.slice(at, end);
  };
  return render(0, text.length);
}

/** Lists all mutants of a file. Types and messages in words are not mutated. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const mutants: Mutant[] = [];
  let within = '';
  const ancestors: Node[] = [];
  const source = ({ start, end }: Node) => text.slice(start, end);
  const mutate = ({ start, end }: { start: number; end: number }, by: string) => {
    const scope = scopeOf(ancestors, { start, end });
    const mutated = text.slice(0, start) + by + text.slice(end);
    const from = text.lastIndexOf('\n', start - 1) + 1;
    const to = (text.indexOf('\n', end) + 1 || text.length + 1) - 1;
    const plain = (part: string) => part.replace(/\s+/g, ' ').trim();
    const [before, after] = [
      plain(text.slice(from, to)),
      plain(mutated.slice(from, to + mutated.length - text.length)),
    ];
    const line = text.slice(0, start).split('\n').length;
    mutants.push({ file, within, line, before, after, text: mutated, start, end, by, scope });
  };

  const mutateResult = (node: Node) => {
    if (node.type !== 'Literal' && source(node) !== 'undefined') mutate(node, 'undefined');
  };

  const mutateNode = (node: Node) => {
    const part = (name: string) => node[name] as Node;
    const operator = String(node['operator']);
    switch (node.type) {
      case 'IfStatement':
      case 'ConditionalExpression':
        mutate(part('test'), 'true');
        mutate(part('test'), 'false');
        break;
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const [left, right] = [part('left'), part('right')];
        if (operator === '??') mutate(node, source(left));
        const at = text.indexOf(operator, left.end);
        const by = swapped.get(operator);
        if (by !== undefined && at < right.start) mutate({ start: at, end: at + operator.length }, by);
        break;
      }
      case 'UnaryExpression':
        if (operator === '!') mutate(node, source(part('argument')));
        break;
      case 'ReturnStatement':
        if (node['argument'] !== null) mutateResult(part('argument'));
        break;
      case 'ArrowFunctionExpression':
        if (part('body').type !== 'BlockStatement') mutateResult(part('body'));
        break;
      case 'ExpressionStatement':
        if (node['directive'] === undefined || node['directive'] === null) mutate(node, ';');
        break;
      case 'ThrowStatement':
        mutate(node, ';');
        break;
      case 'ArrayExpression':
        for (const element of node['elements'] as Node[]) {
          const comma = /^\s*,/.exec(text.slice(element.end))?.[0].length ?? 0;
          mutate({ start: element.start, end: element.end + comma }, '');
        }
        break;
      case 'MemberExpression': {
        const by = swapped.get(source(part('property')));
        if (by !== undefined && node['computed'] === false) mutate(part('property'), by);
        break;
      }
      case 'Literal': {
        const { value } = node;
        if (typeof value === 'boolean') mutate(node, String(!value));
        else if (typeof value === 'number') mutate(node, String(value + 1));
        // A text that contains a space is a message.
        else if (typeof value === 'string' && !value.includes(' ')) mutate(node, value === '' ? "'mutant'" : "''");
        break;
      }
      case 'TemplateLiteral':
        if (
          !source(node)
            .replace(/\$\{[^}]*\}/g, '')
            .includes(' ')
        )
          mutate(node, "''");
        break;
    }
  };

  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (typeof value !== 'object' || value === null || !('type' in value)) return;
    const node = value as Node;
    const isExpression = /^TS(?:As|Satisfies|NonNull)/.test(node.type);
    if ((node.type.startsWith('TS') && !isExpression) || node.type === 'ImportDeclaration') return;
    const outside = within;
    const name = (node['id'] ?? (node.type === 'MethodDefinition' ? node['key'] : undefined)) as Node | undefined;
    if (name?.type === 'Identifier' || name?.type === 'PrivateIdentifier') within = source(name).split(':')[0] ?? '';
    ancestors.push(node);
    mutateNode(node);
    for (const [part, child] of Object.entries(node)) {
      const isName = part === 'key' && node['computed'] === false;
      if (!isName && !(isExpression && part === 'typeAnnotation')) visit(child);
    }
    ancestors.pop();
    within = outside;
  };
  visit(parseAst(text, { lang: 'ts' }));
  return mutants;
}
