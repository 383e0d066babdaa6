import { PreviewRefusal } from '../../reading/refusal.ts';

/** GeoJSON has about eight levels. */
const depthMax = 200;

/**
 * Yields the features of a GeoJSON text, which may be cut in the middle. The text is a collection, one feature per
 * line, or a single feature or geometry. Ignores the rest after the last complete feature. Throws PreviewRefusal for
 * text that is not JSON.
 */
export function* featuresOf(text: string): Generator<unknown> {
  let at = nextToken(text, 0);
  if (text[at] !== '{') throw new PreviewRefusal('not-of-this-format', 'GeoJSON');
  const list = findFeatures(text, at);
  if (list !== undefined) {
    yield* valuesOf(text, list);
    return;
  }
  while (text[at] === '{') {
    const end = endOfValue(text, at);
    if (end === undefined) return;
    yield parse(text.slice(at, end));
    at = nextToken(text, end);
  }
}

/** Returns the start of the list `features` of a collection. */
function findFeatures(text: string, start: number): number | undefined {
  let at = nextToken(text, start + 1);
  while (text[at] === '"') {
    const keyEnd = endOfValue(text, at);
    if (keyEnd === undefined) return undefined;
    const valueAt = nextToken(text, keyEnd);
    if (text.slice(at, keyEnd) === '"features"' && text[valueAt] === '[') return valueAt + 1;
    const valueEnd = endOfValue(text, valueAt);
    if (valueEnd === undefined) return undefined;
    at = nextToken(text, valueEnd);
  }
  return undefined;
}

function* valuesOf(text: string, start: number): Generator<unknown> {
  let at = nextToken(text, start);
  while (at < text.length && text[at] !== ']') {
    const end = endOfValue(text, at);
    if (end === undefined) return;
    yield parse(text.slice(at, end));
    at = nextToken(text, end);
  }
}

/** Skips spaces, record separators, and the commas and colons between values. */
function nextToken(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n,:\u001e\ufeff'.includes(text[at] ?? '')) at += 1;
  return at;
}

/** Returns the end of a value; undefined if the text ends first. */
function endOfValue(text: string, start: number): number | undefined {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== '{' && first !== '[') return endOfPlainValue(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (character === '{' || character === '[') {
      depth += 1;
      if (depth > depthMax) throw new PreviewRefusal('damaged');
    } else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** Returns the end of a number, `true`, `false`, or `null`. */
function endOfPlainValue(text: string, start: number): number | undefined {
  const length = text.slice(start, start + 400).search(/[,\]}\s]/);
  if (length === 0) throw new PreviewRefusal('damaged');
  return length === -1 ? undefined : start + length;
}

function endOfString(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PreviewRefusal('damaged', cause instanceof Error ? cause.message : '');
  }
}
