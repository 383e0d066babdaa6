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
}

type Node = Readonly<Record<string, unknown>> & { type: string; start: number; end: number };

const swapped: Readonly<Record<string, string>> = {
  ...{ '===': '!==', '!==': '===', '<': '<=', '<=': '<', '>': '>=', '>=': '>' },
  ...{ '+': '-', '-': '+', '*': '/', '/': '*', '%': '*', '&&': '||', '||': '&&' },
  ...{ every: 'some', some: 'every', startsWith: 'endsWith', endsWith: 'startsWith', min: 'max', max: 'min' },
};

/** Lists all mutants of a file. Types and messages in words are not mutated. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const mutants: Mutant[] = [];
  let within = '';
  const source = ({ start, end }: Node) => text.slice(start, end);
  const mutate = ({ start, end }: { start: number; end: number }, by: string) => {
    const mutated = text.slice(0, start) + by + text.slice(end);
    const from = text.lastIndexOf('\n', start - 1) + 1;
    const to = (text.indexOf('\n', end) + 1 || text.length + 1) - 1;
    const plain = (part: string) => part.replace(/\s+/g, ' ').trim();
    const [before, after] = [
      plain(text.slice(from, to)),
      plain(mutated.slice(from, to + mutated.length - text.length)),
    ];
    mutants.push({ file, within, line: text.slice(0, start).split('\n').length, before, after, text: mutated });
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
        if (swapped[operator] !== undefined && at < right.start)
          mutate({ start: at, end: at + operator.length }, swapped[operator]);
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
        const by = swapped[source(part('property'))];
        if (by !== undefined && node['computed'] === false) mutate(part('property'), by);
        break;
      }
      case 'Literal': {
        const { value } = node;
        if (typeof value === 'boolean') mutate(node, String(!value));
        else if (typeof value === 'number') mutate(node, String(value + 1));
        // A text with a space in it is a message.
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
    mutateNode(node);
    for (const [part, child] of Object.entries(node)) {
      const isName = part === 'key' && node['computed'] === false;
      if (!isName && !(isExpression && part === 'typeAnnotation')) visit(child);
    }
    within = outside;
  };
  visit(parseAst(text, { lang: 'ts' }));
  return mutants;
}
