/** An element. An `undefined` child is left out. */
export type XmlChild = readonly [name: string, content: string | readonly XmlChild[]] | undefined;

export const s3Namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';

export function renderXml(root: string, content: string | readonly XmlChild[], namespace?: string): string {
  const attribute = namespace === undefined ? '' : ` xmlns="${namespace}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${renderContent(content)}</${root}>`;
}

function renderContent(content: string | readonly XmlChild[]): string {
  if (typeof content === 'string') return escapeText(content);
  return content
    .map((child) => (child === undefined ? '' : `<${child[0]}>${renderContent(child[1])}</${child[0]}>`))
    .join('');
}

const namedReferences: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

// S3 also writes control characters of keys as references, although XML 1.0 forbids most of them. Clients avoid that by
// encoding-type=url.
function escapeText(text: string): string {
  return text.replace(
    /[&<>"\u0000-\u001f]/g,
    (character) => namedReferences[character] ?? `&#x${character.charCodeAt(0).toString(16)};`,
  );
}
