/** The small XML that the data proxy answers with: elements and text, no attributes that matter. */
export interface XmlElement {
  name: string;
  text: string;
  children: XmlElement[];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The root element; undefined for what is not XML, which something between the browser and the proxy may have answered. */
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

/** Undefined where one has no end. An expression would look for the end of each that was begun, however long the answer. */
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

/** An element; content that is text is escaped, and what XML cannot hold is refused. */
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
      // A reader of XML makes line ends one form, and a key of them another key.
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
