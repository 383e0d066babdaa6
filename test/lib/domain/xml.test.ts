import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyTexts, parseXml, readErrorCode, xmlChildren, xmlText } from '../../../lib/domain/xml.ts';

const textOfB = (document: string) => xmlText(parseXml(document, 'A'), 'B');

describe('the parser', () => {
  test.each([
    ['a plain one', '<A><B>x</B></A>', 'x'],
    ['with a declaration and spaces around', '\ufeff <?xml version="1.0"?>\n<A>\n<B>x</B>\n</A>\n', 'x'],
    ['with a namespace', '<A xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><B>x</B></A>', 'x'],
    ['with prefixes', '<s3:A xmlns:s3="urn:x"><s3:B>x</s3:B></s3:A>', 'x'],
    ['with attributes that hold > and quotes', `<A><B a="/>" b='"'>x</B ></A >`, 'x'],
    ['with comments', '<!-- <A> --><A><B>x<!-- </B> -->y</B><!----></A>', 'xy'],
    ['with references', '<A><B>&lt;&#x26;&amp;amp;&#13;&#x1;&quot;&#x1f600;</B></A>', '<&&amp;\r\u0001"😀'],
    ['with nothing but spaces', '<A><B>  </B></A>', '  '],
    ['with an empty element', '<A><B/></A>', ''],
    ['with an element inside', '<A><B>x<C/></B></A>', undefined],
    ['without the element', '<A/>', undefined],
    ['with two of them', '<A><B>1</B><B>2</B></A>', '1'],
  ])('accepts XML: %s', (_, document, text) => {
    expect(textOfB(document)).toBe(text);
  });

  test('returns children in order, by name', () => {
    const root = parseXml('<A><B>1</B><C>2</C><B>3</B></A>', 'A');
    expect(xmlChildren(root, 'B').map(({ text }) => text)).toEqual(['1', '3']);
    expect(xmlChildren(root, '__proto__')).toEqual([]);
  });

  test('accepts nesting as deep as a body can have', () => {
    const deep = 100_000;
    expect(parseXml(`<A>${'<B>'.repeat(deep)}${'</B>'.repeat(deep)}</A>`, 'A').children).toHaveLength(1);
  });
});

test.each([
  ['150,000 elements', '<B/>'.repeat(149_999), '<B/>'],
  ['150,000 comments', '<!---->'.repeat(149_999), '<!---->'],
  ['16,384 characters in an element', `<B>${'x'.repeat(16_384)}</B>`, `<B>${'x'.repeat(16_385)}</B>`],
  ['16,384 characters beside elements', `<B>${'x'.repeat(16_384)}<C/></B>`, `<B>${'x'.repeat(16_385)}<C/></B>`],
  ['16 attributes', `<B${' c="d"'.repeat(15)} c="d"/>`, `<B${' c="d"'.repeat(17)}/>`],
])('XML of %s is read and is refused beyond its bounds', (_, allowed, more) => {
  expect(() => parseXml(`<A>${allowed}</A>`, 'A')).not.toThrow();
  const beyond = expect.objectContaining({ code: 'malformed_xml' });
  expect(() => parseXml(`<A>${allowed}${more}</A>`, 'A')).toThrow(beyond);
});

test('XML with more elements than the caller allows is refused', () => {
  expect(() => parseXml('<A><B/><B/></A>', 'A', 3)).not.toThrow();
  expect(() => parseXml('<A><B/><B/></A>', 'A', 2)).toThrow(expect.objectContaining({ code: 'malformed_xml' }));
});

describe('XML that is refused', () => {
  test.each([
    ['nothing', ''],
    ['text', 'A'],
    ['another root', '<B/>'],
    ['two roots', '<A/><A/>'],
    ['text before the root', 'x<A/>'],
    ['text after the root', '<A/>x'],
    ['an element that is not closed', '<A><B>x</A>'],
    ['a root that is not closed', '<A><B>x</B>'],
    ['an element closed twice', '<A><B>x</B></B></A>'],
    ['a closing tag by another prefix', '<s:A xmlns:s="urn:x"></A>'],
    ['a tag cut off', '<A><B'],
    ['an attribute without quotes', '<A b=c></A>'],
    ['an attribute cut off', '<A b="c></A>'],
    ['< in an attribute', '<A b="<"></A>'],
    ['a lone <', '<A>< </A>'],
    ['a name that starts with a digit', '<A><1/></A>'],
    ['a comment cut off', '<A><!-- </A>'],
    ['a document type', '<!DOCTYPE A [<!ENTITY b "c">]><A><B>x</B></A>'],
    ['CDATA', '<A><B><![CDATA[x]]></B></A>'],
    ['an unknown entity', '<A><B>&nbsp;</B></A>'],
    ['a lone &', '<A><B>a & b</B></A>'],
    ['half a surrogate pair', '<A><B>&#xD800;</B></A>'],
    ['a number past Unicode', '<A><B>&#x110000;</B></A>'],
  ])('%s', (_, document) => {
    expect(() => textOfB(document)).toThrow(expect.objectContaining({ code: 'malformed_xml' }));
  });
});

describe('texts that are copied', () => {
  const copy = (content: string) => copyTexts(parseXml(`<A>${content}</A>`, 'A'), new Set(['B', 'C']));

  test.each([
    [
      'are those of the requested names, in their order',
      '<C>1</C><D>2</D><B>3</B><C>4</C>',
      '<C>1</C><B>3</B><C>4</C>',
    ],
    [
      'keep the references that everybody knows',
      '<B>&quot;x&quot; &amp; &lt;y&gt;</B>',
      '<B>&quot;x&quot; &amp; &lt;y&gt;</B>',
    ],
    ['are escaped anew with any other', '<B>&#60;&#x1;&apos;"</B>', '<B>&#x3c;&#x1;&#x27;&#x22;</B>'],
    ['lose attributes, prefixes, spaces and comments', '<s:B a="b" >x<!-- y --></s:B ><C/>', '<B>x</B><C></C>'],
    ['are none where an element is inside', '<B>x<C>y</C></B>', ''],
  ])('%s', (_, content, copied) => {
    expect(copy(content)).toBe(copied);
  });

  test.each(['&nbsp;', '&', '&amp', '&#xD800;', '&amp;&lt'])('are not copied with the reference %s', (reference) => {
    expect(() => copy(`<B>${reference}</B>`)).toThrow(expect.objectContaining({ code: 'malformed_xml' }));
  });
});

test('copying several children gives the same as copying each alone', () => {
  const child = fc.constantFrom(
    ...['<A>1</A>', '<B>a&amp;b</B>', '<A>&#x41;</A>', '<A/>', '<x:B>2</x:B>', '<B c="d">3</B>', '<A><B>4</B></A>'],
    ...['<C>left out</C>', ' ', '\n', 'text', '<!-- aside -->', "<A>it's</A>"],
  );
  const names = new Set(['A', 'B']);
  const copied = (content: string) => copyTexts(parseXml(`<root>${content}</root>`, 'root'), names);
  fc.assert(
    fc.property(fc.array(child, { maxLength: 12 }), (children) => {
      expect(copied(children.join(''))).toBe(children.map(copied).join(''));
    }),
  );
});

describe('the error code of storage', () => {
  test.each([
    ['NoSuchKey', 'NoSuchKey'],
    ['KMS.DisabledException', 'KMS.DisabledException'],
    ['ServerSideEncryptionConfigurationNotFoundError', 'ServerSideEncryptionConfigurationNotFoundError'],
    ['AWS4-HMAC-SHA256 Credential=AK/20260301/us-east-1/s3/aws4_request', ''],
    ['IQoJb3JpZ2luX2VjEJr//////////wEaCXVzLWVhc3QtMSJHMEUCIQ==', ''],
    [`a${'0'.repeat(63)}`, ''],
    ['NoSuchKey&#xa;', ''],
    ['No Such Key', ''],
    ['', ''],
  ])('%j is read as %j', (code, read) => {
    expect(readErrorCode(`<Error><Code>${code}</Code></Error>`)).toBe(read);
  });

  test('is undefined in a document that is not an error', () => {
    expect(readErrorCode('<Ok><Code>NoSuchKey</Code></Ok>')).toBeUndefined();
  });
});
