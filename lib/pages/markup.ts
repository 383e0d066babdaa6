/** HTML that may be inserted as it stands: made by `html`, so whatever went into it is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | undefined | readonly Part[];

/** A template whose values are escaped unless they are markup themselves; lists are joined, undefined is nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(String.raw({ raw: strings }, ...parts.map(toText)));
}

function toText(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Markup) return part.text;
  return typeof part === 'object' ? part.map(toText).join('') : escapeHtml(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** A sentence in which backticks mark code, as in the document's descriptions. */
export function prose(text: string): Markup {
  const pieces = text
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : html`${piece}`));
  return html`${pieces}`;
}

/** A value as indented JSON, its parts told apart by classes. */
export function jsonCode(value: unknown): Markup {
  const text = JSON.stringify(value, null, 2);
  const pieces: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(/("(?:\\.|[^"\\])*")(:?)|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?/g)) {
    const [token, quoted, colon] = match;
    pieces.push(text.slice(end, match.index));
    if (quoted === undefined) pieces.push(html`<span class="v">${token}</span>`);
    else if (colon === ':') pieces.push(html`<span class="k">${quoted}</span>:`);
    else pieces.push(html`<span class="s">${quoted}</span>`);
    end = match.index + token.length;
  }
  return html`${[...pieces, text.slice(end)]}`;
}

export function codeBlock(title: string, code: Markup): Markup {
  // Reachable by keyboard: it scrolls sideways where a line is long.
  return html`<figure class="code"><figcaption>${title}</figcaption><pre tabindex="0"><code>${code}</code></pre></figure>`;
}
