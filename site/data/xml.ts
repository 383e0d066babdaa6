/** The small XML that the data proxy answers with: elements and text, no attributes that matter. */
export interface XmlElement {
  name: string;
  text: string;
  children: XmlElement[];
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The root element; undefined for what is not XML, which something between the browser and the proxy may have answered. */
export function parseXml(source: string): XmlElement | undefined {
  const top: XmlElement = { name: '', text: '', children: [] };
  const open = [top];
  let end = 0;
  for (const match of source.matchAll(/<(?:\?[^>]*\?|!--[\s\S]*?--|(\/?)([\w:.-]+)(?:\s[^<>]*?)?(\/?))>/g)) {
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
