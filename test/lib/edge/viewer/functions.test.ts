import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import {
  compileViewerFunctions,
  copyViewerHeaders,
  onObjectRequest,
  onObjectResponse,
  onPageRequest,
  type ViewerFields,
} from '../../../../lib/edge/viewer/functions.ts';
import { answerHealth } from '../../../../lib/stacks/edge/viewer-functions.ts';

const longest = { siteUrl: `https://${'a'.repeat(253)}`, virtualHostBase: 'b'.repeat(253) };
const sources: [string, string][] = [
  ['of objects', onObjectRequest(longest)],
  ['of objects, without pages', onObjectRequest({})],
  ['of answers', onObjectResponse],
  ['of the exchange', copyViewerHeaders],
  ['of health', answerHealth],
  ['of pages', onPageRequest(['a'.repeat(253), 'b'.repeat(253)])],
];

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

describe.each(sources)('the viewer function %s', (_, source) => {
  test('is at most 10 KB', () => {
    expect(Buffer.byteLength(source)).toBeLessThanOrEqual(10 * 1024);
  });

  test('is written in what the runtime of CloudFront Functions knows', () => {
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
      // The runtime supports no lookbehind, no named groups, and no newer flags.
      const { regex } = node as unknown as { regex?: { pattern: string; flags: string } };
      if (regex !== undefined && regex !== null)
        expect(`${regex.pattern} ${regex.flags}`).not.toMatch(/\(\?<| [^ ]*[^gimy ]/);
    }
  });
});

describe('on the way back', () => {
  const { onResponse } = compileViewerFunctions({});
  const answer = (statusCode: number, headers: Record<string, string>) => {
    const fields: ViewerFields = {};
    for (const [name, value] of Object.entries(headers)) fields[name] = { value };
    const shown = onResponse({ response: { statusCode, headers: fields } }).headers;
    return Object.fromEntries(Object.entries(shown).map(([name, { value }]) => [name, value]));
  };
  const ours = { 'x-sluice-shaped': 'kept', 'cache-control': 's-maxage=60, stale-if-error=0' };

  test("the viewer gets the storage's own Cache-Control and Expires, or none, and nothing of ours", () => {
    const aside = { 'x-sluice-storage-cache-control': 'max-age=31536000', 'x-sluice-storage-expires': 'never' };
    expect(answer(200, { ...ours, ...aside, etag: '"a"' })).toEqual({
      'cache-control': 'max-age=31536000',
      expires: 'never',
      etag: '"a"',
    });
    expect(answer(304, { ...ours, etag: '"a"' })).toEqual({ etag: '"a"' });
  });

  test('what functions answered themselves stays as it is', () => {
    expect(answer(200, { 'cache-control': 'no-store' })).toEqual({ 'cache-control': 'no-store' });
  });

  test('a part of what is kept carries no checksum of the whole', () => {
    const checksum = { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-type': 'FULL_OBJECT' };
    expect(answer(206, { ...ours, ...checksum })).toEqual({});
    expect(answer(200, { ...ours, ...checksum })).toEqual(checksum);
    expect(answer(206, { ...ours, 'x-sluice-shaped': 'passed', ...checksum })).toEqual(checksum);
  });
});
