import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import { runnableViewerFunction, viewerFunctionSource } from '../../../../lib/assets/viewer-functions.ts';
import type { ViewerFields } from '../../../../lib/edge/viewer/events.ts';

const settings = {
  siteUrl: `https://${'a'.repeat(253)}`,
  virtualHostBase: 'b'.repeat(253),
  siteHosts: ['a'.repeat(253), 'b'.repeat(253)],
};
const names = ['exchange-request', 'health-request', 'object-request', 'object-response', 'page-request'] as const;

/**
 * The syntax that the runtime cloudfront-js-2.0 supports: ES 5.1 with `const`, `let`, arrow functions, and templates.
 */
const known = new Set(
  `ArrayExpression ArrowFunctionExpression AssignmentExpression BinaryExpression BlockStatement BreakStatement
  CallExpression CatchClause ConditionalExpression ContinueStatement ExpressionStatement ForInStatement ForStatement
  FunctionDeclaration FunctionExpression Identifier IfStatement Literal LogicalExpression MemberExpression NewExpression
  ObjectExpression Program Property ReturnStatement TemplateElement TemplateLiteral ThrowStatement TryStatement
  UnaryExpression UpdateExpression VariableDeclaration VariableDeclarator WhileStatement`.split(/\s+/),
);

interface Node {
  type: string;
  [part: string]: unknown;
}

function nodesOf(part: unknown): Node[] {
  if (Array.isArray(part)) return part.flatMap(nodesOf);
  if (typeof part !== 'object' || part === null) return [];
  const inside = Object.values(part).flatMap(nodesOf);
  return 'type' in part && typeof part.type === 'string' ? [part as Node, ...inside] : inside;
}

describe.each(names)('the viewer function %s', (name) => {
  const source = viewerFunctionSource(name, settings);

  test('is at most 10 KB', () => {
    expect(Buffer.byteLength(source)).toBeLessThanOrEqual(10 * 1024);
  });

  test('uses only syntax of the runtime cloudfront-js-2.0', () => {
    const nodes = nodesOf(parseAst(source));
    expect(nodes.length).toBeGreaterThan(30);
    expect(nodes.filter(({ type }) => !known.has(type)).map(({ type }) => type)).toEqual([]);
    for (const node of nodes) {
      if (node.type === 'LogicalExpression') expect(['&&', '||']).toContain(node['operator']);
      if (node.type === 'AssignmentExpression') expect(['=', '+=']).toContain(node['operator']);
      if (node.type === 'MemberExpression') expect(node['optional']).not.toBe(true);
      if (node.type === 'Property')
        expect([node['kind'], node['method'], node['computed']]).toEqual(['init', false, false]);
      if (node.type === 'FunctionDeclaration') expect([node['async'], node['generator']]).toEqual([false, false]);
      // The runtime cloudfront-js-2.0 supports no lookbehind, no named groups, and no newer flags.
      const { regex } = node as unknown as { regex?: { pattern: string; flags: string } };
      if (regex !== undefined && regex !== null)
        expect(`${regex.pattern} ${regex.flags}`).not.toMatch(/\(\?<| [^ ]*[^gimy ]/);
    }
  });
});

describe('the viewer function of responses', () => {
  const onResponse = runnableViewerFunction('object-response');
  const answer = (statusCode: number, headers: Record<string, string>) => {
    const fields: ViewerFields = {};
    for (const [name, value] of Object.entries(headers)) fields[name] = { value };
    const shown = onResponse({ response: { statusCode, headers: fields } }).headers;
    return Object.fromEntries(Object.entries(shown).map(([name, { value }]) => [name, value]));
  };
  const ours = { 'x-sluice-shaped': 'cached', 'cache-control': 's-maxage=60, stale-if-error=0' };

  test("restores storage's own Cache-Control and Expires, or none, and removes our headers", () => {
    const aside = { 'x-sluice-storage-cache-control': 'max-age=31536000', 'x-sluice-storage-expires': 'never' };
    expect(answer(200, { ...ours, ...aside, etag: '"a"' })).toEqual({
      'cache-control': 'max-age=31536000',
      expires: 'never',
      etag: '"a"',
    });
    expect(answer(304, { ...ours, etag: '"a"' })).toEqual({ etag: '"a"' });
  });

  test('does not change answers of functions', () => {
    expect(answer(200, { 'cache-control': 'no-store' })).toEqual({ 'cache-control': 'no-store' });
  });

  test('removes the checksum of the whole object from a range of a cached answer', () => {
    const checksum = { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-type': 'FULL_OBJECT' };
    expect(answer(206, { ...ours, ...checksum })).toEqual({});
    expect(answer(200, { ...ours, ...checksum })).toEqual(checksum);
    expect(answer(206, { ...ours, 'x-sluice-shaped': 'uncached', ...checksum })).toEqual(checksum);
  });
});

test('the viewer function of health answers, and refuses a key in the query', () => {
  const onRequest = runnableViewerFunction('health-request');
  const answer = (querystring: ViewerFields) =>
    onRequest({
      context: { requestId: 'a' },
      request: { method: 'GET', uri: '/.health', querystring, headers: {}, cookies: {} },
    });
  const key = `sck_${'a1'.repeat(15)}`;
  expect(answer({})).toMatchObject({ statusCode: 200, body: '{"status":"ok"}' });
  expect(answer({ key: { value: key } }).statusCode).toBe(400);
  expect(answer({ [key.replace('_', '%5F')]: { value: '' } }).statusCode).toBe(400);
  expect(answer({ a: { value: '', multiValue: [{ value: '' }, { value: key }] } }).statusCode).toBe(400);
});
