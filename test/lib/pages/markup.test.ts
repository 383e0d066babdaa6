import { describe, expect, it } from 'vitest';
import { html, jsonCode, prose } from '../../../lib/pages/markup.ts';

describe('markup', () => {
  it('escapes whatever a template is given that is no markup itself', () => {
    const name = `<img src=x onerror="alert('1')">&`;
    expect(html`<p title="${name}">${name}</p>`.text).toBe(
      '<p title="&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;">&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;</p>',
    );
  });

  it('takes markup as it stands, joins lists and leaves out what is undefined', () => {
    expect(html`${html`<b>1</b>`}${[html`<i>2</i>`, '<3>']}${undefined}${4}`.text).toBe('<b>1</b><i>2</i>&lt;3&gt;4');
  });

  it('keeps a backslash of a value as it is', () => {
    expect(html`${'a\\nb'} \\`.text).toBe('a\\nb \\');
  });

  it('escapes inside the code of a sentence', () => {
    expect(prose('send `<id>` & go').text).toBe('send <code>&lt;id&gt;</code> &amp; go');
  });

  it('escapes inside coloured JSON and loses none of it', () => {
    const value = { 'a<b': ['"quoted": </script>', 1.5, null, true] };
    const plain = jsonCode(value)
      .text.replace(/<\/?span[^>]*>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>');
    expect(JSON.parse(plain)).toEqual(value);
    expect(jsonCode(value).text).not.toContain('</script>');
  });
});
