import { isDeepStrictEqual } from 'node:util';

/**
 * The part of DynamoDB's expression language that the store uses. A request outside this part throws, so that no
 * simulation can pass by an expression that the memory table ignores.
 */
export type Item = Record<string, unknown>;

export interface Placeholders {
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Record<string, unknown> | undefined;
}

/** Reports that the request is invalid for the item, as DynamoDB's ValidationException does. */
export class InvalidForItem extends Error {}

const tokenPattern = /\s*(<>|<=|>=|[=<>(),]|[#:]?[\w.#]+)/y;

class Tokens {
  readonly #tokens: string[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    tokenPattern.lastIndex = 0;
    for (let at = 0; text.slice(at).trim() !== ''; at = tokenPattern.lastIndex) {
      const token = tokenPattern.exec(text)?.[1];
      if (token === undefined) throw this.unknown();
      this.#tokens.push(token);
    }
    this.#tokens.reverse();
  }

  next(): string {
    const token = this.#tokens.pop();
    if (token === undefined) throw this.unknown();
    return token;
  }

  takes(...expected: string[]): boolean {
    if (!expected.includes(this.#tokens.at(-1) ?? '')) return false;
    this.#tokens.pop();
    return true;
  }

  expect(token: string): void {
    if (!this.takes(token)) throw this.unknown();
  }

  get isAtEnd(): boolean {
    return this.#tokens.length === 0;
  }

  unknown(): Error {
    return new Error(`the memory table does not know the expression ${this.#text}`);
  }
}

class Scope {
  readonly #placeholders: Placeholders;

  constructor(placeholders: Placeholders) {
    this.#placeholders = placeholders;
  }

  path(text: string): string[] {
    return text.split('.').map((part) => {
      const name = part.startsWith('#') ? this.#placeholders.ExpressionAttributeNames?.[part] : part;
      if (name === undefined) throw new Error(`the request does not define ${part}`);
      return name;
    });
  }

  value(token: string): unknown {
    const values = this.#placeholders.ExpressionAttributeValues ?? {};
    if (!(token in values)) throw new Error(`the request does not define ${token}`);
    return values[token];
  }
}

export function holds(expression: string | undefined, placeholders: Placeholders, item: Item | undefined): boolean {
  if (expression === undefined) return true;
  const tokens = new Tokens(expression);
  const result = anyOf(tokens, new Scope(placeholders), item ?? {});
  if (!tokens.isAtEnd) throw tokens.unknown();
  return result;
}

// Both sides are always parsed, because the parser evaluates while it reads.
function anyOf(tokens: Tokens, scope: Scope, item: Item): boolean {
  let result = allOf(tokens, scope, item);
  while (tokens.takes('OR')) result = allOf(tokens, scope, item) || result;
  return result;
}

function allOf(tokens: Tokens, scope: Scope, item: Item): boolean {
  let result = term(tokens, scope, item);
  while (tokens.takes('AND')) result = term(tokens, scope, item) && result;
  return result;
}

function term(tokens: Tokens, scope: Scope, item: Item): boolean {
  if (tokens.takes('(')) {
    const result = anyOf(tokens, scope, item);
    tokens.expect(')');
    return result;
  }
  const first = tokens.next();
  if (first === 'attribute_exists' || first === 'attribute_not_exists') {
    tokens.expect('(');
    const found = valueAt(item, scope.path(tokens.next()));
    tokens.expect(')');
    return (found !== undefined) === (first === 'attribute_exists');
  }
  const found = valueAt(item, scope.path(first));
  const operator = tokens.next();
  const operand = scope.value(tokens.next());
  if (operator !== 'BETWEEN') return compare(found, operator, operand, tokens);
  tokens.expect('AND');
  const upper = scope.value(tokens.next());
  return compare(found, '>=', operand, tokens) && compare(found, '<=', upper, tokens);
}

function compare(found: unknown, operator: string, operand: unknown, tokens: Tokens): boolean {
  if (operator === '=') return found !== undefined && isDeepStrictEqual(found, operand);
  if (operator === '<>') return !isDeepStrictEqual(found, operand);
  if (typeof found !== typeof operand || !['number', 'string'].includes(typeof found)) return false;
  const order = compareValues(found as string | number, operand as string | number);
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      throw tokens.unknown();
  }
}

/** Compares strings by their UTF-8 bytes, as DynamoDB does. JavaScript compares UTF-16 code units. */
export function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

function valueAt(item: Item, path: readonly string[]): unknown {
  return path.reduce<unknown>((within, name) => (within as Item | undefined)?.[name], item);
}

/** Returns the updated item. Every operand refers to the item before the update. */
export function updated(item: Item, expression: string | undefined, placeholders: Placeholders): Item {
  const result = structuredClone(item);
  if (expression === undefined) return result;
  const [tokens, scope] = [new Tokens(expression), new Scope(placeholders)];
  while (!tokens.isAtEnd) {
    const clause = tokens.next();
    do {
      const path = scope.path(tokens.next());
      const parent = valueAt(result, path.slice(0, -1)) as Item | undefined;
      const name = path.at(-1) ?? '';
      if (clause === 'REMOVE') {
        if (path.length > 1 && parent === undefined) throw new InvalidForItem('the path is not in the item');
        delete parent?.[name];
        continue;
      }
      if (clause === 'SET') tokens.expect('=');
      else if (clause !== 'ADD') throw tokens.unknown();
      const operand = scope.value(tokens.next());
      if (typeof parent !== 'object' || parent === null) throw new InvalidForItem('the path is not in the item');
      if (clause === 'SET') parent[name] = structuredClone(operand);
      else parent[name] = sum(parent[name], operand);
    } while (tokens.takes(','));
  }
  return result;
}

function sum(found: unknown, added: unknown): number {
  if (found !== undefined && typeof found !== 'number') throw new InvalidForItem('only numbers can be added');
  return (found ?? 0) + Number(added);
}

/** Returns the attributes of a projection, or all of them without one. */
export function projected(item: Item, expression: string | undefined, placeholders: Placeholders): Item {
  if (expression === undefined) return structuredClone(item);
  const scope = new Scope(placeholders);
  const names = expression.split(',').map((name) => scope.path(name.trim())[0] ?? '');
  return structuredClone(Object.fromEntries(names.flatMap((name) => (name in item ? [[name, item[name]]] : []))));
}
