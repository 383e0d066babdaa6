/** The small XML documents of the data proxy: elements and text. Attributes are ignored. */
export interface XmlElement {
  name: string;
  text: string;
  children: XmlElement[];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Returns the root element. Returns undefined for other content, because an intermediary may have answered. */
export function parseXml(answer: string): XmlElement | undefined {
  const source = withoutComments(answer);
  if (source === undefined) return undefined;
  const top: XmlElement = { name: '', text: '', children: [] };
  const open = [top];
  let end = 0;
  for (const match of source.matchAll(/<(?:\?[^<>]*\?|(\/?)([\w:.-]+)(?:\s[^<>]*?)?(\/?))>/g)) {
    const current = open.at(-1) ?? top;
    current.text += decode(source.slice(end, match.index));
    end = match.index + match[0].length;
    const [, closes, name, isEmpty] = match;
    if (name === undefined) continue;
    if (closes === '/') {
      if (open.length === 1 || current.name !== name) return undefined;
      open.pop();
      continue;
    }
    const element: XmlElement = { name, text: '', children: [] };
    current.children.push(element);
    if (isEmpty !== '/') open.push(element);
  }
  return open.length === 1 && top.children.length === 1 ? top.children[0] : undefined;
}

/**
 * Removes comments. Returns undefined if a comment has no end. A regular expression would search the rest of the text
 * for each opened comment.
 */
function withoutComments(source: string): string | undefined {
  let kept = '';
  let end = 0;
  for (let start = source.indexOf('<!--'); start !== -1; start = source.indexOf('<!--', end)) {
    const last = source.indexOf('-->', start + 4);
    if (last === -1) return undefined;
    kept += source.slice(end, start);
    end = last + 3;
  }
  return kept + source.slice(end);
}

export function children({ children: all }: XmlElement, name: string): XmlElement[] {
  return all.filter((child) => child.name === name);
}

export function text(element: XmlElement, name: string): string | undefined {
  return element.children.find((child) => child.name === name)?.text;
}

/** Returns an element. Text content is escaped, and characters that XML does not allow are refused. */
export function element(name: string, content: string | number | readonly string[]): string {
  return `<${name}>${typeof content === 'object' ? content.join('') : escapeXml(String(content))}</${name}>`;
}

function escapeXml(value: string): string {
  return (
    value
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // XML parsers normalize line ends, so an unescaped key would become another key.
      .replaceAll('\r', '&#13;')
      .replaceAll('\n', '&#10;')
  );
}

function decode(escaped: string): string {
  return escaped.replace(/&(?:#(\d+)|#x([\da-fA-F]+)|(\w+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return entities[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
