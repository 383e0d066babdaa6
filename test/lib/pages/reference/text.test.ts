import { h } from 'preact';
import { renderToStaticMarkup } from 'preact-render-to-string';
import { expect, it } from 'vitest';
import { JsonCode, Prose } from '../../../../lib/pages/reference/text.tsx';

it('escapes the text and the code of a sentence', () => {
  const html = renderToStaticMarkup(h(Prose, { text: 'if <id> is "a", send `<id>` & go' }));
  expect(html).toBe('if &lt;id> is &quot;a&quot;, send <code>&lt;id></code> &amp; go');
});

it('escapes JSON completely', () => {
  const value = { 'a<b': ['"quoted": </script>', 1.5, null, true] };
  const html = renderToStaticMarkup(h(JsonCode, { value }));
  const plain = html
    .replace(/<\/?span[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<');
  expect(JSON.parse(plain.replaceAll('&amp;', '&'))).toEqual(value);
  expect(html).not.toContain('</script>');
});
